#!/usr/bin/env python3
"""``kill -9`` of move_base under a task of ``real_agv.launch``."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

import rospy
import rostest
from sensor_msgs.msg import LaserScan

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace, kill  # noqa: E402
from waiting import PATIENCE  # noqa: E402


class MoveBaseKilled(unittest.TestCase):
    """The five nodes, the driver, a base, and a move_base that dies on the way and comes back late."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_move_base_killed")
        cls.workspace = Workspace(without=("inject_fault",))
        rospy.wait_for_message("/scan", LaserScan, PATIENCE)
        rospy.wait_for_service("/move_base/make_plan", PATIENCE)

    def test_the_task_waits_tells_how_long_and_goes_on_with_one_repair(self) -> None:
        task = self.workspace.submit_task("visit area 3, then area 2").task_id
        self.workspace.moving(task)
        kill("/move_base")
        self.workspace.until(lambda: "waiting" in self.workspace.kinds(task), "word of the wait")
        assert "correction" not in self.workspace.kinds(task)
        status = self.workspace.finished(task)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        lines = (Path(status.run_folder) / "events.jsonl").read_text(encoding="utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        waited = [event["text"] for event in events if event["kind"] == "waiting"]
        assert waited[0].startswith("wait for move_base: 0 s of")
        assert any("move_base is back after" in event["message"] for event in events if event["kind"] == "outcome")
        assert len([event for event in events if event["kind"] == "correction"]) == 1


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "move_base_killed", MoveBaseKilled)
