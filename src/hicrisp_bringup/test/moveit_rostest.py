#!/usr/bin/env python3
"""Whole tasks with an arm behind a move_group of its own: ``roslaunch hicrisp_bringup real_panda.launch``."""

from __future__ import annotations

import json
import os
import signal
import sys
import unittest
from pathlib import Path
from typing import Any, List
from xmlrpc.client import ServerProxy

import rosgraph
import rospy
import rostest
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.joints import JointWatch
from std_srvs.srv import Trigger

from hicrisp_msgs.msg import TaskStatus

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import NAMESPACE, Workspace  # noqa: E402
from waiting import PATIENCE, until  # noqa: E402

JOINTS = [f"panda_joint{number}" for number in range(1, 8)]


class RealPanda(unittest.TestCase):
    """The five nodes, the driver, and a move_group that behaves as the real one does, over a simulated
    Panda.
    """

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_real_panda")
        cls.workspace = Workspace(without=("inject_fault",))
        rospy.wait_for_service(f"{NAMESPACE}/robots/panda/reset", PATIENCE)

    def test_1_a_move_group_that_is_killed_in_mid_motion_is_told_of_plainly_and_comes_back(self) -> None:
        joints = JointWatch("/joint_states", JOINTS, 2.0, 0.001, 0.3)
        assert joints.wait_until_known(Deadline(PATIENCE))
        killed = until(lambda: pid_of("/move_group"), "move_group")
        start = joints.positions()
        assert start is not None
        task = self.workspace.submit_task("pick up the box").task_id
        until(lambda: joints.farthest(start)[0] > 0.05, "motion")
        os.kill(killed, signal.SIGKILL)
        status = self.workspace.finished(task)
        said = outcomes(Path(status.run_folder))
        assert said[0]["status"] == "lost", said
        assert said[0]["message"] == "Cannot pick up the box: move_group went away with the motion."
        assert not any(word in json.dumps(said) for word in ("Errno", "refused", "Traceback")), said
        assert until(lambda: pid_of("/move_group"), "move_group") != killed
        # Tried again from what was seen, when it was back.
        assert status.state == TaskStatus.SUCCEEDED, (status.message, said)

    def test_2_the_next_task_is_carried_out(self) -> None:
        status = self.workspace.run("place the box next to the cylinder")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("box", "next_to", "cylinder"),
                             "sight of what was done")

    def test_3_a_motion_that_the_controller_gives_up_is_told_with_its_reason(self) -> None:
        rospy.set_param("/robot/mode", "violates")
        status = self.workspace.run("place the box in front of the cylinder")
        assert status.state == TaskStatus.FAILED
        assert "left its path" in (Path(status.run_folder) / "events.jsonl").read_text()

    def test_4_the_driver_can_be_reset(self) -> None:
        answer = rospy.ServiceProxy(f"{NAMESPACE}/robots/panda/reset", Trigger)()
        assert answer.success, answer.message


def pid_of(node: str) -> int:
    """The process of a node; 0 where none answers."""
    try:
        there: Any = ServerProxy(rosgraph.Master("/test").lookupNode(node))
        return int(there.getPid("/test")[2])
    except (OSError, rosgraph.MasterException):
        return 0


def outcomes(run: Path) -> List[Any]:
    """What the driver said of each command of a task."""
    lines = (run / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["kind"] == "outcome"]


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "real_panda", RealPanda)
