#!/usr/bin/env python3
"""Whole tasks with the embedded world: what `roslaunch hicrisp_bringup demo.launch` starts."""

from __future__ import annotations

import json
import math
import sys
import unittest
from pathlib import Path
from typing import Dict, Tuple

import rospy
import rostest
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.msg import TaskStatus
from hicrisp_msgs.srv import InjectFault, ResetWorld

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import NAMESPACE, Workspace  # noqa: E402
from pages import first_task  # noqa: E402
from waiting import PATIENCE  # noqa: E402

TASK = first_task()
"""The first tutorial's own words."""


class Embedded(unittest.TestCase):
    """The arm, the physics and every node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_embedded")
        cls.workspace = Workspace()

    def setUp(self) -> None:
        rospy.wait_for_service(f"{NAMESPACE}/reset_world", PATIENCE)
        answer = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)("", 1)
        assert answer.ok, answer.message
        self.workspace.until(lambda: self.workspace.holds("box", "on", "table")
                             and not self.workspace.holds("box", "next_to", "cylinder"),
                             "the world as it was")

    def test_a_task_is_carried_out(self) -> None:
        status = self.workspace.run(TASK)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("box", "next_to", "cylinder"),
                             "sight of what was done")
        trial = json.loads((Path(status.run_folder) / "result.json").read_text())
        assert trial["success"]
        assert trial["seed"] == 1
        assert trial["placement_error_m"] < 0.03
        assert trial["sim_s"] > 1.0
        assert (Path(status.run_folder) / "report.html").is_file()

    def test_a_cancel_stops_the_arm(self) -> None:
        task = self.workspace.submit_task(TASK).task_id
        self.workspace.moving(task)
        self.workspace.until(lambda: self._turned() > 0.02, "motion of the arm")
        self.workspace.cancel_task(task)
        assert self.workspace.finished(task).state == TaskStatus.CANCELED
        assert self._turned() < 0.005
        assert not self.workspace.holds("box", "next_to", "cylinder")

    def _turned(self) -> float:
        """How far any joint turns between two states of the arm, radians."""
        first, second = (rospy.wait_for_message(f"{NAMESPACE}/joint_states", JointState, PATIENCE)
                         for _ in range(2))
        return max(abs(a - b) for a, b in zip(first.position, second.position))

    def test_another_scene_is_the_scene_of_every_node(self) -> None:
        reset = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)
        try:
            answer = reset("stack", 5)
            assert answer.ok, answer.message
            status = self.workspace.run("place the box next to the cylinder")
            assert status.state == TaskStatus.REFUSED, status.message
            said = status.message.replace("_", " ")
            assert "blue box" in said, said
            assert "red box" in said, said
            status = self.workspace.run("put the red box on the blue box")
            assert status.state == TaskStatus.SUCCEEDED, status.message
            trial = json.loads((Path(status.run_folder) / "result.json").read_text())
            assert (trial["scene"], trial["seed"]) == ("stack", 5)
            answer = reset("agv", 0)
            assert not answer.ok
            assert "stack, tabletop" in answer.message
        finally:
            assert reset("tabletop", 1).ok

    def test_what_is_said_under_way_stops_the_arm_and_changes_the_goal(self) -> None:
        reset = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)
        try:
            answer = reset("stack", 5)
            assert answer.ok, answer.message
            assert not self.workspace.tell("", "the blue one instead").ok
            task = self.workspace.submit_task("place the red box next to the cylinder").task_id
            self.workspace.moving(task)
            self.workspace.until(lambda: self._turned() > 0.02, "motion of the arm")
            told = self.workspace.tell(task, "Not that one, the blue one")
            assert told.ok, told.message
            status = self.workspace.finished(task)
            assert (status.state, status.goal_state) == (TaskStatus.SUCCEEDED, "seen"), status.message
            assert status.goal.startswith("the blue box ends up next to the cylinder"), status.goal
            assert "Not that one, the blue one" in status.said[0]
            said, = (json.loads(event.json) for event in self.workspace.events
                     if event.task_id == task and event.kind == "said")
            assert said["feedback"]["kind"] == "said_by_user"
            assert said["stopped"] == ["pick up red box"]
            at = self._truth()
            apart = math.dist(at["blue_box"][:2], at["cylinder"][:2])
            assert apart < 0.13, at
            assert at["red_box"][2] < 0.04, at
            assert not self.workspace.tell(task, "and the red one").ok
        finally:
            assert reset("tabletop", 1).ok

    def _truth(self) -> Dict[str, Tuple[float, float, float]]:
        """Where the things really are, metres in the world."""
        message = rospy.wait_for_message(f"{NAMESPACE}/ground_truth", TFMessage, PATIENCE)
        return {each.child_frame_id: (each.transform.translation.x, each.transform.translation.y,
                                      each.transform.translation.z) for each in message.transforms}

    def test_no_world_is_reset_under_a_task(self) -> None:
        self.workspace.pause()
        try:
            task = self.workspace.submit_task(TASK).task_id
            answer = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)("", 1)
            assert not answer.ok
            assert f"task {task} is running" in answer.message
            self.workspace.cancel_task("")
            assert self.workspace.finished(task).state == TaskStatus.CANCELED
        finally:
            self.workspace.resume()

    def test_a_thing_that_vanished_is_missed_and_nothing_moves(self) -> None:
        assert rospy.ServiceProxy(f"{NAMESPACE}/inject_fault", InjectFault)("vanish", "box", [], 0).ok
        self.workspace.until(lambda: not self.workspace.holds("box", "on", "table"),
                             "the table without the box")
        task = self.workspace.submit_task(TASK).task_id
        status = self.workspace.finished(task)
        assert status.state == TaskStatus.REFUSED
        assert "The box has not been seen for" in status.message
        assert "command" not in self.workspace.kinds(task)
        answer = self.workspace.run("what is on the table?")
        assert answer.state == TaskStatus.ANSWERED
        assert answer.message == "The cylinder."

    def test_an_object_that_is_not_there_moves_nothing(self) -> None:
        task = self.workspace.submit_task("place the teapot next to the cylinder").task_id
        assert self.workspace.finished(task).state == TaskStatus.REFUSED
        assert "command" not in self.workspace.kinds(task)


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "embedded", Embedded)
