#!/usr/bin/env python3
"""An action that cannot be undone waits for the user."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import rospy
import rostest

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import Workspace  # noqa: E402

TASKS = ("place the box next to the cylinder", "place the box next to the bowl")


class Approval(unittest.TestCase):
    """In this domain placing is irreversible."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_approval")
        cls.workspace = Workspace()

    def _asked(self) -> str:
        """A task that has come to its question."""
        self.workspace.set_autonomy("supervised")
        near = self.workspace.holds("box", "next_to", "cylinder")
        task = self.workspace.submit_task(TASKS[1 if near else 0]).task_id
        waiting = self.workspace.comes_to(task, TaskStatus.AWAITING_APPROVAL)
        assert "place box next to" in waiting.message
        return task

    def test_what_is_approved_is_done(self) -> None:
        task = self._asked()
        assert not self.workspace.approve("another task", True).ok
        assert self.workspace.approve(task, True).ok
        assert self.workspace.finished(task).state == TaskStatus.SUCCEEDED

    def test_what_is_not_approved_is_not_done(self) -> None:
        task = self._asked()
        self.workspace.approve("", False)
        status = self.workspace.finished(task)
        assert status.state == TaskStatus.FAILED
        assert "not approved" in status.message
        self.workspace.until(lambda: self.workspace.holds("panda", "holding", "box"),
                             "sight of what was done")

    def test_full_autonomy_answers_the_question_that_waits(self) -> None:
        task = self._asked()
        self.workspace.set_autonomy("full")
        assert self.workspace.finished(task).state == TaskStatus.SUCCEEDED

    def test_a_task_that_waits_for_its_answer_can_be_canceled(self) -> None:
        task = self._asked()
        self.workspace.cancel_task(task)
        assert self.workspace.finished(task).state == TaskStatus.CANCELED


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "approval", Approval)
