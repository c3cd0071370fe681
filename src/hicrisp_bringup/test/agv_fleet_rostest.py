#!/usr/bin/env python3
"""Two bases in one arena, each with its own nodes: what ``roslaunch hicrisp_bringup demo.launch scene:=agv_fleet``
starts.
"""

from __future__ import annotations

import json
import math
import sys
import unittest
from pathlib import Path
from typing import Dict, List, Tuple

import rospy
import rostest

from hicrisp_msgs.msg import TaskStatus, TrueMotion

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import NAMESPACE, Workspace  # noqa: E402

_WIDTH = 0.36
"""Of a base, metres."""


class AgvFleet(unittest.TestCase):
    """Both bases with their supervisors, and where they really are."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_agv_fleet")
        cls.spots: Dict[str, Tuple[float, float]] = {}
        cls.touched: List[str] = []
        cls.gap = math.inf
        cls.truth = rospy.Subscriber(f"{NAMESPACE}/ground_truth", TrueMotion, cls._moved)
        cls.stacks = {name: Workspace(without=("inject_fault",), namespace=f"{NAMESPACE}/{name}")
                      for name in ("agv_1", "agv_2")}

    @classmethod
    def _moved(cls, message: TrueMotion) -> None:
        cls.spots[message.robot] = (message.pose.position.x, message.pose.position.y)
        cls.touched += [message.touching] if message.touching else []
        if len(cls.spots) == 2:
            cls.gap = min(cls.gap, math.dist(*cls.spots.values()) - _WIDTH)

    def test_two_bases_that_change_rooms_give_way_and_touch_nobody(self) -> None:
        tasks = {"agv_1": "visit area 6, then area 2", "agv_2": "visit area 1, then area 5"}
        taken = {name: self.stacks[name].submit_task(task) for name, task in tasks.items()}
        assert all(answer.accepted for answer in taken.values()), taken
        for name, answer in taken.items():
            status = self.stacks[name].finished(answer.task_id)
            assert status.state == TaskStatus.SUCCEEDED, (name, status.message)
        assert set(self.spots) == {"agv_1", "agv_2"}
        assert self.touched == []
        assert self.gap > 0.0
        waits = [json.loads(event.json)["text"] for stack in self.stacks.values() for event in stack.events
                 if event.kind == "waiting"]
        assert any(text.startswith(("wait for agv_1", "wait for agv_2")) for text in waits), waits
        self.stacks["agv_1"].until(lambda: self.stacks["agv_1"].holds("agv_1", "at", "area_2"), "what was done")
        assert [robot.name for robot in self.stacks["agv_2"].world.robots] == ["agv_2"]


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "agv_fleet", AgvFleet)
