#!/usr/bin/env python3
"""Two arenas on one ROS master, each with a base, a move_base, a lidar and an odometry of its own."""

from __future__ import annotations

import math
import sys
import unittest
from pathlib import Path

import rosbag
import rosgraph
import rospy
import rostest
import tf2_ros
from hicrisp_nodes.check_launch import main as check_launch

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace  # noqa: E402
from waiting import PATIENCE, until  # noqa: E402


class Arenas(unittest.TestCase):
    """The same arena twice, each with its nodes in a namespace."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_arenas")
        cls.first, cls.second = Workspace(), Workspace(namespace="/second")
        cls.frames = tf2_ros.Buffer()
        cls.listener = tf2_ros.TransformListener(cls.frames)

    def test_each_base_drives_to_its_own_goals_by_one_clock(self) -> None:
        taken = [(each, area, each.submit_task(f"visit area {area}"))
                 for each, area in ((self.first, 1), (self.second, 3))]  # In this layout the way to 2 is narrow.
        for each, area, answer in taken:
            status = each.finished(answer.task_id)  # In the end the second's, which is recorded.
            assert status.state == TaskStatus.SUCCEEDED, status.message
            each.until(lambda each=each, area=area: each.holds("agv", "at", f"area_{area}"), "sight of what was done")
        published = dict(rosgraph.Master("/test").getSystemState()[0])
        for topic in ("/clock", "/odom", "/second/odom", "/scan", "/second/scan", "/second/map", "/second/cmd_vel"):
            assert len(published[topic]) == 1, (topic, published[topic])
        places = []
        for prefix in ("", "second/"):
            asked = (f"{prefix}map", f"{prefix}agv/base_link", rospy.Time())
            until(lambda asked=asked: self.frames.can_transform(*asked), asked[1], PATIENCE)
            at = self.frames.lookup_transform(*asked).transform.translation
            places.append((at.x, at.y))
        assert math.dist(*places) > 0.5, places
        folder = Path(status.run_folder)
        until(lambda: (folder / "run.bag").is_file(), "the recording", PATIENCE)
        with rosbag.Bag(str(folder / "run.bag")) as bag:
            topics = bag.get_type_and_topic_info().topics
        assert {"/second/odom", "/second/scan", "/second/move_base/goal"} <= set(topics)
        assert not {"/odom", "/scan", "/move_base/goal"} & set(topics)

    def test_a_real_base_under_the_names_of_a_simulated_one_is_refused(self) -> None:
        assert check_launch(["--scene", "agv", "--llm", "offline", "--needs", "arena", "--namespace", "real"]) == 2


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "arenas", Arenas)
