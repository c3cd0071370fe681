#!/usr/bin/env python3
"""Whole tasks with an arm behind a move_group of its own: ``roslaunch hicrisp_bringup real_panda.launch``."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import rospy
import rostest
from std_srvs.srv import Trigger

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import NAMESPACE, Workspace  # noqa: E402
from waiting import PATIENCE  # noqa: E402


class RealPanda(unittest.TestCase):
    """The five nodes, the driver, and a move_group that behaves as the real one does, over a simulated
    Panda.
    """

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_real_panda")
        cls.workspace = Workspace(without=("inject_fault",))
        rospy.wait_for_service(f"{NAMESPACE}/robots/panda/reset", PATIENCE)

    def test_1_a_task_is_carried_out(self) -> None:
        status = self.workspace.run("place the box next to the cylinder")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("box", "next_to", "cylinder"),
                             "sight of what was done")

    def test_2_a_motion_that_the_controller_gives_up_is_told_with_its_reason(self) -> None:
        rospy.set_param("/robot/mode", "violates")
        status = self.workspace.run("place the box in front of the cylinder")
        assert status.state == TaskStatus.FAILED
        assert "left its path" in (Path(status.run_folder) / "events.jsonl").read_text()

    def test_3_the_driver_can_be_reset(self) -> None:
        answer = rospy.ServiceProxy(f"{NAMESPACE}/robots/panda/reset", Trigger)()
        assert answer.success, answer.message


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "real_panda", RealPanda)
