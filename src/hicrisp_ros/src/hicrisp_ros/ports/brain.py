"""A brain behind its node."""

from __future__ import annotations

from hicrisp_core.ports import brain
from hicrisp_core.ports.interpreter import Request, Understood
from hicrisp_core.time.deadline import Deadline

from hicrisp_msgs.msg import PlanTaskGoal
from hicrisp_ros import conversions as to
from hicrisp_ros.ports.node_client import Asking


class RosBrain(Asking):
    """A brain behind ``brain/plan``."""

    def plan(self, request: brain.PlanRequest, deadline: Deadline) -> brain.PlanAnswer:
        """Return the steps of a task from the current world.

        Args:
            request: task, goal, world and feedback of earlier plans.
            deadline: wall-clock limit of the call.

        Returns:
            A plan, an answer or a refusal, with the cost.
        """
        return self._answer(to.PLAN_REQUEST.to_msg(request), deadline)

    def correct(self, request: brain.CorrectionRequest, deadline: Deadline) -> brain.PlanAnswer:
        """Return steps to a state in which the stack's top can be tried again.

        Args:
            request: task, world and feedback stack.
            deadline: wall-clock limit of the call.

        Returns:
            A plan of corrective steps, or a refusal.
        """
        return self._answer(to.CORRECTION_REQUEST.to_msg(request), deadline)

    def _answer(self, goal: PlanTaskGoal, deadline: Deadline) -> brain.PlanAnswer:
        result, why = self._ask(goal, deadline)
        if result is None:
            return brain.PlanAnswer(refusal=f"the brain gave no answer ({why})")
        return to.PLAN_ANSWER.from_msg(result)


class RosReporter(Asking):
    """A brain behind ``brain/report``; one that is away says nothing."""

    def report(self, request: brain.ReportRequest, deadline: Deadline) -> brain.ReportAnswer:
        """Return the message with which a task ends for the user.

        Args:
            request: task, result, finished steps and failures.
            deadline: wall-clock limit of the call.

        Returns:
            The text; empty if the node cannot be reached.
        """
        result, _ = self._ask(to.REPORT_REQUEST.to_msg(request), deadline)
        return brain.ReportAnswer() if result is None else to.REPORT_ANSWER.from_msg(result)


class RosInterpreter(Asking):
    """An interpreter behind ``brain/understand``; while it is away the task stays as it is."""

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return the meaning of a request together with its conversation.

        Args:
            request: text of the user, the conversation before it, and the observed world.
            deadline: wall-clock limit of the call.

        Returns:
            The meaning; with ``trouble`` set if the node cannot be reached.
        """
        result, why = self._ask(to.REQUEST.to_msg(request), deadline)
        return Understood(trouble=f"The brain gave no answer ({why}).") if result is None \
            else to.UNDERSTOOD.from_msg(result)
