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
from std_srvs.srv import Trigger

from hicrisp_msgs.msg import TaskStatus, TrueMotion
from hicrisp_msgs.srv import CancelTask, ResetWorld, SubmitTask

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import ENDED, NAMESPACE, Workspace, kill  # noqa: E402
from waiting import PATIENCE, until  # noqa: E402

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

    def test_two_bases_keep_one_order_while_its_node_is_killed_and_no_reset_interrupts_them(self) -> None:
        self._in_one_order("visit area 6, then area 1, then area 5, then area 2")
        refused = self._ask("reset_world", ResetWorld)("", 0)
        assert not refused.ok, refused
        self._until_waiting()
        kill("fleet")
        for stack in self.stacks.values():
            status = stack.finished("")
            assert status.state == TaskStatus.SUCCEEDED, status.message
        assert self.visits == ["area_6", "area_1", "area_5", "area_2"], self.visits
        assert self.touched == []
        again = self._ask("reset_world", ResetWorld)("", 0)
        assert again.ok, again
        for name, start in (("agv_1", (0.4, 0.4)), ("agv_2", (4.4, 2.8))):
            until(lambda name=name, start=start: math.dist(self.spots[name], start) < 0.1, f"{name} at its start")

    def test_one_stop_or_cancel_stops_both_bases_and_ends_their_order(self) -> None:
        self._in_one_order("visit area 2, then area 4, then area 1")
        self._until_waiting()
        stopped = self._ask("estop", Trigger)()
        assert stopped.success, stopped
        for stack in self.stacks.values():
            assert stack.finished("").state in (TaskStatus.FAILED, TaskStatus.CANCELED)
        assert not self._ask("submit_task", SubmitTask)("visit area 1").accepted
        for name in ("clear_estop", "resume"):
            assert self._ask(name, Trigger)().success
        alone = self.stacks["agv_2"].run("visit area 4")  # Nobody waits for the order that was given up.
        assert alone.state == TaskStatus.SUCCEEDED, alone.message
        self._in_one_order("visit area 5, then area 3, then area 6")
        assert self._ask("cancel_task", CancelTask)("").ok
        for stack in self.stacks.values():
            assert stack.finished("").state == TaskStatus.CANCELED
        # Nothing is left of the canceled order, and nobody waits for a visit to where a base is.
        for task in ("visit area 1, then area 6", "visit area 6, then area 1, then area 4, then area 3"):
            self._in_one_order(task)
            for stack in self.stacks.values():
                assert stack.finished("").state == TaskStatus.SUCCEEDED

    def _in_one_order(self, task: str) -> None:
        """Submit a task to both bases at once."""
        self._heard = {name: len(stack.events) for name, stack in self.stacks.items()}
        submit = self._ask("submit_task", SubmitTask)
        self.stacks["agv_1"].until(lambda: submit(task).accepted, "bases that take an order")
        for name, stack in self.stacks.items():
            own = stack.get_task("").status
            assert own.state not in ENDED, (name, own)  # Each has a part of it.

    def _until_waiting(self) -> None:
        """Wait until a base waits for the other's visit."""
        self.stacks["agv_1"].until(lambda: any(
            event.kind == "waiting" and " to visit " in event.json
            for name, stack in self.stacks.items() for event in stack.events[self._heard[name]:]), "a wait for a turn")

    @property
    def visits(self) -> List[str]:
        """The areas in which the bases of the last order were seen to arrive."""
        found: List[Tuple[float, str]] = []
        for name, stack in self.stacks.items():
            area = ""
            for event in stack.events[self._heard[name]:]:
                told = json.loads(event.json)
                area = told["arguments"].get("area", "") if event.kind == "command" else area
                found += [(event.stamp.to_sec(), area)] if event.kind == "verdict" and told["ok"] else []
        return [area for _, area in sorted(found)]

    @staticmethod
    def _ask(name: str, kind: type) -> rospy.ServiceProxy:
        rospy.wait_for_service(f"{NAMESPACE}/{name}", PATIENCE)
        return rospy.ServiceProxy(f"{NAMESPACE}/{name}", kind)


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "agv_fleet", AgvFleet)
