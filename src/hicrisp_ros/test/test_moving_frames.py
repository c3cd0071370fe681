"""Frames that move: TF hears of each moment once."""

from __future__ import annotations

from typing import List, Tuple

import pytest
import rospy
from geometry_msgs.msg import TransformStamped
from hicrisp_core.model import Pose
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.frames import MovingFrames
from tf2_msgs.msg import TFMessage
from waiting import until

pytestmark = pytest.mark.usefixtures("ros")


def at(stamp: float, *names: str) -> List[TransformStamped]:
    return [transform_to_msg("world", name, Pose((stamp, 0.0, 0.0)), rospy.Time.from_sec(stamp))
            for name in names]


def told(frames: MovingFrames, transforms: List[TransformStamped]) -> List[Tuple[str, float]]:
    return [(each.child_frame_id, each.header.stamp.to_sec()) for each in frames.news(transforms)]


def test_a_moment_is_told_once_for_each_frame() -> None:
    frames = MovingFrames()
    assert told(frames, at(2.0, "box")) == [("box", 2.0)]
    assert told(frames, at(2.0, "box", "cup")) == [("cup", 2.0)]
    assert not told(frames, at(2.0, "box", "cup"))
    assert told(frames, at(2.25, "box")) == [("box", 2.25)]


def test_the_moment_of_a_picture_is_told_after_newer_ones_and_a_clock_that_began_again_is_new() -> None:
    frames = MovingFrames()
    frames.news(at(50.0, "box"))
    assert told(frames, at(49.75, "box")) == [("box", 49.75)]
    assert told(frames, at(0.5, "box")) == [("box", 0.5)]


def test_who_listens_on_tf_gets_no_moment_twice() -> None:
    heard: List[Tuple[str, float]] = []
    listener = rospy.Subscriber("/tf", TFMessage, lambda message: heard.extend(
        (each.child_frame_id, each.header.stamp.to_sec()) for each in message.transforms), queue_size=100)
    frames = MovingFrames()
    greeting = TFMessage(at(1.0, "greeting"))
    until(lambda: frames._publisher.publish(greeting) or ("greeting", 1.0) in heard, "the connection")
    for stamp in (3.0, 3.0, 3.25, 3.0, 3.25):
        frames.tell(at(stamp, "bench_box"))
    frames.tell(at(3.5, "bench_box"))
    until(lambda: ("bench_box", 3.5) in heard, "the last of them")
    listener.unregister()
    assert [each for each in heard if each[0] == "bench_box"] == [
        ("bench_box", 3.0), ("bench_box", 3.25), ("bench_box", 3.5)]
