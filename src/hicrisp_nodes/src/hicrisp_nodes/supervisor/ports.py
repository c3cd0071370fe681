"""Brain, body, detector and corrector as the executive sees them, each behind its node."""

from __future__ import annotations

from threading import Event
from typing import Any, Callable, List, Union

from hicrisp_core.brain.ports import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.corrector.ladder import CorrectorAnswer, CorrectorRequest
from hicrisp_core.corrector.offsets import DecoderOffsets
from hicrisp_core.executive.ports import Translation
from hicrisp_core.model import Command, Correction, Feedback, Level, Outcome, Plan, Rung, Step, Verdict, WorldState
from hicrisp_core.robot.deadline import Deadline

from hicrisp_msgs.msg import (
    CorrectStepAction,
    CorrectStepGoal,
    DecoderOffset,
    PlanTaskAction,
    PlanTaskGoal,
    TranslateStepAction,
    TranslateStepGoal,
)
from hicrisp_msgs.srv import AimCommand, AimCommandRequest, CheckCommand, CheckCommandRequest
from hicrisp_nodes import conversions as to
from hicrisp_nodes.action_client import ActionClient, CallStatus, Limits, Reply
from hicrisp_nodes.service_client import ServiceClient

OnPlan = Callable[[Plan], None]
ABANDON = 0.1
"""Seconds that a stateless node gets to end a goal that nobody waits for any more."""
_GONE = (CallStatus.LOST, CallStatus.UNREACHABLE)


class Thinker:
    """A stateless node behind an action: a goal that was lost with its node is asked again until the deadline."""

    def __init__(self, name: str, specification: Any) -> None:
        self.name = name
        self.client = ActionClient(name, specification)

    def ask(self, goal: Any, deadline: Deadline, cancel: Event) -> Reply:
        """The node's reply; its goal's ``time_limit`` is what is left."""
        while True:
            goal.time_limit = deadline.remaining
            limits = Limits(server=deadline.remaining, execution=deadline.remaining, preemption=ABANDON)
            reply = self.client.call(goal, limits, cancel)
            if reply.status not in _GONE or deadline.passed or cancel.is_set():
                return reply


class RosBrain:
    """A brain behind ``brain/plan``.

    Args:
        cancel: ends a question that is being thought about.
        on_plan: gets every plan.
    """

    def __init__(self, thinker: Thinker, cancel: Event, on_plan: OnPlan) -> None:
        self._thinker = thinker
        self._cancel = cancel
        self._on_plan = on_plan

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The steps of the task, from the world as it is now."""
        answer = self._ask(PlanTaskGoal(
            task=request.task.text, task_id=request.task.id, robot=request.task.robot,
            world=to.world_to_msg(request.world),
            feedback=[to.feedback_to_msg(feedback) for feedback in request.feedback],
            done=list(request.done), remaining=[to.step_to_msg(step) for step in request.remaining]), deadline)
        if answer.plan is not None:
            self._on_plan(answer.plan)
        return answer

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The steps that lead to a state in which the stack's top can be tried again."""
        return self._ask(PlanTaskGoal(
            task=request.task.text, task_id=request.task.id, robot=request.task.robot,
            world=to.world_to_msg(request.world), stack=to.stack_to_msg(request.stack)), deadline)

    def _ask(self, goal: PlanTaskGoal, deadline: Deadline) -> PlanAnswer:
        reply = self._thinker.ask(goal, deadline, self._cancel)
        if not reply.ok or reply.result is None:
            return PlanAnswer(refusal=f"the brain gave no answer ({reply.status.value}: {reply.message})")
        result = reply.result
        return PlanAnswer(
            plan=to.plan_from_msg(result.plan) if result.ok else None,
            answer=result.answer,
            refusal=result.refusal,
            alternatives=tuple(result.alternatives),
            usage=to.usage_from_msg(result.usage),
        )


class RosBody:
    """A body behind ``body/translate`` and ``body/aim``."""

    def __init__(self, thinker: Thinker, aim: ServiceClient, cancel: Event) -> None:
        self._thinker = thinker
        self._aim = aim
        self._cancel = cancel

    def translate(self, step: Step, world: WorldState, deadline: Deadline) -> Translation:
        """The commands for a step, by name."""
        goal = TranslateStepGoal(step=to.step_to_msg(step), world=to.world_to_msg(world))
        reply = self._thinker.ask(goal, deadline, self._cancel)
        if not reply.ok or reply.result is None:
            return Translation(feedback=_lost("body", f"{reply.status.value}: {reply.message}"))
        result = reply.result
        return Translation(
            commands=tuple(to.command_from_msg(command) for command in result.commands),
            pass_reason=result.pass_reason,
            feedback=None if result.ok else to.feedback_from_msg(result.feedback),
            usage=to.usage_from_msg(result.usage),
        )

    def aim(
        self, command: Command, world: WorldState, offsets: DecoderOffsets, deadline: Deadline
    ) -> Union[Command, Feedback]:
        """The command with its target and its aim in the world as it is now."""
        request = AimCommandRequest(to.command_to_msg(command), to.world_to_msg(world), offsets_to_msg(offsets))
        reply = self._aim.call(request, deadline.remaining)
        if reply.response is None:
            return _lost("body", reply.message)
        if not reply.response.ok:
            return to.feedback_from_msg(reply.response.feedback)
        return to.command_from_msg(reply.response.command)


class RosDetector:
    """A detector behind ``detector/check``.

    Args:
        limit: seconds of wall time for a check, long enough for the node to be started again.
    """

    def __init__(self, limit: float = 15.0) -> None:
        self._client = ServiceClient("detector/check", CheckCommand)
        self._limit = limit

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Whether the command worked."""
        reply = self._client.call(CheckCommandRequest(
            to.command_to_msg(command), to.world_to_msg(before), to.world_to_msg(after), to.outcome_to_msg(outcome)
        ), self._limit)
        if reply.response is None:
            return Verdict(_lost("detector", reply.message))
        return to.verdict_from_msg(reply.response.verdict)


class RosCorrector:
    """A corrector behind ``corrector/correct``."""

    def __init__(self, thinker: Thinker, cancel: Event, on_plan: OnPlan) -> None:
        self._thinker = thinker
        self._cancel = cancel
        self._on_plan = on_plan

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """A correction for the top of the stack; a corrector that is away gives up."""
        reply = self._thinker.ask(CorrectStepGoal(
            task=request.task.text, task_id=request.task.id, robot=request.task.robot,
            stack=to.stack_to_msg(request.stack), world=to.world_to_msg(request.world), done=list(request.done),
            remaining=[to.step_to_msg(step) for step in request.remaining], seen=sorted(request.seen),
            replans_left=request.replans_left), deadline, self._cancel)
        if not reply.ok or reply.result is None:
            note = f"the corrector gave no answer ({reply.status.value}: {reply.message})"
            return CorrectorAnswer(Correction(Rung.GIVE_UP, note=note))
        correction = to.correction_from_msg(reply.result.correction)
        if correction.rung is Rung.LLM_REPLAN:
            self._on_plan(Plan(correction.steps, correction.rung.value, correction.note))
        return CorrectorAnswer(correction, reply.result.mark, to.usage_from_msg(reply.result.usage))


class Thinkers:
    """The connections to the stateless nodes; they outlive the tasks."""

    def __init__(self) -> None:
        self.brain = Thinker("brain/plan", PlanTaskAction)
        self.body = Thinker("body/translate", TranslateStepAction)
        self.corrector = Thinker("corrector/correct", CorrectStepAction)
        self.aim = ServiceClient("body/aim", AimCommand)
        self.detector = RosDetector()


def offsets_to_msg(offsets: DecoderOffsets) -> List[DecoderOffset]:
    """The decoder's estimates as messages."""
    return [DecoderOffset(key, list(state)) for key, state in offsets.as_lists().items()]


def _lost(node: str, message: str) -> Feedback:
    return Feedback(Level.LOW, "lost", f"The {node} cannot be reached.", message, f"Start the node {node} again.")
