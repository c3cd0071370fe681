"""A stateless node behind an action, asked again when it was restarted under the question; and the corrector."""

from __future__ import annotations

from threading import Event, Lock
from typing import Any, Tuple

from hicrisp_core.model import Cause, CauseKind, Correction, Feedback, FeedbackKind, Level, Rung
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.time.deadline import Deadline

from hicrisp_ros import conversions as to
from hicrisp_ros.action_client import ActionClient, CallStatus, Limits, Reply

ABANDON = 0.1
"""Time that a stateless node gets to end an abandoned goal, seconds."""
_GONE = (CallStatus.LOST, CallStatus.UNREACHABLE)


class NodeClient:
    """A stateless node behind an action: a goal that was lost with its node is asked again until the deadline.

    It answers one question at a time, as a second goal would replace the first; a caller in the meantime waits.
    """

    def __init__(self, name: str, specification: Any) -> None:
        self.name = name
        self.client = ActionClient(name, specification)
        self._asking = Lock()

    def ask(self, goal: Any, deadline: Deadline, cancel: Event) -> Reply:
        """Ask the node, and ask again if it is restarted before it answers.

        Args:
            goal: the action goal; its ``time_limit`` is set to the remaining time.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.

        Returns:
            The reply with its status.
        """
        if not self._asking.acquire(timeout=deadline.remaining):
            return Reply(CallStatus.TIMEOUT, None, f"'{self.name}' was asked something else all the time")
        try:
            while True:
                goal.time_limit = deadline.remaining
                limits = Limits(server=deadline.remaining, execution=deadline.remaining, preemption=ABANDON)
                reply = self.client.call(goal, limits, cancel)
                if reply.status not in _GONE or deadline.passed or cancel.is_set():
                    return reply
        finally:
            self._asking.release()


def lost(node: str, message: str) -> Feedback:
    """Return the feedback for a node that cannot be reached.

    Args:
        node: name of the node.
        message: why, as a clause.

    Returns:
        The feedback.
    """
    return Feedback(Level.LOW, FeedbackKind.LOST, subjects=(node,),
                    cause=Cause(CauseKind.UNREACHABLE_NODE, (node,), said=message))


class Asking:
    """What asks a stateless node.

    Args:
        node: the node.
        cancel: ends a question that is being thought about.
    """

    def __init__(self, node: NodeClient, cancel: Event) -> None:
        self._node = node
        self._cancel = cancel

    def _ask(self, goal: Any, deadline: Deadline) -> Tuple[Any, str]:
        """Return the result, or ``None`` and why there is none."""
        reply = self._node.ask(goal, deadline, self._cancel)
        return reply.result if reply.ok else None, f"{reply.status.value}: {reply.message}"


class RosCorrector(Asking):
    """A corrector behind ``corrector/correct``."""

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """Return a correction for the top of the stack, or steps to a missed goal.

        Args:
            request: the feedback stack, the world and the rungs tried so far.
            deadline: wall-clock limit of the call.

        Returns:
            The correction; ``GIVE_UP`` if the node cannot be reached.
        """
        result, why = self._ask(to.CORRECTOR_REQUEST.to_msg(request), deadline)
        if result is None:
            return CorrectorAnswer(Correction(Rung.GIVE_UP, note=f"the corrector gave no answer ({why})"))
        return to.CORRECTOR_ANSWER.from_msg(result)
