#!/usr/bin/env python3
"""A stateless node that crashes under a task is started again, and the task goes on."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import rospy
import rostest

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace, kill  # noqa: E402

TASKS = ("place the box next to the cylinder", "place the box next to the bowl")


class Restart(unittest.TestCase):
    """Nodes that crash at the worst moment: while the robot moves, so that they are needed right after."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_restart")
        cls.workspace = Workspace()

    def _survives(self, *nodes: str) -> None:
        near = self.workspace.holds("box", "next_to", "cylinder")
        task = self.workspace.submit_task(TASKS[1 if near else 0]).task_id
        self.workspace.moving(task)
        for node in nodes:
            kill(node)
        status = self.workspace.finished(task)
        assert status.state == TaskStatus.SUCCEEDED, status.message

    def test_the_detector_may_crash(self) -> None:
        self._survives("detector")

    def test_the_body_may_crash(self) -> None:
        self._survives("body")

    def test_brain_and_corrector_may_crash(self) -> None:
        self.workspace.inject_fault(kind="miss", count=1)
        self._survives("brain", "corrector")

    def test_all_of_them_may_crash_at_once(self) -> None:
        self._survives("brain", "body", "detector", "corrector")


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "restart", Restart)
