"""What move_base says at a goal's end, as outcomes: the texts are those of its sources (noetic)."""

from __future__ import annotations

from typing import Tuple

from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_ros.action_client import CallStatus

NO_PLAN = "Failed to find a valid plan"
NO_CONTROL = "Failed to find a valid control"
OSCILLATES = "Robot is oscillating"
INVALID_QUATERNION = "invalid quaternion"
KILLED = "the node has been killed"

_MOVE_BASE = ("move_base",)
_ABORTED: Tuple[Tuple[str, Status, str, Cause], ...] = (
    (NO_PLAN, Status.PLANNING, "unreachable: move_base found no path, even after its recoveries",
     Cause(CauseKind.NO_PATH)),
    (NO_CONTROL, Status.EXECUTION,
     "blocked: move_base found no velocity that follows the path, even after its "
                                   "recoveries", Cause(CauseKind.BLOCKED)),
    (OSCILLATES, Status.EXECUTION, "oscillating: the base moved to and fro without getting nearer",
     Cause(CauseKind.BLOCKED)),
    (INVALID_QUATERNION, Status.INVALID, "the goal's orientation is no unit quaternion",
     Cause(CauseKind.REFUSED, _MOVE_BASE)),
    (KILLED, Status.LOST, "move_base was ended while it drove",
     Cause(CauseKind.UNREACHABLE_NODE, _MOVE_BASE)),
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
    """The outcome of a goal that move_base ended.

    Args:
        text: the status text that came with the result; it is quoted where it says more.
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
    return Outcome(ended, meaning, cause=Cause(why, _MOVE_BASE if blamed else (),
                                               said=meaning if status is CallStatus.UNREACHABLE else ""))


def worth_a_retry(outcome: Outcome) -> bool:
    """Whether the same goal may work once the costmaps are clear."""
    return outcome.status in (Status.PLANNING, Status.EXECUTION)
