"""A stateless node behind an action, asked again when it was restarted under the question."""

from __future__ import annotations

from threading import Event, Lock
from typing import Any

from hicrisp_core.model import Cause, CauseKind, Feedback, FeedbackKind, Level
from hicrisp_core.time.deadline import Deadline

from hicrisp_ros.action_client import ActionClient, CallStatus, Limits, Reply

ABANDON = 0.1
"""Time that a stateless node gets to end an abandoned goal, seconds."""
_GONE = (CallStatus.LOST, CallStatus.UNREACHABLE)


class Thinker:
    """A stateless node behind an action: a goal that was lost with its node is asked again until the
    deadline.

    It answers one question at a time, as a second goal would replace the first; a caller in the meantime
    waits.
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
            return self._ask(goal, deadline, cancel)
        finally:
            self._asking.release()

    def _ask(self, goal: Any, deadline: Deadline, cancel: Event) -> Reply:
        while True:
            goal.time_limit = deadline.remaining
            limits = Limits(server=deadline.remaining, execution=deadline.remaining, preemption=ABANDON)
            reply = self.client.call(goal, limits, cancel)
            if reply.status not in _GONE or deadline.passed or cancel.is_set():
                return reply


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
