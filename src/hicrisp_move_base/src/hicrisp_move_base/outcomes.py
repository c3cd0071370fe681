"""What move_base says of the end of a goal, as outcomes with causes."""

from __future__ import annotations

from typing import Tuple

from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_ros.action_client import CallStatus

MOVE_BASE = ("move_base",)
_ABORTED: Tuple[Tuple[str, Status, str, Cause], ...] = (
    ("Failed to find a valid plan", Status.PLANNING, "unreachable: move_base found no path, even after its recoveries",
     Cause(CauseKind.NO_PATH)),
    ("Failed to find a valid control", Status.EXECUTION,
     "blocked: move_base found no velocity that follows the path, even after its recoveries", Cause(CauseKind.BLOCKED)),
    ("Robot is oscillating", Status.EXECUTION, "oscillating: the base moved to and fro without getting nearer",
     Cause(CauseKind.BLOCKED)),
    ("invalid quaternion", Status.INVALID, "the goal's orientation is no unit quaternion",
     Cause(CauseKind.REFUSED, MOVE_BASE)),
    ("the node has been killed", Status.LOST, "move_base was ended while it drove",
     Cause(CauseKind.UNREACHABLE_NODE, MOVE_BASE)),
)
_OTHERS = {
    CallStatus.REJECTED: (Status.INVALID, "move_base did not take the goal", CauseKind.REFUSED),
    CallStatus.UNREACHABLE: (Status.LOST, "no move_base took the goal", CauseKind.UNREACHABLE_NODE),
    CallStatus.LOST: (Status.LOST, "move_base went away with the goal", CauseKind.UNREACHABLE_NODE),
    CallStatus.STUCK: (Status.LOST, "move_base did not end the goal when it was told to",
                       CauseKind.UNREACHABLE_NODE),
    CallStatus.TIMEOUT: (Status.TIMEOUT, "the time limit passed; the base was stopped on its way",
                         CauseKind.OUT_OF_TIME),
    CallStatus.PREEMPTED: (Status.CANCELED, "the drive was canceled", CauseKind.CANCELED),
}


def explain(status: CallStatus, text: str) -> Outcome:
    """Return the outcome of a goal that move_base ended.

    Args:
        status: how the call of its action ended.
        text: the status text that came with the result; it is quoted if it says more.

    Returns:
        The outcome with its cause.
    """
    if status is CallStatus.SUCCEEDED:
        return Outcome(Status.SUCCESS)
    if status is CallStatus.ABORTED:
        for words, kind, meaning, cause in _ABORTED:
            if words in text:
                return Outcome(kind, meaning, cause=cause)
        return Outcome(Status.EXECUTION, "move_base gave up" + (f": '{text}'" if text else ""),
                       cause=Cause(CauseKind.UNKNOWN, said=text))
    ended, meaning, why = _OTHERS[status]
    if status is CallStatus.UNREACHABLE:
        meaning += f": {text}"
    blamed = why in (CauseKind.REFUSED, CauseKind.UNREACHABLE_NODE)
    return Outcome(ended, meaning, cause=Cause(why, MOVE_BASE if blamed else (),
                                               said=meaning if status is CallStatus.UNREACHABLE else ""))
