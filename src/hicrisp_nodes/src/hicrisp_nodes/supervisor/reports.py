"""What the supervisor tells the world: the executive's events as messages."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import genpy
import rospy
from diagnostic_msgs.msg import DiagnosticArray
from hicrisp_core.llm.redaction import redacted_values
from hicrisp_core.model import Plan
from hicrisp_core.model.feedback import feedback_of
from hicrisp_core.trace.events import StackChanged, UsageSoFar, UserSaid, VerdictGiven
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.read_event import event_of
from hicrisp_core.trace.task_state import State
from hicrisp_ros.conversions import FEEDBACK, PLAN
from hicrisp_ros.diagnostics import ERROR, OK, TOPIC, Health, report
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.supervisor_watch import HEARTBEAT

from hicrisp_msgs.msg import CorrectionStack, EstopState, Event, FailedCommand, Feedback, LlmUsage, TaskStatus
from hicrisp_msgs.msg import Plan as PlanMsg
from hicrisp_nodes.supervisor.gate import Gate
from hicrisp_nodes.supervisor.request import Request

_STATE_CODES = {state: getattr(TaskStatus, state.name) for state in State}


class Reports:
    """The supervisor's publishers.

    Args:
        secrets: keys that stand in no message; what looks like one is taken out, too.
    """

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = tuple(secrets)
        self._status = Publisher("task_status", TaskStatus, queue_size=20, latch=True)
        self._plan = Publisher("plan", PlanMsg, queue_size=5, latch=True)
        self._stack = Publisher("correction_stack", CorrectionStack, queue_size=20, latch=True)
        self._estop = Publisher("estop_state", EstopState, queue_size=5, latch=True)
        self._beat = Publisher(HEARTBEAT, EstopState, queue_size=1, tcp_nodelay=True)
        self._events = Publisher("events", Event, queue_size=200)
        self._feedback = Publisher("feedback", Feedback, queue_size=20)
        self._usage = Publisher("llm_usage", LlmUsage, queue_size=20)
        self._diagnostics = Publisher(TOPIC, DiagnosticArray, queue_size=5)

    def status(self, message: TaskStatus) -> None:
        """Publish where a task stands.

        Args:
            message: the ROS message.
        """
        self._status.publish(message)

    def plan(self, plan: Plan, task_id: str) -> None:
        """Publish a plan.

        Args:
            plan: the plan in its order.
            task_id: the task.
        """
        self._plan.publish(self.hidden(PLAN.to_msg(plan, task_id=task_id, stamp=rospy.Time.now())))

    def hidden(self, message: Any) -> Any:
        """Remove keys from all texts of a message.

        Args:
            message: the ROS message.

        Returns:
            The redacted message.
        """
        return without_secrets(message, *self._secrets)

    def event(self, event: Mapping[str, Any], task_id: str) -> None:
        """Publish an event, and its data on the topics of its kind.

        Args:
            event: an event as it is written.
            task_id: the task.
        """
        self._events.publish(Event(rospy.Time.now(), task_id, str(event.get("kind", "")), to_json(event)))
        told = event_of(event)
        if isinstance(told, StackChanged):
            entries = [FailedCommand(each.command, each.error, each.kind, each.label, each.attempts)
                       for each in told.entries]
            self._stack.publish(CorrectionStack(rospy.Time.now(), task_id, entries))
        elif isinstance(told, (VerdictGiven, UserSaid)) and told.feedback is not None:
            said = told.feedback
            self._feedback.publish(FEEDBACK.to_msg(feedback_of(said), error=said.error, reason=said.reason,
                                                   suggestion=said.suggestion))
        elif isinstance(told, UsageSoFar):
            self._usage.publish(LlmUsage(
                task_id, told.calls, told.prompt_tokens, told.completion_tokens, told.seconds, []))

    def gate(self, gate: Gate) -> None:
        """Publish the state of the emergency stop.

        Args:
            gate: stop, pause and questions.
        """
        self.beat(gate)
        self._estop.publish(_state_of(gate))

    def beat(self, gate: Gate) -> None:
        """Publish a heartbeat, without which the drivers stop their robots.

        Args:
            gate: stop, pause and questions.
        """
        self._beat.publish(_state_of(gate))

    def end_beats(self) -> None:
        """Close the heartbeat: the robots stand, and this node ends."""
        self._beat.unregister()

    def diagnostics(self, parts: Mapping[str, bool], doing: Health) -> None:
        """Publish which parts are reachable, and what the supervisor does or waits for.

        Args:
            parts: whether each part is reachable.
            doing: state of the task.
        """
        away = [name for name, reachable in parts.items() if not reachable]
        there = Health(f"waits for {', '.join(away)}" if away else "everything is reachable",
                       ERROR if away else OK,
                       {name: "reachable" if reachable else "away" for name, reachable in parts.items()})
        for part, health in (("parts", there), ("task", doing)):
            self._diagnostics.publish(self.hidden(report(part, health)))


def _state_of(gate: Gate) -> EstopState:
    return EstopState(rospy.Time.now(), gate.estop.is_set(), gate.paused, gate.reason, gate.autonomy)


def status_to_msg(request: Request, queued: int, choices: Sequence[str] = (),
                  plan_waits: bool = False) -> TaskStatus:
    """Convert a task's state to a message.

    Args:
        request: the task.
        queued: number of waiting tasks.
        choices: short answers to a question that waits.
        plan_waits: whether a plan waits for approval.

    Returns:
        The status.
    """
    progress = request.progress
    return TaskStatus(
        stamp=rospy.Time.now(), task_id=request.id, text=request.text, state=_STATE_CODES[progress.state],
        step_index=progress.step_index, step_count=progress.step_count, step=progress.step,
        stack_depth=progress.stack_depth, corrections=progress.corrections, message=progress.message,
        run_folder=progress.run_folder, choices=list(choices), goal=progress.goal, said=list(progress.said),
        goal_state=progress.goal_state, queued=queued, plan_waits=plan_waits)


def without_secrets(value: Any, *secrets: str) -> Any:
    """Take the given secrets, and whatever looks like one, out of every text of a message.

    Args:
        value: a message, which is changed in place, or a value of one of its fields.

    Returns:
        The value without them.
    """
    if isinstance(value, genpy.Message):
        for name in value.__slots__:
            setattr(value, name, without_secrets(getattr(value, name), *secrets))
        return value
    if isinstance(value, (list, tuple)):
        return [without_secrets(each, *secrets) for each in value]
    return redacted_values(value, *secrets) if isinstance(value, str) else value
