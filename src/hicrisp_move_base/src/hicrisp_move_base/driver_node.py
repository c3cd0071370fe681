"""The driver's door: ``robots/<name>/execute`` for a base that runs move_base."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Optional

import rospy
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status
from hicrisp_core.ports.kinds import BASE, Skill
from hicrisp_core.ports.robot import AWAITED
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.description import SECTION as BODY
from hicrisp_core.robot.description import body_of
from hicrisp_core.robot.landmarks import load_base_settings
from hicrisp_core.robot.skilled import RunningCommand
from hicrisp_core.robot.turns import TURNS, Bar, Turns
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import config_file, domain_of, own_robot, own_topic, parameter
from hicrisp_ros.frames import name_frames
from hicrisp_ros.ports.robot import BYPASS
from hicrisp_ros.robot_server import RobotServer
from std_msgs.msg import String

from hicrisp_move_base.move_base import MoveBase
from hicrisp_move_base.settings import SECTION, load_move_base_settings

_SLICE = 0.1
"""Wall seconds between two looks whose turn it is."""


class TurnTaker(BaseRobot):
    """Begins no drive to an area before its turn; whose turn it is, the topic and the parameter ``turns`` say."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turns = Turns()
        self._subscriber = rospy.Subscriber(TURNS, String, self._on_turns, queue_size=1)

    def carry_out(self, skill: Skill, running: RunningCommand) -> Outcome:
        """Wait for the turn, then run a skill; the wait counts for no time limit of a drive.

        Args:
            skill: of the command's action.
            running: the command and its limits.

        Returns:
            How it ended; EXECUTION if the turn did not come in the command's time.
        """
        kept = rospy.search_param(TURNS)  # The topic may come later than the command that follows it.
        if kept is not None:
            self._turns = Turns(rospy.get_param(kept))
        began, told = running.clock(), ""
        bar = self._barred(running)
        while bar is not None:
            ended = running.interrupted()
            if ended is not None:
                return ended if ended.status is Status.CANCELED else replace(
                    ended, status=Status.EXECUTION, message=f"{self.name} waited without effect for {bar.words}.",
                    cause=Cause(CauseKind.BLOCKED, (bar.whom,)))
            if bar.words != told:
                told = bar.words
                running.progress(f"{AWAITED}{told}", 0.0)
            running.cancel.wait(_SLICE)
            bar = self._barred(running)
        running.end += running.clock() - began
        return super().carry_out(skill, running)

    def _barred(self, running: RunningCommand) -> Optional[Bar]:
        bars = (self._turns.barred(self.name, str(place)) for place in running.command.arguments.values() if place)
        return next(filter(None, bars), None)

    def _on_turns(self, message: String) -> None:
        self._turns = Turns(json.loads(message.data))


def build() -> RobotServer:
    """The driver that ``~robot`` and ``~domain`` (the scene's own by default) ask for."""
    file = config_file("robots", str(parameter("robot", "agv_move_base")))
    own, settings = own_robot(), load_base_settings(file, (SECTION, BODY))
    settings = replace(settings, name=own or settings.name)
    scene = load_scene(config_file("scenes", str(parameter("scene", "agv"))))
    skills = domain_of(scene, str(parameter("domain", ""))).skills
    found = load_move_base_settings(file)
    found = replace(found, planner=str(parameter("planner", "")) or found.planner,
                    map_frame=str(parameter("map_frame", found.map_frame)),
                    action=own_topic(found.action), odometry=own_topic(found.odometry), scan=own_topic(found.scan),
                    map=own_topic(found.map), keep_out=own_topic(found.keep_out), cmd_vel=own_topic(found.cmd_vel),
                    base_frame=str(parameter("base_frame", found.base_frame)))
    body = body_of(file, settings.name, BASE)
    if parameter("name_frames", False):
        # The map is the world, and the detector looks for the base's frame under a name of its own.
        same = Pose((0.0, 0.0, 0.0))
        name_frames([("world", found.map_frame, same),
                     (found.base_frame, frames_of(settings.name, body).frames[0], same)])
    start = scene.arena.starts.get(settings.name) if scene.arena is not None else None
    if start is None:
        raise ConfigError(f"the scene '{scene.name}' has no base '{settings.name}', so its footprint is not "
                          f"known; its robots: {', '.join(scene.robots) or 'none'}")
    rospy.set_param(f"robots/{settings.name}/{BYPASS}", {"cancel": rospy.resolve_name(f"{found.action}/cancel"),
                                                         "zero": found.cmd_vel and rospy.resolve_name(found.cmd_vel)})
    base = MoveBase(settings.name, found, start.radius, scene.arena)
    left = base.end_leftovers()
    if not left.ok:
        rospy.logwarn("whether %s stands is not known yet: %s", settings.name, left.message)
    return RobotServer(TurnTaker(base, body.able(skills), base.where, settings, rospy.get_time,
                                 recover=base.wait_for_return), base.first_reached)
