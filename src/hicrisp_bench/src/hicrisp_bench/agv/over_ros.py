"""The AGV's trials over the launched nodes, judged by the motion that the simulation publishes for judges."""

from __future__ import annotations

from typing import Mapping, Optional

import rospy
from hicrisp_core.model import Motion
from hicrisp_core.time import Deadline, wait_until
from hicrisp_ros.conversions.geometry import pose_from_msg
from hicrisp_ros.conversions.world import WORLD

from hicrisp_bench.agv.suite import AgvTrial, result_of
from hicrisp_bench.agv.truth import Moment, TrueTrack
from hicrisp_bench.launched import LIMIT, NAMESPACE, LaunchFailed
from hicrisp_bench.over_ros import Run
from hicrisp_bench.pool import Result
from hicrisp_msgs.msg import TrueMotion, WorldState

_SETTLING = 1.0
"""Seconds of the world's clock after which a base is taken to stand."""


class AgvJudge:
    """Follows the base from the reset of the world to the end of a trial."""

    ARGUMENTS: Mapping[str, str] = {"brain_package": "hicrisp_bench"}

    def __init__(self) -> None:
        self._track: Optional[TrueTrack] = None
        self._state: Optional[WorldState] = None
        self._before = Motion()
        self._started = 0.0
        self._subscribers = (
            rospy.Subscriber(f"/{NAMESPACE}/ground_truth", TrueMotion, self._on_motion, tcp_nodelay=True),
            rospy.Subscriber(f"/{NAMESPACE}/world_state", WorldState, self._on_state, queue_size=1))

    def begin(self, trial: AgvTrial) -> None:
        """Follow anew, and ask the brain for the trial's mistake."""
        rospy.set_param(f"/{NAMESPACE}/brain/mistake", trial.injected)
        scene = trial.load_scene()
        if scene.arena is None or len(scene.arena.starts) != 1:
            raise LaunchFailed(f"the scene '{scene.name}' has no arena with one base")
        track = self._track = TrueTrack(scene, next(iter(scene.arena.starts)))
        if not wait_until(lambda: track.time >= 0.0 and self._state is not None, Deadline(LIMIT)):
            raise LaunchFailed(f"no true motion came on /{NAMESPACE}/ground_truth within {LIMIT:g} s")
        self._before, self._started = self._motion(track), track.time

    def result(self, trial: AgvTrial, run: Run) -> Result:
        """The same dictionary as that of the trial in one process."""
        track = self._track
        if track is None:
            raise LaunchFailed("a trial ended that had not begun")
        end = track.time + _SETTLING
        if not wait_until(lambda: track.time >= end, Deadline(LIMIT)):
            raise LaunchFailed(f"the true motion on /{NAMESPACE}/ground_truth ended")
        self._track = None
        seen = self._motion(track).since(self._before)
        return result_of(trial, track, {**run.found, "message": run.message}, seen.near_misses,
                         track.time - self._started, run.wall_s)

    def _motion(self, track: TrueTrack) -> Motion:
        """What the detector has seen of the base."""
        robot = WORLD.from_msg(self._state).robots.get(track.robot)
        return robot.motion or Motion() if robot is not None else Motion()

    def _on_motion(self, message: TrueMotion) -> None:
        pose, track = pose_from_msg(message.pose), self._track
        if track is not None and pose is not None and message.robot == track.robot:
            track.follow(Moment(
                message.header.stamp.to_sec(), pose, message.speed, message.turning, message.touching,
                pose_from_msg(message.goal, message.has_goal), message.driving))

    def _on_state(self, message: WorldState) -> None:
        self._state = message
