#!/usr/bin/env python3
"""Two instances on one ROS master, and what a viewer finds of an arm: its description, its frames, a recording."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

import rosbag
import rosgraph
import rospy
import rostest
import tf2_ros
import yaml
from hicrisp_nodes.check_launch import main as check_launch
from sensor_msgs.msg import JointState

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace  # noqa: E402
from waiting import PATIENCE, until  # noqa: E402

TASK = "place the box next to the cylinder"


class Instances(unittest.TestCase):
    """Two tables, each with its nodes in a namespace."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_instances")
        cls.first, cls.second = Workspace(), Workspace(namespace="/second")
        cls.frames = tf2_ros.Buffer()
        cls.listener = tf2_ros.TransformListener(cls.frames)

    def test_each_does_its_task_by_one_clock(self) -> None:
        tasks = [each.submit_task(TASK) for each in (self.first, self.second)]
        for each, taken in zip((self.first, self.second), tasks):
            status = each.finished(taken.task_id)
            assert status.state == TaskStatus.SUCCEEDED, status.message
        published = dict(rosgraph.Master("/test").getSystemState()[0])
        assert len(published["/clock"]) == 1, published["/clock"]

    def test_frames_of_the_second_have_its_prefix_and_do_not_mix(self) -> None:
        for workspace, prefix in ((self.first, ""), (self.second, "second/")):
            cylinder = next(thing for thing in workspace.world.objects if thing.name == "cylinder")
            self.wait_for(f"{prefix}world", f"{prefix}cylinder")
            seen = self.frames.lookup_transform(f"{prefix}world", f"{prefix}cylinder", rospy.Time()).transform
            assert abs(seen.translation.x - cylinder.pose.position.x) < 0.01

    def wait_for(self, root: str, name: str) -> None:
        until(lambda: self.frames.can_transform(root, name, rospy.Time()), name, PATIENCE)

    def test_the_arm_is_described_and_hangs_together(self) -> None:
        for prefix, namespace in (("", "/hicrisp"), ("second/", "/second")):
            robot = ElementTree.fromstring(rospy.get_param(f"{namespace}/robot_description"))
            for mesh in robot.iter("mesh"):
                assert Path(mesh.get("filename", "").replace("file://", "")).is_file(), mesh.get("filename")
            told = rospy.wait_for_message(f"{namespace}/joint_states", JointState, PATIENCE)
            joints = robot.findall("joint")
            assert {joint.get("name") for joint in joints if joint.get("type") != "fixed"} == {*told.name}
            for joint in joints:
                parent, child = (f"{prefix}{joint.find(end).get('link')}" for end in ("parent", "child"))
                self.wait_for(f"{prefix}world", child)
                assert yaml.safe_load(self.frames.all_frames_as_yaml())[child]["parent"] == parent

    def test_a_third_that_would_end_or_mix_with_another_is_refused(self) -> None:
        usual = ["--scene", "tabletop", "--llm", "offline", "--world", "embedded"]
        assert check_launch([*usual, "--namespace", "hicrisp"]) == 2
        assert check_launch([*usual, "--namespace", "second", "--tf-prefix", "third"]) == 2
        assert check_launch([*usual, "--namespace", "third"]) == 2
        assert check_launch([*usual, "--namespace", "third", "--tf-prefix", "third"]) == 0
        arena = ["--scene", "agv", "--llm", "offline", "--world", "arena", "--namespace", "third"]
        assert check_launch(arena) == 2
        assert check_launch([*arena, "--tf-prefix", "third"]) == 0

    def test_joint_states_and_small_pictures_are_recorded(self) -> None:
        folder = Path(self.first.run("place the box left of the cylinder").run_folder)
        until(lambda: (folder / "run.bag").is_file(), "the recording", PATIENCE)
        with rosbag.Bag(str(folder / "run.bag")) as bag:
            topics = bag.get_type_and_topic_info().topics
            assert topics["/hicrisp/joint_states"].message_count > 0
            assert topics["/hicrisp/camera/color/image_raw/compressed"].msg_type == "sensor_msgs/CompressedImage"
            assert "/hicrisp/camera/color/image_raw" not in topics


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "instances", Instances)
