"""A corrector behind its node."""

from __future__ import annotations

from threading import Event

from hicrisp_core.model import Correction, Rung
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_msgs.msg import CorrectStepGoal, Feedback
from hicrisp_ros import conversions as to
from hicrisp_ros.ports.thinker import Thinker


class RosCorrector:
    """A corrector behind ``corrector/correct``."""

    def __init__(self, thinker: Thinker, cancel: Event) -> None:
        self._thinker = thinker
        self._cancel = cancel

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """Return a correction for the top of the stack, or steps to a missed goal.

        Args:
            request: the feedback stack, the world and the rungs tried so far.
            deadline: wall-clock limit of the call.

        Returns:
            The correction; ``GIVE_UP`` if the node cannot be reached.
        """
        reply = self._thinker.ask(CorrectStepGoal(
            task=request.task.text, task_id=request.task.id, robot=request.task.robot,
            stack=to.stack_to_msg(request.stack), world=to.world_to_msg(request.world),
            done=[to.record_to_msg(record) for record in request.done],
            remaining=[to.step_to_msg(step) for step in request.remaining], seen=sorted(request.seen),
            replans_left=request.replans_left, made=to.facts_to_msg(request.made),
            earlier=[to.feedback_to_msg(feedback) for feedback in request.earlier],
            known=[to.way_to_msg(each) for each in request.known],
            has_goal=request.goal is not None, goal=to.goal_to_msg(request.goal),
            conversation=to.turns_to_msg(request.conversation),
            has_missed=request.missed is not None,
            missed=Feedback() if request.missed is None else to.feedback_to_msg(request.missed)),
            deadline, self._cancel)
        if not reply.ok or reply.result is None:
            note = f"the corrector gave no answer ({reply.status.value}: {reply.message})"
            return CorrectorAnswer(Correction(Rung.GIVE_UP, note=note))
        return CorrectorAnswer(to.correction_from_msg(reply.result.correction), reply.result.mark,
                               to.usage_from_msg(reply.result.usage))
