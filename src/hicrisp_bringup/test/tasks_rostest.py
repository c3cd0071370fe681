#!/usr/bin/env python3
"""Tasks over ROS: every node runs, only the physics is left out."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
import unittest.mock
from pathlib import Path
from threading import Event, Thread
from typing import Any, Callable, Dict, List

import rospy
import rostest
import rostopic
from hicrisp_ros.action_client import ActionClient, CallStatus, Limits

from hicrisp_msgs.msg import (
    CorrectionStack,
    EstopState,
    ExecuteTaskAction,
    ExecuteTaskGoal,
    Outcome,
    Plan,
    TaskStatus,
)

sys.path.insert(0, str(Path(__file__).parent / "support"))
from harness import NAMESPACE, Workspace  # noqa: E402
from restart_suite import Restart  # noqa: E402, F401  One launch serves both suites.
from waiting import PATIENCE  # noqa: E402

NEXT_TO = "place the box next to the cylinder"
AWAY = "place the box next to the bowl"
KEY = "sk-canary-8e1c55d07f"


class Tasks(unittest.TestCase):
    """What a user does with tasks."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_tasks")
        cls.workspace = Workspace()

    def test_a_task_is_carried_out_and_leaves_its_run_folder(self) -> None:
        self._undo()
        status = self.workspace.run(NEXT_TO)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("box", "next_to", "cylinder"),
                             "sight of what was done")
        folder = Path(status.run_folder)
        result = json.loads((folder / "result.json").read_text())
        assert result["success"]
        kinds = [json.loads(line)["kind"] for line in (folder / "events.jsonl").read_text().splitlines()]
        assert (kinds[0], kinds[-1]) == ("task_received", "task_finished")

    def test_two_tasks_at_once_run_one_after_the_other(self) -> None:
        self._undo()
        first, second = (self.workspace.submit_task(task) for task in (NEXT_TO, AWAY))
        assert "waits behind" in second.message
        assert self.workspace.finished(first.task_id).state == TaskStatus.SUCCEEDED
        assert self.workspace.finished(second.task_id).state == TaskStatus.SUCCEEDED
        ids = [event.task_id for event in self.workspace.events
               if event.task_id in (first.task_id, second.task_id)]
        assert ids == sorted(ids)

    def test_a_cancel_stops_the_motion_and_ends_the_task(self) -> None:
        self._undo()
        self.workspace.slow_down(self)
        task = self.workspace.submit_task(NEXT_TO).task_id
        self.workspace.moving(task)
        assert self.workspace.cancel_task(task).ok
        assert self.workspace.finished(task).state == TaskStatus.CANCELED
        assert not self.workspace.cancel_task(task).ok

    def test_what_is_no_task_is_refused_and_nothing_moves(self) -> None:
        for text, word in (("", "empty"), ("  \n", "empty"), ("x" * 100_000, "characters"),
                           ("a\x07b", "U+0007"),
                           ("12 34", "word")):
            answer = self.workspace.submit_task(text)
            assert not answer.accepted
            assert word in answer.message

    def test_an_unknown_object_is_refused_with_what_there_is_and_nothing_moves(self) -> None:
        task = self.workspace.submit_task("place the teapot next to the cylinder").task_id
        status = self.workspace.finished(task)
        assert status.state == TaskStatus.REFUSED
        assert "teapot" in status.message
        assert "command" not in self.workspace.kinds(task)

    def test_a_task_with_two_readings_is_asked_back_and_goes_on_with_the_answer(self) -> None:
        task = self._asked("put the object in the bowl")
        assert list(self.workspace.get_task(task).status.choices) == ["box", "cylinder", "red box"]
        assert not self.workspace.answer("another task", "3").ok
        assert self.workspace.answer(task, "3").ok
        status = self.workspace.finished(task)
        assert (status.state, status.goal_state) == (TaskStatus.SUCCEEDED, "seen"), status.message
        assert list(self.workspace.get_task(task).plan.goal.stages) == ["in(red_box,bowl)"]
        assert status.goal == "the red box ends up in the bowl"
        self.workspace.run("put the red box on the table")

    def test_what_is_said_on_the_command_line_stops_a_motion_and_changes_the_task(self) -> None:
        self.workspace.slow_down(self)
        task = self.workspace.submit_task("put the box in the bowl").task_id
        self.workspace.moving(task)
        told = self._hicrisp("tell", task, "not that one, the red one")
        assert told.returncode == 0, told.stdout
        assert "I understand: the red box ends up in the bowl" in told.stdout
        status = self.workspace.finished(task)
        assert (status.state, status.goal_state) == (TaskStatus.SUCCEEDED, "seen"), status.message
        assert status.corrections == 0
        assert list(self.workspace.get_task(task).plan.goal.stages)[0].startswith("in(red_box,bowl)")
        assert "the user said" in self.workspace.explain(task).text
        self.workspace.run("put the red box on the table")

    def test_stop_is_a_word_that_ends_a_task(self) -> None:
        self._undo()
        self.workspace.slow_down(self)
        task = self.workspace.submit_task(NEXT_TO).task_id
        self.workspace.moving(task)
        assert self.workspace.tell("", "Stop!").ok
        assert self.workspace.finished(task).state == TaskStatus.CANCELED

    def _hicrisp(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run the command line."""
        return subprocess.run(["rosrun", "hicrisp_nodes", "hicrisp", *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)

    def test_a_task_that_asks_can_be_canceled(self) -> None:
        task = self._asked("put the object in the bowl")
        assert self.workspace.cancel_task(task).ok
        assert self.workspace.finished(task).state == TaskStatus.CANCELED
        assert not self.workspace.answer("", "1").ok

    def _asked(self, text: str) -> str:
        """A task that has come to its question."""
        task: str = self.workspace.submit_task(text).task_id
        asking = self.workspace.comes_to(task, TaskStatus.ASKING)
        assert list(asking.choices) == ["box", "cylinder", "red box"]
        return task

    def test_a_question_is_answered_and_nothing_moves(self) -> None:
        task = self.workspace.submit_task("What is on the table?").task_id
        status = self.workspace.finished(task)
        assert status.state == TaskStatus.ANSWERED
        assert "cylinder" in status.message
        assert "command" not in self.workspace.kinds(task)

    def test_an_unknown_task_is_said_to_be_unknown(self) -> None:
        assert not self.workspace.get_task("nothing").found
        assert not self.workspace.cancel_task("nothing").ok
        assert not self.workspace.explain("nothing").ok

    def test_a_grasp_that_missed_is_corrected_inside_the_step(self) -> None:
        self._undo()
        assert self.workspace.inject_fault(kind="miss", count=1).ok
        task = self.workspace.submit_task(NEXT_TO).task_id
        status = self.workspace.finished(task)
        assert status.state == TaskStatus.SUCCEEDED, status.message
        assert status.corrections > 0
        assert "stack" in self.workspace.kinds(task)
        assert self.workspace.explain(task).text

    def test_an_emergency_stop_ends_the_motion_and_only_resume_begins_another(self) -> None:
        self._undo()
        self.workspace.slow_down(self)
        task = self.workspace.submit_task(NEXT_TO).task_id
        self.workspace.moving(task)
        waiting = self.workspace.submit_task(NEXT_TO).task_id
        for _ in range(2):  # Whoever presses it once more never clears it.
            assert self.workspace.estop().success
        stopped = self.workspace.finished(task)
        assert stopped.state == TaskStatus.FAILED
        assert stopped.message.startswith("Stopped by you")
        assert rospy.wait_for_message(f"{NAMESPACE}/estop_state", EstopState, PATIENCE).active
        for said in (self.workspace.submit_task(NEXT_TO), self.workspace.resume(),
                     self.workspace.get_task(waiting).status):
            assert f"rosservice call {NAMESPACE}/clear_estop" in said.message
        assert self.workspace.get_task(waiting).status.state == TaskStatus.QUEUED
        for _ in range(2):
            assert self.workspace.clear_estop().success
            self._nothing_begins(waiting)
            assert self.workspace.estop().success
            assert not self.workspace.resume().success
        assert self.workspace.clear_estop().success
        later = self.workspace.submit_task(AWAY)
        assert later.accepted, later.message
        self._nothing_begins(later.task_id)
        assert self.workspace.resume().success
        for task in (waiting, later.task_id):
            assert self.workspace.finished(task).state == TaskStatus.SUCCEEDED

    def _nothing_begins(self, waiting: str) -> None:
        """After a stop was cleared the world is seen going on, and a task in line does not begin."""
        shown = self.workspace.states
        self.workspace.until(lambda: self.workspace.states > shown + 10, "ten more states of the world")
        status = self.workspace.get_task(waiting).status
        assert status.state == TaskStatus.QUEUED
        assert f"rosservice call {NAMESPACE}/resume" in status.message
        assert self.workspace.kinds(waiting) == []
        gate = rospy.wait_for_message(f"{NAMESPACE}/estop_state", EstopState, PATIENCE)
        assert (gate.active, gate.paused) == (False, True)

    def test_the_command_line_stops_clears_and_goes_on(self) -> None:
        self._undo()
        assert self._hicrisp("autonomy", "supervised").returncode == 0
        self.workspace.slow_down(self)
        task = self.workspace.submit_task(NEXT_TO).task_id
        self.workspace.moving(task)
        assert self._hicrisp("estop").returncode == 0
        stopped = self.workspace.finished(task)
        result = json.loads((Path(stopped.run_folder) / "result.json").read_text())
        assert (result["verdict"], result["message"]) == ("stopped", "Stopped by you with the emergency stop")
        assert "stopped by you" in self._hicrisp("tasks", "--most", "1").stdout
        assert self._hicrisp("resume").returncode == 1
        assert "until you resume" in self._hicrisp("clear").stdout
        waiting = self.workspace.submit_task(NEXT_TO).task_id
        self._nothing_begins(waiting)
        assert self._hicrisp("resume").returncode == 0
        assert self.workspace.finished(waiting).state == TaskStatus.SUCCEEDED
        assert self._hicrisp("pause").returncode == 0
        self.workspace.resume()

    def test_the_command_line_finds_the_supervisor_in_the_namespace_of_ros(self) -> None:
        for within, found in ((NAMESPACE, True), ("/elsewhere", False)):
            with unittest.mock.patch.dict("os.environ", {"ROS_NAMESPACE": within}):
                told = self._hicrisp("tasks")
            assert (told.returncode == 0) is found, told.stdout
            assert found or "/elsewhere/hicrisp/submit_task or /elsewhere/submit_task" in told.stdout

    def test_a_pause_holds_the_next_command_back(self) -> None:
        self._undo()
        self.workspace.pause()
        task = self.workspace.submit_task(NEXT_TO).task_id
        self.workspace.until(lambda: "step_started" in self.workspace.kinds(task), "step")
        shown = self.workspace.states
        self.workspace.until(lambda: self.workspace.states > shown + 10, "ten more states of the world")
        assert "command" not in self.workspace.kinds(task)
        assert self.workspace.get_task(task).status.state == TaskStatus.PAUSED
        self.workspace.resume()
        assert self.workspace.finished(task).state == TaskStatus.SUCCEEDED

    def test_the_action_gives_feedback_and_answers_a_repeated_request_with_the_same_task(self) -> None:
        self._undo()
        client = ActionClient(f"{NAMESPACE}/execute_task", ExecuteTaskAction)
        seen = []
        goal = ExecuteTaskGoal(task=NEXT_TO, request_id="the same")
        first = client.call(goal, Limits(), on_feedback=lambda feedback: seen.append(feedback.status.state))
        assert first.status is CallStatus.SUCCEEDED
        assert first.result.success, first.result.message
        assert seen
        assert client.call(goal, Limits()).result.task_id == first.result.task_id

    def test_the_action_of_a_task_that_is_refused_is_aborted_with_the_text(self) -> None:
        client = ActionClient(f"{NAMESPACE}/execute_task", ExecuteTaskAction)
        for text, word in (("place the teapot next to the cylinder", "teapot"), ("", "empty")):
            reply = client.call(ExecuteTaskGoal(task=text), Limits())
            assert reply.status is CallStatus.ABORTED
            assert word in reply.message
            assert (reply.result.success, word in reply.result.message) == (False, True)

    def test_the_action_of_a_canceled_task_is_preempted_whoever_canceled_it(self) -> None:
        client = ActionClient(f"{NAMESPACE}/execute_task", ExecuteTaskAction)
        cancel = Event()
        for end in (lambda: self.workspace.cancel_task(""), cancel.set):
            self._undo()
            self.workspace.slow_down(self)
            after = Thread(target=self._in_motion, args=(end,))
            after.start()
            reply = client.call(ExecuteTaskGoal(task=NEXT_TO), Limits(execution=PATIENCE), cancel)
            after.join()
            assert reply.status is CallStatus.PREEMPTED
            assert reply.message.startswith("the task was canceled")
            assert (reply.result.success, reply.result.outcome.status) == (False, Outcome.CANCELED)

    def test_a_key_that_somebody_pasted_into_a_task_leaves_on_no_topic(self) -> None:
        names = ("task_status", "events", "plan", "feedback", "correction_stack", "execute_task/status",
                 "execute_task/feedback", "execute_task/result", "/diagnostics", "/rosout")
        topics = [name if name.startswith("/") else f"{NAMESPACE}/{name}" for name in names]
        heard: Dict[str, List[str]] = {name: [] for name in topics}
        listeners = [rospy.Subscriber(name, rostopic.get_topic_class(name, blocking=True)[0],
                                      lambda message, name=name: heard[name].append(str(message))) for name in topics]
        self.workspace.until(lambda: all(each.get_num_connections() for each in listeners), "connections")
        client = ActionClient(f"{NAMESPACE}/execute_task", ExecuteTaskAction)
        reply = client.call(ExecuteTaskGoal(task=f"place the {KEY} next to the cylinder"), Limits())
        assert "[redacted]" in reply.message
        self.workspace.until(lambda: any("task_finished" in said for said in heard[topics[1]]), "its end")
        assert not [name for name, said in heard.items() if any(KEY in each for each in said)]
        for told in (self.workspace.get_task(reply.result.task_id), self.workspace.explain(reply.result.task_id)):
            assert KEY not in str(told)
        for listener in listeners:
            listener.unregister()

    def test_a_dry_run_plans_and_moves_nothing(self) -> None:
        self._undo()
        client = ActionClient(f"{NAMESPACE}/execute_task", ExecuteTaskAction)
        reply = client.call(ExecuteTaskGoal(task=NEXT_TO, dry_run=True), Limits())
        assert reply.result.success, reply.result.message
        assert "command" not in self.workspace.kinds(reply.result.task_id)

    def test_autonomy_takes_only_the_levels_that_there_are(self) -> None:
        assert not self.workspace.set_autonomy("reckless").ok
        assert self.workspace.set_autonomy("supervised").ok
        assert not self.workspace.approve("", True).ok

    def test_the_state_is_latched_for_those_who_come_late(self) -> None:
        self._undo()
        self.workspace.inject_fault(kind="miss", count=1)
        self.workspace.run(NEXT_TO)
        for topic, type_ in (("plan", Plan), ("task_status", TaskStatus),
                             ("correction_stack", CorrectionStack)):
            rospy.wait_for_message(f"{NAMESPACE}/{topic}", type_, PATIENCE)

    def _in_motion(self, deed: Callable[[], Any]) -> None:
        """Do something as soon as a task has sent a command."""
        self.workspace.until(lambda: self.workspace.events[-1].kind == "command", "motion")
        deed()

    def _undo(self) -> None:
        """Bring the box away from the cylinder, so that the task has something to do."""
        if self.workspace.holds("box", "next_to", "cylinder"):
            status = self.workspace.run(AWAY)
            assert status.state == TaskStatus.SUCCEEDED, status.message


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "tasks", __name__)
