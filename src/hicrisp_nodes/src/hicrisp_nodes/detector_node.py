"""The detector's door: its eyes publish ``world_state``, and it serves ``detector/check`` and ``name_thing``."""

from __future__ import annotations

from typing import Union

import rospy
from hicrisp_core.detector.detector import Detector
from hicrisp_core.factory import RunFactory
from hicrisp_core.ports.observer import NamingRequest
from hicrisp_ros.config_files import Configuration, load_configuration, own_topic, parameter
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.tracks import TRACKS, by_camera

from hicrisp_msgs import srv
from hicrisp_msgs.msg import WorldState
from hicrisp_nodes.pose_state_estimator import PoseStateEstimator
from hicrisp_ros import conversions as to


class FactEstimator:
    """Publishes what a world without geometry shows of itself, which knows its objects itself; a driver's
    report is no part of it."""

    def __init__(self) -> None:
        self._publisher = Publisher("world_state", WorldState, queue_size=1, latch=True, tcp_nodelay=True)
        self._subscriber = rospy.Subscriber(
            "observation", WorldState, self._publisher.publish, queue_size=1, tcp_nodelay=True)


class DetectorServer:
    """Serves a detector; ``eyes`` publish what is seen meanwhile.

    Args:
        pose_age_limit: the oldest pose that counts as seen, s.
    """

    def __init__(
        self, configuration: Configuration, eyes: Union[PoseStateEstimator, FactEstimator], pose_age_limit: float
    ) -> None:
        self._pose_age_limit = pose_age_limit
        self._detector = self._made(configuration)
        self._eyes = eyes
        self._follower = SceneFollower(self._follow, eyes.forget if isinstance(eyes, PoseStateEstimator) else None)
        self._services = (rospy.Service("detector/check", srv.CheckCommand, self._check),
                          rospy.Service("name_thing", srv.NameThing, self._name))

    def _made(self, configuration: Configuration) -> Detector:
        return RunFactory(configuration.domain, configuration.policy,
                          pose_age_limit=self._pose_age_limit).detector()

    def _follow(self, configuration: Configuration) -> None:
        self._detector = self._made(configuration)
        if isinstance(self._eyes, PoseStateEstimator):
            self._eyes.follow(configuration)

    def _check(self, request: srv.CheckCommandRequest) -> srv.CheckCommandResponse:
        verdict = self._detector.check(
            to.COMMAND.from_msg(request.command), to.WORLD.from_msg(request.before),
            to.WORLD.from_msg(request.after),
            to.OUTCOME.from_msg(request.outcome))
        return srv.CheckCommandResponse(to.VERDICT.to_msg(verdict))

    def _name(self, request: srv.NameThingRequest) -> srv.NameThingResponse:
        if not isinstance(self._eyes, PoseStateEstimator):
            return srv.NameThingResponse(False, "This world tells its objects by name; none is unknown.")
        said = {each.key: each.value for each in request.attributes}
        naming = self._eyes.give_name(NamingRequest(request.thing, request.name, said, request.guess))
        return srv.NameThingResponse(naming.ok, naming.message)


def build() -> DetectorServer:
    """The detector that the parameters ask for."""
    configuration = load_configuration()
    age = float(parameter("pose_age_limit", 1.0))
    if configuration.scene.symbolic:
        return DetectorServer(configuration, FactEstimator(), age)
    scan = str(parameter("scan", own_topic("/scan")))
    eyes = PoseStateEstimator(configuration, float(parameter("rate", 30.0)), age, scan, TRACKS if by_camera() else "")
    return DetectorServer(configuration, eyes, age)
