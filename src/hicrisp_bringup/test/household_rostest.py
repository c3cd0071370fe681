#!/usr/bin/env python3
"""A household task over every node, carried out by VirtualHome's executor."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import rospy
import rostest

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace  # noqa: E402


class Household(unittest.TestCase):
    """The home and every node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_household")
        cls.workspace = Workspace()

    def test_the_salmon_gets_into_the_closed_fridge(self) -> None:
        status = self.workspace.run("put the salmon in the fridge and close the fridge")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("salmon_14", "inside", "fridge_12"),
                             "sight of what was done")
        self.workspace.until(lambda: self.workspace.holds("fridge_12", "closed", ""),
                             "sight of what was done")

    def test_what_is_not_in_the_home_is_refused(self) -> None:
        task = self.workspace.submit_task("put the elephant in the fridge").task_id
        assert self.workspace.finished(task).state == TaskStatus.REFUSED


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "household", Household)
