#!/usr/bin/env python3
"""The depth camera of the embedded world: what it publishes, for whom, and what it then keeps to itself."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Dict, List

import numpy as np
import rospy
import rostest
from hicrisp_core.scene.cameras import load_camera
from hicrisp_ros.conversions.picture import colour_from_msg, depth_from_msg, lens_from_msg
from sensor_msgs.msg import CameraInfo, Image
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.srv import InjectFault, ResetWorld

sys.path.insert(0, str(Path(__file__).parent / "support"))
from waiting import PATIENCE, until  # noqa: E402

NAMESPACE = "/hicrisp"
COLOUR, DEPTH = f"{NAMESPACE}/camera/color/image_raw", f"{NAMESPACE}/camera/aligned_depth_to_color/image_raw"
INFO = f"{NAMESPACE}/camera/color/camera_info"
SETTINGS = load_camera("d435_fixed")


class Heard:
    """What comes on a topic while it is listened to."""

    def __init__(self, topic: str, kind: type) -> None:
        self.messages: List = []
        self._listener = rospy.Subscriber(topic, kind, self.messages.append, queue_size=50)

    def some(self, count: int) -> List:
        """As many messages as are asked for, of those that come from now on."""
        before = len(self.messages)
        until(lambda: len(self.messages) >= before + count, "messages")
        return self.messages[before:]

    @property
    def line(self) -> object:
        """The socket that they come by."""
        link, = self._listener.impl.connections
        return link.socket

    def end(self) -> None:
        self._listener.unregister()


class Camera(unittest.TestCase):
    """A world, and somebody who looks at its pictures."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_camera")
        rospy.wait_for_service(f"{NAMESPACE}/inject_fault", PATIENCE)
        cls.inject = rospy.ServiceProxy(f"{NAMESPACE}/inject_fault", InjectFault)

    def test_pictures_come_with_one_stamp_and_lens_at_the_rate_of_the_simulated_time(self) -> None:
        heard = [Heard(COLOUR, Image), Heard(DEPTH, Image), Heard(INFO, CameraInfo)]
        heard[0].some(8)
        stamps = []
        for each in heard:
            stamps.append([message.header.stamp.to_sec() for message in list(each.messages)])
            assert {message.header.frame_id for message in each.messages} == {SETTINGS.frame}
            each.end()
        assert len(set(stamps[0]) & set(stamps[1]) & set(stamps[2])) >= 5
        steps = np.diff(stamps[0])
        assert (steps > 0.999 / SETTINGS.rate).all(), steps
        colour, depth = colour_from_msg(heard[0].messages[-1]), depth_from_msg(heard[1].messages[-1])
        lens = lens_from_msg(heard[2].messages[-1])
        assert colour.shape == (480, 640, 3)
        assert depth.shape == (480, 640)
        assert (lens.width, lens.height, lens.fx) == (640, 480, SETTINGS.lens.fx)
        assert 0.8 < np.median(depth[depth > 0.0]) < 1.3

    def test_the_frame_of_the_camera_is_where_its_file_says(self) -> None:
        message = rospy.wait_for_message("/tf_static", TFMessage, PATIENCE)
        frame, = (each for each in message.transforms if each.child_frame_id == SETTINGS.frame)
        assert frame.header.frame_id == "world"
        at = frame.transform.translation
        assert (at.x, at.y, at.z) == SETTINGS.mounting.position

    def test_the_frames_of_the_robot_are_known_at_a_pictures_moment_and_those_of_things_never(self) -> None:
        frames, pictures = Heard("/tf", TFMessage), Heard(COLOUR, Image)
        picture = pictures.some(2)[-1]
        frames.some(3)
        moments: Dict[float, set] = {}
        for message in list(frames.messages):
            for each in message.transforms:
                moments.setdefault(each.header.stamp.to_sec(), set()).add(each.child_frame_id)
        assert "panda_hand_tcp" in moments[picture.header.stamp.to_sec()]
        assert not any({"box", "cylinder"} & names for names in moments.values())
        truth = rospy.wait_for_message(f"{NAMESPACE}/ground_truth", TFMessage, PATIENCE)
        assert {"box", "cylinder"} <= {each.child_frame_id for each in truth.transforms}
        frames.end()
        pictures.end()

    def test_who_listens_is_not_hung_up_on_when_the_world_begins_anew(self) -> None:
        pictures = Heard(COLOUR, Image)
        pictures.some(1)
        before = pictures.line
        assert rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)("", 2).ok
        pictures.some(2)
        assert pictures.line is before
        pictures.end()

    def test_a_silent_camera_skips_that_much_simulated_time(self) -> None:
        pictures = Heard(COLOUR, Image)
        pictures.some(1)
        assert self.inject("camera_silent", "", [2.0], 0).ok
        told = rospy.get_time()
        until(lambda: pictures.messages[-1].header.stamp.to_sec() > told + 2.0, "a picture after the silence")
        silent = [message for message in pictures.messages
                  if told + 0.1 < message.header.stamp.to_sec() < told + 1.8]
        pictures.end()
        assert not silent

    def test_an_unknown_thing_is_in_the_pictures_and_in_no_frame(self) -> None:
        reset = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)
        assert reset("", 1).ok
        pictures = Heard(COLOUR, Image)
        before = colour_from_msg(pictures.some(2)[-1])
        answer = self.inject("intruder", "", [], 1)
        assert answer.ok, answer.message
        after = colour_from_msg(pictures.some(3)[-1])
        pictures.end()
        assert (np.abs(after.astype(int) - before).max(axis=2) > 40).sum() > 100
        truth = rospy.wait_for_message(f"{NAMESPACE}/ground_truth", TFMessage, PATIENCE)
        heights = {each.child_frame_id: each.transform.translation.z for each in truth.transforms}
        assert heights["intruder_1"] > 0.0
        answer = self.inject("light", "", [-1.0], 0)
        assert not answer.ok
        assert "above 0" in answer.message
        assert reset("", 1).ok


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "camera", Camera)
