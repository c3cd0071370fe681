#!/usr/bin/env python3
"""Tasks for an arm and a base together: what ``roslaunch hicrisp_bringup demo.launch scene:=lab`` starts."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, List

import rospy
import rostest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from hicrisp_msgs.msg import Plan, TaskStatus
from hicrisp_msgs.srv import ResetWorld

sys.path.insert(0, str(Path(__file__).parent / "support"))
import report  # noqa: E402
from harness import NAMESPACE, Workspace  # noqa: E402
from waiting import PATIENCE  # noqa: E402

DELIVERY = "load the box onto the AGV, bring it to area 2 and back"


class Lab(unittest.TestCase):
    """Both robots, their world and every node."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_lab")
        cls.workspace = Workspace()
        cls.reset = rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)

    def setUp(self) -> None:
        assert self.reset("", 0).ok
        self.workspace.until(lambda: not self.workspace.holds("agv", "docked", "dock")
                             and self.workspace.holds("box", "on", "table"), "the world as it was")

    def test_a_box_is_loaded_taken_to_an_area_and_brought_back(self) -> None:
        status = self.workspace.run(DELIVERY)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("box", "on", "tray"), "sight of what was done")
        self.workspace.until(lambda: self.workspace.holds("agv", "docked", "dock"), "sight of what was done")
        events = self._events(status)
        assert self._overlap(events) > 0.0
        shown = report.last(Path(status.run_folder))
        steps = [shown[f"step:{index}"] for index in shown["plan"]["steps"]]
        told = [(step["robot"], step["text"], step["after"]) for step in steps]
        assert ("panda", "load box onto tray", [0, 1]) in told
        assert ("agv", "carry box to area 2", [2]) in told

    def test_the_plan_says_whose_each_step_is_and_what_it_waits_for(self) -> None:
        plans: List[Plan] = []
        subscriber = rospy.Subscriber(f"{NAMESPACE}/plan", Plan, plans.append)
        task = self.workspace.submit_task(DELIVERY).task_id
        plan = self.workspace.until(lambda: [each for each in plans if each.task_id == task], "plan")[0]
        self.workspace.cancel_task(task)
        assert self.workspace.finished(task).state == TaskStatus.CANCELED
        subscriber.unregister()
        assert [step.robot for step in plan.steps] == ["panda", "agv", "panda", "agv", "agv"]
        waits = [list(step.after) for step in plan.steps]
        assert waits == [[], [], [0, 1], [2], [3]], waits
        assert all(step.has_after for step in plan.steps)

    def test_a_base_that_fails_leaves_the_arm_to_finish_what_does_not_need_it(self) -> None:
        assert self.workspace.inject_fault("scan_stops", "", [1.0], 1).ok
        status = self.workspace.run("go to area 1 and stack the red box on the blue box")
        assert status.state == TaskStatus.FAILED
        self.workspace.until(lambda: self.workspace.holds("red_box", "on", "blue_box"),
                             "sight of what was done")
        end = self._events(status)[-1]
        assert end["done"] == ["pick up red box", "place red box on blue box"]
        assert end["given_up"] == ["go to area 1"]

    def test_an_emergency_stop_stops_both_robots(self) -> None:
        task = self.workspace.submit_task(DELIVERY).task_id
        self.workspace.until(lambda: self.workspace.kinds(task).count("command") >= 2,
                             "both robots' commands")
        assert self.workspace.estop().success
        status = self.workspace.finished(task)
        assert self.workspace.clear_estop().success
        assert self.workspace.resume().success
        assert status.state == TaskStatus.FAILED
        odometry = rospy.wait_for_message("/odom", Odometry, PATIENCE)
        assert abs(odometry.twist.twist.linear.x) < 0.02
        first, second = (rospy.wait_for_message(f"{NAMESPACE}/joint_states", JointState, PATIENCE)
                         for _ in range(2))
        assert max(abs(a - b) for a, b in zip(first.position, second.position)) < 0.005

    def _events(self, status: TaskStatus) -> List[Dict[str, Any]]:
        lines = (Path(status.run_folder) / "events.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if json.loads(line)["kind"] != "picture"]

    def _overlap(self, events: List[Dict[str, Any]]) -> float:
        """Wall seconds in which both robots had a command under way."""
        begun: Dict[int, float] = {}
        spans: Dict[str, List[Any]] = {"panda": [], "agv": []}
        for event in events:
            if event["kind"] == "command":
                begun[event["index"]] = event["t"]
            elif event["kind"] == "outcome":
                spans[event["robot"]].append((begun[event["index"]], event["t"]))
        return sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in spans["panda"] for b in spans["agv"])


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "lab", Lab)
