"""The true state of a simulation: read from its topic, unknown without one, and never taken on trust."""

from pathlib import Path

import pytest
import rospy
from hicrisp_core.domain import load_domain
from hicrisp_core.model import Pose, WorldState
from hicrisp_core.policy.policy import Policy
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import Configuration
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.simulated_world import true_state
from tf2_msgs.msg import TFMessage

CONFIG = Path(__file__).resolve().parents[3] / "config"


@pytest.fixture
def told(monkeypatch):
    """The true state where a topic is published, and what comes on it."""
    def of(topics, message):
        def come(*_):
            if message is None:
                raise rospy.ROSException("timeout")
            return message
        monkeypatch.setattr(rospy, "get_published_topics", lambda: topics)
        monkeypatch.setattr(rospy, "wait_for_message", come)
        return true_state(Configuration(load_scene(CONFIG / "scenes" / "tabletop.yaml"),
                                        load_domain(CONFIG / "domains" / "tabletop.yaml"), Policy("t")))
    return of


TRUTH = [[rospy.resolve_name("ground_truth"), "tf2_msgs/TFMessage"]]


def test_facts_follow_from_the_true_poses(told):
    on_the_table = {"box": Pose((0.5, 0.0, 0.03)), "cylinder": Pose((0.5, 0.3, 0.05))}
    scene = load_scene(CONFIG / "scenes" / "tabletop.yaml")
    poses = {name: thing.pose for name, thing in scene.objects.items() if thing.pose is not None}
    message = TFMessage([transform_to_msg("world", name, pose, rospy.Time(7))
                         for name, pose in {**on_the_table, **poses}.items()])
    assert told(TRUTH, message).holds("on", "box", "table")


def test_a_real_robot_has_no_true_state(told):
    assert told([["/tf", "tf2_msgs/TFMessage"]], None) is None
    assert told([[rospy.resolve_name("ground_truth"), "hicrisp_msgs/TrueMotion"]], None) is None


def test_where_true_poses_do_not_come_nothing_holds(told):
    assert told(TRUTH, None) == WorldState()
