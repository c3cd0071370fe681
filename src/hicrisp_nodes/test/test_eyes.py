"""The detector's eyes over ROS: what they are called outlives them."""

from __future__ import annotations

from pathlib import Path

import pytest
import rospy
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.track import Track, Tracks, Uncertainty
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.observer import NamingRequest
from hicrisp_core.scene import load_scene
from hicrisp_nodes.pose_state_estimator import PoseStateEstimator
from hicrisp_ros.config_files import Configuration
from hicrisp_ros.conversions import VIEW
from hicrisp_ros.given_names import PARAMETER, kept_names
from waiting import until

from hicrisp_msgs.msg import TrackArray

pytestmark = pytest.mark.usefixtures("ros")
CONFIG = Path(__file__).parents[3] / "config"
PLACE = Pose((0.45, 0.1, 0.05))
VIEWED = Tracks(1.0, (Track("unknown_1", PLACE, Uncertainty(), 1.0, unknown=WorldObject(
    "unknown_1", "", "box", (0.05, 0.05, 0.1), pose=PLACE)),), session=7)


def test_a_given_name_outlives_the_eyes_and_ends_with_their_world() -> None:
    configuration = Configuration(load_scene("workbench"), load_domain(CONFIG / "domains/workbench.yaml"),
                                  load_policy(CONFIG / "policies/hierarchical.yaml"))
    tracks = rospy.Publisher("tracks", TrackArray, queue_size=1, latch=True)
    tracks.publish(VIEW.to_msg(VIEWED))
    eyes = [PoseStateEstimator(configuration, 30.0, tracks="tracks")]
    try:
        until(lambda: eyes[0].give_name(NamingRequest("unknown_1", "jug")).ok, "a name")
        until(lambda: kept_names() == {"unknown_1": "jug"}, "it is kept")
        eyes.append(PoseStateEstimator(configuration, 30.0, tracks="tracks"))
        until(lambda: "jug" in eyes[1].give_name(NamingRequest("unknown_9", "mug")).message, "the others know it")
        eyes[1].forget()
        until(lambda: kept_names() == {}, "it has ended")
    finally:
        for each in eyes:
            each._timer.shutdown()
        tracks.unregister()
        rospy.delete_param(PARAMETER)
