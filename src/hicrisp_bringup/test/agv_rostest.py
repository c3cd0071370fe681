#!/usr/bin/env python3
"""Whole tasks of a base in the embedded arena: what ``roslaunch hicrisp_bringup demo.launch scene:=agv``
starts.
"""

from __future__ import annotations

import math
import sys
import unittest
from pathlib import Path

import rospy
import rostest
from hicrisp_core.trace import read_events
from hicrisp_nodes.recording import MCAP
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import LaserScan

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
import foxglove  # noqa: E402
import report  # noqa: E402
from agv_faults_suite import AgvFaults  # noqa: E402, F401  One launch serves both suites.
from harness import Workspace  # noqa: E402
from waiting import PATIENCE  # noqa: E402


class Agv(unittest.TestCase):
    """The base, its world and every node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_agv")
        cls.workspace = Workspace()

    def test_areas_are_visited_in_the_order_of_the_task(self) -> None:
        status = self.workspace.run("visit area 3, then area 2, then area 1")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("agv", "at", "area_1"), "sight of what was done")
        self._report_shows_the_way(Path(status.run_folder))
        self._foxglove_shows_the_recording(Path(status.run_folder) / MCAP)

    def _foxglove_shows_the_recording(self, recording: Path) -> None:
        """Our layout finds the map, the scan, the path and the rest, each with a type that it draws."""
        self.workspace.until(recording.is_file, "the recording")
        assert foxglove.faults(recording) == []
        assert {"/hicrisp/markers", "/map", "/scan", "/move_base/NavfnROS/plan", "/hicrisp/task_status",
                "/hicrisp/events", "/diagnostics", "/clock"} <= foxglove.topics_of(recording)

    def _report_shows_the_way(self, run: Path) -> None:
        """The events hold where it drove, closely enough to be drawn, and the path that it set out on."""
        drives = [event for event in read_events(run) if event["kind"] == "drove"]
        assert len(drives) >= 3, [event["kind"] for event in read_events(run)]
        for drove in drives:
            steps = [math.dist(a, b) for a, b in zip(drove["driven"], drove["driven"][1:])]
            assert len(steps) >= 2, "a way, also where a busy machine looks seldom"
            assert sum(steps) >= math.dist(drove["driven"][0], drove["stop"][:2]) - 0.1
            assert math.dist(drove["driven"][-1], drove["stop"][:2]) < 0.1
            assert len(drove["planned"]) > 2, "the planner's path"
            assert math.dist(drove["planned"][0], drove["driven"][0]) < 0.3
        shown = report.last(run)
        assert shown["scene"]["walls"]
        assert len(shown["drives"]) == len(drives)
        assert len(shown["path"]) > 2
        assert len(shown["route"]) > 2

    def test_a_cancel_stops_the_base(self) -> None:
        task = self.workspace.submit_task("visit area 3, then area 2").task_id
        self.workspace.moving(task)
        self.workspace.until(
            lambda: rospy.wait_for_message("/odom", Odometry, PATIENCE).twist.twist.linear.x > 0.1, "drive")
        self.workspace.cancel_task(task)
        assert self.workspace.finished(task).state == TaskStatus.CANCELED
        odometry = rospy.wait_for_message("/odom", Odometry, PATIENCE)
        assert abs(odometry.twist.twist.linear.x) < 0.02

    def test_a_place_that_is_not_there_moves_nothing(self) -> None:
        task = self.workspace.submit_task("visit area 9").task_id
        assert self.workspace.finished(task).state == TaskStatus.REFUSED
        assert "command" not in self.workspace.kinds(task)

    def test_the_usual_topics_are_there(self) -> None:
        scan = rospy.wait_for_message("/scan", LaserScan, PATIENCE)
        assert len(scan.ranges) == 360
        for topic in ("/map", "/move_base/global_costmap/costmap"):
            grid = rospy.wait_for_message(topic, OccupancyGrid, PATIENCE)
            assert len(grid.data) == grid.info.width * grid.info.height


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "agv", __name__)
