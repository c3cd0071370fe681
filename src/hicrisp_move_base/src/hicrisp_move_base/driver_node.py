"""The driver's door: ``robots/<name>/execute`` for a base that runs move_base."""

from __future__ import annotations

from dataclasses import replace

import rospy
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.robot.description import SECTION as BODY
from hicrisp_core.robot.description import body_of
from hicrisp_core.robot.landmarks import load_base_settings
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import config_file, domain_of, own_robot, own_topic, parameter
from hicrisp_ros.frames import name_frames
from hicrisp_ros.ports.robot import BYPASS
from hicrisp_ros.robot_server import RobotServer

from hicrisp_move_base.move_base import MoveBase
from hicrisp_move_base.settings import SECTION, load_move_base_settings
from hicrisp_move_base.turn_taking import TurnTaker


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
