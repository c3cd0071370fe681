"""Frames that stay: whoever comes late gets all of them, each as it was put last."""

from __future__ import annotations

import rospy
from hicrisp_core.model import Pose
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.frames import StaticFrames
from tf2_msgs.msg import TFMessage
from waiting import PATIENCE


def test_a_late_listener_gets_every_frame_as_it_was_put_last(ros: None) -> None:
    frames = StaticFrames()
    frames.put([transform_to_msg("world", "map", Pose((0.0, 0.0, 0.0)), rospy.Time())])
    frames.put([transform_to_msg("world", "camera", Pose((1.0, 0.0, 0.5)), rospy.Time())])
    frames.put([transform_to_msg("world", "camera", Pose((2.0, 0.0, 0.5)), rospy.Time())])
    message = rospy.wait_for_message("/tf_static", TFMessage, PATIENCE)
    assert {each.child_frame_id: each.transform.translation.x for each in message.transforms} == {
        "map": 0.0, "camera": 2.0}
