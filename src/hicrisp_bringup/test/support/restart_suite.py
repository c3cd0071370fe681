"""A stateless node that crashes under a task is started again, and the task goes on."""

from __future__ import annotations

import os
import unittest
from pathlib import Path
from typing import Set

import rospy
from harness import NAMESPACE, Workspace, kill
from hicrisp_ros.publisher import hears

from hicrisp_msgs.msg import ExecuteCommandActionResult, Outcome, TaskStatus

RUNS = Path(os.environ["ROS_HOME"]) / "runs"
TASKS = ("place the box next to the cylinder", "place the box next to the bowl")


class Restart(unittest.TestCase):
    """Nodes that crash at the worst moment: while the robot moves, so that they are needed right after."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_tasks")
        cls.workspace = Workspace()

    def _task(self) -> str:
        """A task that has something to do."""
        return TASKS[1 if self.workspace.holds("box", "next_to", "cylinder") else 0]

    def _survives(self, *nodes: str) -> None:
        self.workspace.inject_fault(kind="slow", magnitude=[1.0], count=1)  # It still moves while they crash.
        task = self.workspace.submit_task(self._task()).task_id
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

    def test_a_supervisor_that_crashed_stops_what_it_had_begun_and_goes_on_with_the_line(self) -> None:
        self.workspace.inject_fault(kind="slow", magnitude=[1000.0], count=1)
        task, waiting = (self.workspace.submit_task(self._task()).task_id for _ in range(2))
        self.workspace.moving(task)
        outcomes: Set[int] = set()
        name = f"{NAMESPACE}/robots/panda/execute/result"
        results = rospy.Subscriber(name, ExecuteCommandActionResult,
                                   lambda m: outcomes.add(m.result.outcome.status))
        self.workspace.until(lambda: hears(results), "connection with the robot")
        kill("supervisor")
        stopped = {Outcome.SAFETY, Outcome.CANCELED}  # By the driver's watch, or sooner by the next supervisor.
        self.workspace.until(lambda: outcomes & stopped, "end of the motion")
        results.unregister()
        self.workspace.connect()
        assert self.workspace.finished(task).state == TaskStatus.INTERRUPTED
        status = self.workspace.finished(waiting)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        assert "interrupted" in self.workspace.explain(task).text
        result = self.workspace.until((RUNS / task / "result.json").is_file, "result of what was cut off")
        assert result

    def test_an_emergency_stop_outlives_the_supervisor(self) -> None:
        assert self.workspace.estop().success
        kill("supervisor")
        self.workspace.connect()
        assert not self.workspace.submit_task(self._task()).accepted
        assert self.workspace.clear_estop().success
        kill("supervisor")  # Its death is no resume either.
        self.workspace.connect()
        task = self.workspace.submit_task(self._task()).task_id
        assert f"rosservice call {NAMESPACE}/resume" in self.workspace.get_task(task).status.message
        assert self.workspace.resume().success
        assert self.workspace.finished(task).state == TaskStatus.SUCCEEDED
