"""The supervisor's door: services and the action for tasks, the gate, and the latched state; it alone holds tasks."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any, Callable, Dict, Tuple

import rosgraph
import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.model.meaning import wants_end
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace.task_state import ENDED, State
from hicrisp_ros.action_server import Aborted, ActionServer, Goal
from hicrisp_ros.config_files import Configuration, load_configuration, own_topic, parameter
from hicrisp_ros.conversions import PLAN
from hicrisp_ros.diagnostics import ERROR, WARN, Health
from hicrisp_ros.llm_choice import chosen_llm
from hicrisp_ros.malloc_tuning import settle
from hicrisp_ros.master_watch import MasterWatch
from hicrisp_ros.node import begin, leave, told_to_end
from hicrisp_ros.ports.observer import TopicObserver
from hicrisp_ros.ports.robot import RosRobot
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.supervisor_watch import BEAT_PERIOD
from hicrisp_ros.tracks import by_camera
from hicrisp_ros.wall_clock import ClockWatch, WallTimer
from std_srvs.srv import Trigger

from hicrisp_msgs import srv
from hicrisp_msgs.msg import ExecuteTaskAction, ExecuteTaskFeedback, ExecuteTaskResult, Outcome, TaskStatus
from hicrisp_nodes.supervisor.gate import Gate
from hicrisp_nodes.supervisor.memory import AS_THE_POLICY_SAYS, read_settings
from hicrisp_nodes.supervisor.parts import NodeClients
from hicrisp_nodes.supervisor.progress import Progress
from hicrisp_nodes.supervisor.queue import TaskQueue
from hicrisp_nodes.supervisor.reports import Reports, status_to_msg
from hicrisp_nodes.supervisor.request import Request
from hicrisp_nodes.supervisor.runner import TaskRunner
from hicrisp_nodes.supervisor.state_files import EstopFile, TaskFile, state_folder

SLICE = 0.05
CLOSING = 4.5
"""Seconds that the running task gets to end when the node is told to, during which all others still serve it:
less than their ``LINGER``."""
ORPHANS = 30.0
_ENDS_WITHIN = 1.0
"""Seconds in which a driver that hears an emergency stop has ended its command."""
_HELD, _ENDING = 120.0, 3.0
"""Seconds that tasks are held at most, and that a task or a command which is about to end gets for that."""

_OUTCOMES = {
    State.SUCCEEDED: Outcome.SUCCESS,
    State.ANSWERED: Outcome.SUCCESS,
    State.CANCELED: Outcome.CANCELED,
    State.REFUSED: Outcome.INVALID,
    State.FAILED: Outcome.EXECUTION,
    State.INTERRUPTED: Outcome.LOST,
}


class Supervisor:
    """Everything that the supervisor serves, around the queue of tasks."""

    def __init__(self) -> None:
        configuration = _asking(load_configuration())
        llm, _ = chosen_llm()
        self._reports, self._clock, self._warned = Reports(llm.api_keys), ClockWatch(), False
        runs_dir = Path(str(parameter("runs_dir", "runs"))).expanduser().resolve()
        folder = state_folder(runs_dir, rosgraph.get_master_uri(), rospy.get_name())
        self._estop_file = EstopFile(folder)
        self._task_file = TaskFile(folder, str(rospy.get_param("/run_id", "")))
        self._gate = Gate(
            str(parameter("autonomy", configuration.policy.autonomy)),
            float(parameter("approval_patience", 300.0)),
            self._gate_changed, self._estop_file,
            *(f"rosservice call {rospy.resolve_name(name)}" for name in ("clear_estop", "resume")))
        self._observer = TopicObserver(still=float(parameter("still", 0.002)))
        self._robots = {
            name: RosRobot(name, tuple(configuration.domain.actions), self._gate.estop,
                           self._observer.command_ended, self._gate.pass_through)
            for name in configuration.scene.robots}
        self._clients = NodeClients()
        labels = {"scene": configuration.scene.name, "seed": configuration.scene.seed,
                  "policy": configuration.policy.name, "llm": llm.name}
        self._runner = TaskRunner(
            configuration, self._clients, self._robots, self._observer, self._gate, self._reports, runs_dir,
            labels,
            self._publish, float(parameter("picture_patience", 10.0)), bool(parameter("pictures", True)),
            read_settings(str(parameter("memory", AS_THE_POLICY_SAYS)), str(parameter("memory_file", "")),
                          runs_dir, llm),
            str(parameter("route", own_topic("/move_base/NavfnROS/plan"))), llm.api_keys,
            llm.testifies and by_camera())
        self._queue = TaskQueue(self._runner.run, self._publish, self._blocked,
                                self._task_file.keep, lambda: self._gate.waits or self._clock.waits)
        self._take_over()
        self._reports.gate(self._gate)
        self._services = self._serve()
        self._follower = SceneFollower(self._follow)
        for robot in self._robots.values():  # A command whose supervisor died must not go on.
            robot.clear(ORPHANS)
        self._heart = WallTimer(BEAT_PERIOD, lambda: self._reports.beat(self._gate), "heartbeat")
        self._queue.start()  # After both: orphans end first, and drivers refuse what comes without a heartbeat.
        self._server = ActionServer("execute_task", ExecuteTaskAction, self._execute_task,
                                    concurrent=True).start()
        self._timer = WallTimer(1.0, self._diagnose, "diagnostics")

    def close(self) -> None:
        """Cancel every task and wait until the robots stand still."""
        self._runner.close()
        if self._queue.close(CLOSING):
            self._task_file.forget()
        self._estop_file.forget()
        self._heart.shutdown(1.0)
        self._reports.end_beats()  # Nobody has to wait for this node's own end.

    def _take_over(self) -> None:
        """Go on where a supervisor that was killed has left off: its stop holds, its tasks are known."""
        before = self._task_file.recall()
        if before.problem:
            rospy.logerr("the tasks of the supervisor before this one are not known: %s", before.problem)
        left = self._queue.restore(before)
        for request in left:
            rospy.logwarn("task %s ('%s'): %s", request.id, request.text, request.progress.message)
        if self._gate.stopped:
            rospy.logwarn("nothing moves: %s", self._gate.stopped)
        Thread(target=self._runner.close_runs, args=(left,), name="cut off runs", daemon=True).start()

    def _serve(self) -> "list[rospy.Service]":
        def trigger(name: str, work: Any) -> rospy.Service:
            def answer(_: Any) -> Tuple[bool, str]:
                said = work()
                return said if isinstance(said, tuple) else (True, said)
            return rospy.Service(name, Trigger, answer)

        return [
            rospy.Service("submit_task", srv.SubmitTask, self._submit),
            rospy.Service("cancel_task", srv.CancelTask, lambda request: self._queue.cancel(request.task_id)),
            rospy.Service("get_task", srv.GetTask, lambda request: self._get(request.task_id)),
            rospy.Service("hold_tasks", srv.HoldTasks, self._hold),
            rospy.Service("explain", srv.Explain, lambda request: self._explain(request.task_id)),
            rospy.Service("approve", srv.Approve, lambda request: self._answered(
                request.task_id, lambda: self._gate.answer(request.granted))),
            rospy.Service("review_plan", srv.ReviewPlan, self._review),
            rospy.Service("answer", srv.AnswerQuestion, lambda request: self._answered(
                request.task_id, lambda: self._gate.say(request.answer))),
            rospy.Service("tell", srv.TellTask, self._tell),
            rospy.Service("set_autonomy", srv.SetAutonomy, lambda request: self._gate.set_autonomy(request.level)),
            trigger("pause", self._gate.pause),
            trigger("resume", self._gate.resume),
            trigger("estop", self._stop),
            trigger("clear_estop", self._clear),
        ]

    def _busy(self, seconds: float) -> str:
        """Return the robots that have not ended their commands within some wall seconds; empty for none."""
        wait_until(lambda: not any(robot.busy for robot in self._robots.values()), Deadline(seconds))
        return " and ".join(name for name, robot in self._robots.items() if robot.busy)

    def _stop(self) -> str:
        """Stop, and say who may move on: a driver that hangs hears nothing, and a base is stopped past it."""
        said = self._gate.stop("asked for by the service estop")
        names = self._busy(_ENDS_WITHIN)
        past = [name for name, robot in self._robots.items() if robot.busy and robot.bypass(self._gate.estop.is_set)]
        return said + (f". {names} has not ended its command and may still move; use its own emergency stop"
                       if names else "") + (
            f". The driver of {' and '.join(past)} is bypassed: the base itself is told to stop" if past else "")

    def _clear(self) -> Tuple[bool, str]:
        """End the emergency stop once every command that it ended is over."""
        names = self._busy(_ENDING)
        if names:
            return False, f"{names} has not ended its command yet; clear the stop again once it stands"
        return self._gate.clear()

    def _submit(self, request: srv.SubmitTaskRequest) -> Tuple[bool, str, str]:
        if wants_end(request.task) and self._queue.current is not None:  # It would wait for the one that is meant.
            return False, "", self._queue.cancel()[1]
        admission = self._queue.submit(request.task)
        return admission.accepted, admission.request.id if admission.request else "", admission.message

    def _hold(self, request: srv.HoldTasksRequest) -> Tuple[bool, str]:
        if not request.hold:
            self._queue.release()
            return True, "tasks begin again"
        why = self._queue.hold(_HELD, _ENDING)
        return not why, why or f"no task begins for {_HELD:g} s"

    def _follow(self, configuration: Configuration) -> None:
        """Go over to another scene of the same kind: same robots, same domain."""
        self._runner.follow(_asking(configuration))
        self._observer.world_changed()

    def _get(self, task_id: str) -> srv.GetTaskResponse:
        request = self._queue.find(task_id)
        waiting = list(self._queue.waiting)
        if request is None:
            message = f"there is no task '{task_id}'" if task_id else "no task has run yet"
            return srv.GetTaskResponse(found=False, queue=waiting, message=message)
        response = srv.GetTaskResponse(found=True, status=self._status(request), queue=waiting,
                                       message=request.progress.state.value)
        if request.plan is not None:
            response.plan = self._reports.hidden(PLAN.to_msg(request.plan, task_id=request.id))
        return response

    def _explain(self, task_id: str) -> srv.ExplainResponse:
        request = self._queue.find(task_id)
        if request is None:
            return srv.ExplainResponse(False,
                                       f"there is no task '{task_id}'" if task_id else "no task has run yet")
        if request.explain is None:
            said = f"The task '{request.text}' is {request.progress.state.value}."
            return self._reports.hidden(srv.ExplainResponse(True, said))
        return srv.ExplainResponse(True, request.explain())

    def _other(self, task_id: str) -> str:
        """Why an answer that names a task is not for the one that runs; empty where it is."""
        current = self._queue.current
        if not task_id or current is not None and current.id == task_id:
            return ""
        return f"task '{task_id}' is not the one that runs"

    def _answered(self, task_id: str, answer: Callable[[], Tuple[bool, str]]) -> Tuple[bool, str]:
        other = self._other(task_id)
        return (False, other) if other else answer()

    def _review(self, request: srv.ReviewPlanRequest) -> srv.ReviewPlanResponse:
        other = self._other(request.task_id)
        if other:
            return srv.ReviewPlanResponse(message=other)
        checked, why = self._gate.answer_plan(request.granted, request.steps, request.only_check)
        done = "every step can run" if request.only_check else "approved" if request.granted else "refused"
        return self._reports.hidden(srv.ReviewPlanResponse(
            not why, why or done, list(checked.problems), list(checked.readings), checked.warning))

    def _tell(self, request: srv.TellTaskRequest) -> Tuple[bool, str]:
        """Hand on what is said; while the task asks something, that is the answer, unless it is to end."""
        task_id, text = request.task_id, request.text
        if self._gate.asked is not None and not self._other(task_id) and not wants_end(text):
            return self._gate.say(text)
        heard = self._queue.tell(task_id, text)
        return self._queue.cancel(task_id) if wants_end(text) else heard

    def _execute_task(self, goal: Goal) -> ExecuteTaskResult:
        asked = goal.message
        admission = self._queue.submit(asked.task, asked.robot, asked.request_id, asked.dry_run)
        request = admission.request
        if request is None:
            status = Outcome.SAFETY if self._gate.stopped else Outcome.INVALID
            refused = Outcome(status=status, message=admission.message)
            result = self._reports.hidden(ExecuteTaskResult(False, "", admission.message, refused, ""))
            raise Aborted(result.message, result)
        told = Progress()
        while not request.finished.wait(SLICE):
            if goal.cancel.is_set() and not request.cancel.is_set():
                self._queue.cancel(request.id)
            if request.progress is not told:
                told = request.progress
                goal.feedback(ExecuteTaskFeedback(self._status(request)))
        progress = request.progress
        outcome = Outcome(status=_OUTCOMES.get(progress.state, Outcome.EXECUTION), message=progress.message)
        result = self._reports.hidden(ExecuteTaskResult(
            outcome.status == Outcome.SUCCESS, request.id, progress.message, outcome, progress.run_folder))
        goal.text = result.message
        if progress.state is State.CANCELED:  # By this goal, by another, or by the service.
            goal.cancel.set()
            return result
        goal.cancel.clear()  # It came too late.
        if not result.success:
            raise Aborted(result.message, result)
        return result

    def _status(self, request: Request) -> Any:
        progress, plan_waits = request.progress, False
        choices: Tuple[str, ...] = ()
        if request is self._queue.current and progress.state not in ENDED:
            asked = self._gate.asked
            if asked is not None:
                choices = tuple(each.text for each in asked.choices)
                progress = replace(progress, state=State.ASKING, message=asked.text)
            elif self._gate.question:
                plan_waits = self._gate.offered is not None
                progress = replace(progress, state=State.AWAITING_APPROVAL, message=self._gate.question)
            elif self._gate.paused:
                progress = replace(progress, state=State.PAUSED)
        elif progress.state is State.QUEUED and self._queue.waits:
            progress = replace(progress, message=f"It waits: {self._queue.waits}")
        shown = replace(request, progress=progress)
        return self._reports.hidden(status_to_msg(shown, len(self._queue.waiting), choices, plan_waits))

    def _publish(self, request: Request) -> None:
        if self._queue.current in (request, None):
            self._reports.status(self._status(request))

    def _gate_changed(self) -> None:
        self._reports.gate(self._gate)
        self._queue.look()
        if self._queue.current is not None:
            self._publish(self._queue.current)

    def _blocked(self) -> str:
        """Why no task may begin, with what to do; empty where one may."""
        return self._gate.stopped or self._clock.objection()

    def _diagnose(self) -> None:
        stands = self._clock.objection()
        if stands and not self._warned:
            rospy.logwarn("%s", stands)
        self._warned = self._warned or bool(stands)
        parts: Dict[str, bool] = {**self._clients.reachable(), "world_state": self._observer.count > 0}
        parts.update({f"robot {name}": robot.connected for name, robot in self._robots.items()})
        self._reports.diagnostics(parts, self._doing())

    def _doing(self) -> Health:
        """What becomes of the task, and what it waits for."""
        current = self._queue.current
        if current is not None:
            self._publish(current)  # Its stamp shows that the task is followed while a model thinks.
        status = self._status(current) if current is not None else None
        values = {"task": current.id if current else "none", "waiting": len(self._queue.waiting),
                  "step": status.step if status is not None else "",
                  "estop": self._gate.estop.is_set(), "paused": self._gate.paused,
                  "autonomy": self._gate.autonomy}
        blocked = self._blocked()
        if blocked:
            return Health(blocked, ERROR, values)
        if status is None:
            return Health("waits for a task", values=values)
        asks = status.state in (TaskStatus.ASKING, TaskStatus.AWAITING_APPROVAL)
        if asks or self._gate.paused:
            return Health(f"waits for a person: {status.message}" if asks else "paused", WARN, values)
        return Health(status.message or f"step {status.step_index + 1} of {status.step_count}: {status.step}",
                      values=values)


def _asking(configuration: Configuration) -> Configuration:
    """The configuration with the seconds for which this supervisor waits for an answer, where it is told."""
    seconds = float(parameter("ask_time_limit", -1.0))
    if seconds < 0.0:
        return configuration
    return replace(configuration, policy=replace(configuration.policy, ask_time_limit=seconds))


def main() -> None:
    """Run the node; on SIGINT and SIGTERM the robots are stopped before ROS goes down."""
    begin("supervisor", disable_signals=True)
    end = told_to_end()
    try:
        supervisor, master = Supervisor(), MasterWatch()
    except HicrispError as error:
        rospy.logfatal("supervisor: %s", error)
        sys.exit(2)
    settle()
    rospy.loginfo("supervisor is ready")
    while not end.wait(0.2) and not rospy.is_shutdown():
        pass
    supervisor.close()
    del master
    leave()
