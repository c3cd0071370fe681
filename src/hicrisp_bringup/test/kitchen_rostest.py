#!/usr/bin/env python3
"""Whole tasks in a world of facts: the same nodes as with physics, behind the same names."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

import rospy
import rostest
from rosgraph_msgs.msg import Clock

from hicrisp_msgs.msg import TaskStatus
from hicrisp_msgs.srv import InjectFault, ResetWorld

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import NAMESPACE, Workspace  # noqa: E402
from waiting import PATIENCE  # noqa: E402

TASK = "pizza_dough contains black_olives"


class Kitchen(unittest.TestCase):
    """The pizza kitchen and every node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_kitchen")
        cls.workspace = Workspace()

    def setUp(self) -> None:
        rospy.wait_for_service(f"{NAMESPACE}/reset_world", PATIENCE)
        answer = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)("", 0)
        assert answer.ok, answer.message

    def test_what_stands_in_the_way_is_moved_first(self) -> None:
        status = self.workspace.run(TASK)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("pizza_dough", "contains", "black_olives"),
                             "sight of what was done")
        assert json.loads((Path(status.run_folder) / "result.json").read_text())["success"]

    def test_a_step_without_effect_is_seen_and_done_again(self) -> None:
        fault = rospy.ServiceProxy(f"{NAMESPACE}/inject_fault", InjectFault)
        assert fault("no_effect", "get(salt_bottle, hand_left)", [], 1).ok
        status = self.workspace.run(TASK)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        result = json.loads((Path(status.run_folder) / "result.json").read_text())
        assert result["corrections"].get("repair") == 1
        assert len(result["failures"]) == 1

    def test_the_clock_goes_on_in_small_steps_while_nobody_moves(self) -> None:
        told = [rospy.wait_for_message("/clock", Clock, PATIENCE).clock.to_sec() for _ in range(20)]
        gaps = sorted(later - earlier for earlier, later in zip(told, told[1:]))
        assert 0.0 < gaps[len(gaps) // 2] < 60.0, gaps

    def test_an_unknown_fault_and_another_kind_of_world_are_refused_with_what_is_valid(self) -> None:
        answer = rospy.ServiceProxy(f"{NAMESPACE}/inject_fault", InjectFault)("slip", "", [], 1)
        assert not answer.ok
        assert "no_effect" in answer.message
        assert not rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)("tabletop", 0).ok


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "kitchen", Kitchen)
