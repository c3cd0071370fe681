"""The detector's door: it publishes ``world_state`` whenever TF shows something new, and serves ``detector/check``."""

from __future__ import annotations

import time
from threading import Thread
from typing import Mapping, Tuple, Union

import rospy
from hicrisp_core.detector.detector import Detector
from hicrisp_core.detector.perception import ArmFrames, BaseFrames, RobotFrames, perceive
from hicrisp_core.domain import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import WorldObject
from hicrisp_ros.config_files import load_configuration, parameter
from hicrisp_ros.node import run
from hicrisp_ros.tf_world import TfWorld

from hicrisp_msgs.msg import WorldState
from hicrisp_msgs.srv import CheckCommand, CheckCommandRequest, CheckCommandResponse
from hicrisp_ros import conversions as to

SILENCE = 0.5
"""Seconds of wall time after which the world is published although TF is silent: the poses' ages have grown."""
DUTY = 0.3
"""The part of the time that may go into looking at the poses."""


class PoseEyes:
    """Publishes what TF shows, with the facts that follow from it.

    Args:
        catalogue: what is known of the things beforehand.
        rate: world states per second of wall time, at most.
        pose_age_limit: age from which on a pose does not count as seen, s.
    """

    def __init__(
        self, domain: Domain, catalogue: Mapping[str, WorldObject], robots: Tuple[RobotFrames, ...],
        rate: float, pose_age_limit: float = 1.0,
    ) -> None:
        if not rate > 0.0:
            raise ConfigError(f"the detector's rate must be more than 0 Hz, got {rate}")
        self._domain = domain
        self._catalogue = catalogue
        self._robots = robots
        self._pose_age_limit = pose_age_limit
        self._period = 1.0 / rate
        self._frames = (*catalogue, *(frame for robot in robots for frame in robot.frames))
        self._tf = TfWorld()
        self._publisher = rospy.Publisher("world_state", WorldState, queue_size=1, latch=True, tcp_nodelay=True)
        Thread(target=self._look, name="eyes", daemon=True).start()

    def _look(self) -> None:
        seen = -1
        while not rospy.is_shutdown():
            seen = self._tf.wait_for_news(seen, SILENCE)
            began = time.monotonic()
            now = rospy.get_time()
            world = perceive(self._tf.frames(self._frames), self._catalogue, self._domain, now, self._robots,
                             self._pose_age_limit)
            if not rospy.is_shutdown():
                self._publisher.publish(to.world_to_msg(world))
            spent = time.monotonic() - began
            time.sleep(max(0.0, max(self._period, spent / DUTY) - spent))


class FactEyes:
    """Publishes what a world without geometry shows of itself; a driver's report is no part of it."""

    def __init__(self) -> None:
        self._publisher = rospy.Publisher("world_state", WorldState, queue_size=1, latch=True, tcp_nodelay=True)
        self._subscriber = rospy.Subscriber(
            "observation", WorldState, self._publisher.publish, queue_size=1, tcp_nodelay=True)


class DetectorServer:
    """Serves a detector; ``eyes`` publish what is seen meanwhile."""

    def __init__(self, detector: Detector, eyes: Union[PoseEyes, FactEyes]) -> None:
        self._detector = detector
        self._eyes = eyes
        self._service = rospy.Service("detector/check", CheckCommand, self._check)

    def _check(self, request: CheckCommandRequest) -> CheckCommandResponse:
        verdict = self._detector.check(
            to.command_from_msg(request.command), to.world_from_msg(request.before), to.world_from_msg(request.after),
            to.outcome_from_msg(request.outcome))
        return CheckCommandResponse(to.verdict_to_msg(verdict))


def build() -> DetectorServer:
    """The detector that the parameters ask for."""
    configuration = load_configuration()
    age = float(parameter("pose_age_limit", 1.0))
    detector = Detector(configuration.domain, age)
    if configuration.scene.symbolic:
        return DetectorServer(detector, FactEyes())
    scene = configuration.scene
    bases = scene.arena.starts if scene.arena is not None else {}
    robots: Tuple[RobotFrames, ...] = tuple(
        BaseFrames(name) if name in bases else ArmFrames(name) for name in scene.robots)
    # What stands about in an arena is not known beforehand.
    unknown = scene.arena.unknown if scene.arena is not None else frozenset()
    known = {name: thing for name, thing in scene.objects.items() if name not in unknown}
    return DetectorServer(detector, PoseEyes(configuration.domain, known, robots, float(parameter("rate", 30.0)), age))


def main() -> None:
    """Run the node."""
    run("detector", build)
