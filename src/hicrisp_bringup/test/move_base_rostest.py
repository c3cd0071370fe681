#!/usr/bin/env python3
"""Whole tasks with a base that has a move_base of its own: ``roslaunch hicrisp_bringup real_agv.launch``."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

import rospy
import rostest
from hicrisp_nodes.check_launch import main as check_launch
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace  # noqa: E402
from waiting import PATIENCE  # noqa: E402


class RealMoveBase(unittest.TestCase):
    """The five nodes, the driver and a move_base that behaves as the real one does."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_real_move_base")
        cls.workspace = Workspace(without=("inject_fault",))

    def setUp(self) -> None:
        rospy.set_param("/move_base/mode", "")
        rospy.set_param("/move_base/hall", 4.0)
        rospy.wait_for_message("/scan", LaserScan, PATIENCE)

    def test_areas_are_visited(self) -> None:
        status = self.workspace.run("visit area 3, then area 2")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("agv", "at", "area_2"), "sight of what was done")

    def test_a_simulation_that_would_drive_to_its_goals_is_refused(self) -> None:
        arena = ["--scene", "agv", "--llm", "offline", "--world", "arena", "--namespace", "second"]
        assert check_launch(arena) == 2
        assert check_launch([*arena, "--tf-prefix", "second"]) == 0

    def test_a_base_that_only_says_that_it_arrived_fails_the_task(self) -> None:
        rospy.set_param("/move_base/mode", "lies")
        status = self.workspace.run("visit area 1")
        assert status.state == TaskStatus.FAILED
        assert not self.workspace.holds("agv", "at", "area_1")

    def test_a_drive_that_is_given_up_is_told_with_its_reason(self) -> None:
        rospy.set_param("/move_base/mode", "aborts")
        status = self.workspace.run("visit area 1")
        assert status.state == TaskStatus.FAILED
        assert "blocked" in (Path(status.run_folder) / "events.jsonl").read_text()

    def test_odometry_that_jumps_ends_the_task_with_a_base_that_stands(self) -> None:
        rospy.set_param("/move_base/mode", "jumps")
        status = self.workspace.run("visit area 3")
        assert status.state == TaskStatus.FAILED
        assert "the odometry jumped by" in (Path(status.run_folder) / "events.jsonl").read_text()
        assert abs(rospy.wait_for_message("/odom", Odometry, PATIENCE).twist.twist.linear.x) < 0.02

    def test_a_lidar_that_falls_silent_ends_the_task_with_a_base_that_stands(self) -> None:
        rospy.set_param("/move_base/mode", "unseeing")
        status = self.workspace.run("visit area 3, then area 2, then area 1")
        assert status.state == TaskStatus.FAILED
        assert "no scan has arrived on /scan" in (Path(status.run_folder) / "events.jsonl").read_text()
        assert abs(rospy.wait_for_message("/odom", Odometry, PATIENCE).twist.twist.linear.x) < 0.02

    def test_a_base_whose_wheels_spin_ends_the_task_by_its_commands_and_its_place(self) -> None:
        rospy.set_param("/move_base/mode", "slips")
        status = self.workspace.run("visit area 3")
        assert status.state == TaskStatus.FAILED
        assert "does not follow its commands on /cmd_vel" in status.message
        assert abs(rospy.wait_for_message("/odom", Odometry, PATIENCE).twist.twist.linear.x) < 0.02

    def test_a_base_that_falls_ends_the_task_and_is_nowhere_for_the_detector(self) -> None:
        rospy.set_param("/move_base/mode", "falls")
        status = self.workspace.run("visit area 3")
        assert status.state == TaskStatus.FAILED
        assert "5.0 m below" in status.message
        self.workspace.until(lambda: any(robot.off_floor < -4.9 and not robot.has_pose
                                         for robot in self.workspace.world.robots), "sight of the fallen base")

    def test_an_area_that_make_plan_knows_no_path_to_is_told_before_the_first_drive(self) -> None:
        rospy.set_param("/move_base/hall", 2.9)
        status = self.workspace.run("visit area 2, then area 3")
        assert status.state == TaskStatus.FAILED
        lines = (Path(status.run_folder) / "events.jsonl").read_text(encoding="utf-8").splitlines()
        kinds = [(event["kind"], event.get("text", "")) for event in map(json.loads, lines)]
        told = next(number for number, (kind, text) in enumerate(kinds)
                    if kind == "note" and text.startswith("No path leads to area 3 by what is known now"))
        assert told < next(number for number, (kind, _) in enumerate(kinds) if kind == "command")

    def test_without_a_map_the_task_fails_and_nothing_moves(self) -> None:
        rospy.set_param("/move_base/mode", "mapless")
        self.workspace.until(lambda: not any(robot.has_pose for robot in self.workspace.world.robots),
                             "lost base")
        status = self.workspace.run("visit area 1")
        assert status.state == TaskStatus.FAILED
        assert "TF does not say where" in (Path(status.run_folder) / "events.jsonl").read_text()


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "real_move_base", RealMoveBase)
