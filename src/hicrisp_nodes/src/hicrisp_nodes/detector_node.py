"""The detector's door: it publishes ``world_state`` whenever TF shows something new, and serves ``detector/check``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Mapping, Optional, Tuple, Union

import rospy
from hicrisp_core.detector.detector import Detector
from hicrisp_core.detector.perception import ArmFrames, BaseFrames, RobotFrames, perceive
from hicrisp_core.domain import Domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import WorldObject
from hicrisp_ros.config_files import Configuration, load_configuration, parameter
from hicrisp_ros.node import run
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.tf_world import TfWorld

from hicrisp_msgs.msg import WorldState
from hicrisp_msgs.srv import CheckCommand, CheckCommandRequest, CheckCommandResponse
from hicrisp_ros import conversions as to

SILENCE = 0.5
"""Seconds of wall time after which the world is published although TF is silent: the poses' ages have grown."""
_SHOWN_LIMIT = 5.0
"""Seconds of wall time in which another scene is published for the first time; longer only where nobody looks."""
DUTY = 0.3
"""The part of the time that may go into looking at the poses."""


@dataclass(frozen=True)
class _Known:
    """What is known of a scene beforehand: its things, by which frames its robots are seen, what facts there may be."""

    domain: Domain
    things: Mapping[str, WorldObject]
    robots: Tuple[RobotFrames, ...]

    @property
    def frames(self) -> Tuple[str, ...]:
        """The names of the frames that matter."""
        return (*self.things, *(frame for robot in self.robots for frame in robot.frames))


def _known_in(configuration: Configuration) -> _Known:
    scene = configuration.scene
    bases = scene.arena.starts if scene.arena is not None else {}
    robots: Tuple[RobotFrames, ...] = tuple(
        BaseFrames(name) if name in bases else ArmFrames(name) for name in scene.robots)
    # What stands about in an arena is not known beforehand.
    unknown = scene.arena.unknown if scene.arena is not None else frozenset()
    return _Known(configuration.domain, {name: thing for name, thing in scene.objects.items() if name not in unknown},
                  robots)


class PoseEyes:
    """Publishes what TF shows, with the facts that follow from it.

    Args:
        rate: world states per second of wall time, at most.
        pose_age_limit: age from which on a pose does not count as seen, s.
    """

    def __init__(self, configuration: Configuration, rate: float, pose_age_limit: float = 1.0) -> None:
        if not rate > 0.0:
            raise ConfigError(f"the detector's rate must be more than 0 Hz, got {rate}")
        self._known = _known_in(configuration)
        self._pose_age_limit = pose_age_limit
        self._period = 1.0 / rate
        self._shown: Optional[_Known] = None
        self._news = Condition()
        self._tf = TfWorld()
        self._publisher = rospy.Publisher("world_state", WorldState, queue_size=1, latch=True, tcp_nodelay=True)
        Thread(target=self._look, name="eyes", daemon=True).start()

    def follow(self, configuration: Configuration) -> None:
        """Look for the things of another scene; on return it has been published once, where that took no long time."""
        self._known = wanted = _known_in(configuration)
        with self._news:
            self._news.wait_for(lambda: self._shown is wanted, _SHOWN_LIMIT)

    def _look(self) -> None:
        seen = -1
        while not rospy.is_shutdown():
            seen = self._tf.wait_for_news(seen, SILENCE)
            began = time.monotonic()
            now = rospy.get_time()
            known = self._known
            world = perceive(self._tf.frames(known.frames), known.things, known.domain, now, known.robots,
                             self._pose_age_limit)
            if not rospy.is_shutdown():
                self._publisher.publish(to.world_to_msg(world))
            with self._news:
                self._shown = known
                self._news.notify_all()
            spent = time.monotonic() - began
            time.sleep(max(0.0, max(self._period, spent / DUTY) - spent))


class FactEyes:
    """Publishes what a world without geometry shows of itself, which knows its things itself; a driver's report is no
    part of it."""

    def __init__(self) -> None:
        self._publisher = rospy.Publisher("world_state", WorldState, queue_size=1, latch=True, tcp_nodelay=True)
        self._subscriber = rospy.Subscriber(
            "observation", WorldState, self._publisher.publish, queue_size=1, tcp_nodelay=True)


class DetectorServer:
    """Serves a detector; ``eyes`` publish what is seen meanwhile.

    Args:
        pose_age_limit: the oldest pose that counts as seen, s.
    """

    def __init__(
        self, configuration: Configuration, eyes: Union[PoseEyes, FactEyes], pose_age_limit: float
    ) -> None:
        self._detector = Detector(configuration.domain, pose_age_limit)
        self._eyes = eyes
        self._pose_age_limit = pose_age_limit
        self._follower = SceneFollower(self._follow)
        self._service = rospy.Service("detector/check", CheckCommand, self._check)

    def _follow(self, configuration: Configuration) -> None:
        self._detector = Detector(configuration.domain, self._pose_age_limit)
        if isinstance(self._eyes, PoseEyes):
            self._eyes.follow(configuration)

    def _check(self, request: CheckCommandRequest) -> CheckCommandResponse:
        verdict = self._detector.check(
            to.command_from_msg(request.command), to.world_from_msg(request.before), to.world_from_msg(request.after),
            to.outcome_from_msg(request.outcome))
        return CheckCommandResponse(to.verdict_to_msg(verdict))


def build() -> DetectorServer:
    """The detector that the parameters ask for."""
    configuration = load_configuration()
    age, rate = float(parameter("pose_age_limit", 1.0)), float(parameter("rate", 30.0))
    eyes = FactEyes() if configuration.scene.symbolic else PoseEyes(configuration, rate, age)
    return DetectorServer(configuration, eyes, age)


def main() -> None:
    """Run the node."""
    run("detector", build)
