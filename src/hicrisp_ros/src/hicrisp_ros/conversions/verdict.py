"""Outcomes, feedback and verdicts."""

from __future__ import annotations

from typing import Optional

from hicrisp_core.model import Cause, CauseKind, Feedback, Level, Outcome, Status, Verdict

from hicrisp_msgs.msg import Cause as CauseMsg
from hicrisp_msgs.msg import Feedback as FeedbackMsg
from hicrisp_msgs.msg import Outcome as OutcomeMsg
from hicrisp_msgs.msg import Verdict as VerdictMsg
from hicrisp_ros.conversions.geometry import vector_from_msg, vector_to_msg

_STATUS_CODES = {status: getattr(OutcomeMsg, status.name) for status in Status}
_STATUSES = {code: status for status, code in _STATUS_CODES.items()}
_LEVEL_CODES = {level: getattr(FeedbackMsg, level.name) for level in Level}
_CAUSES = frozenset(kind.value for kind in CauseKind)
_LEVELS = {code: level for level, code in _LEVEL_CODES.items()}


def cause_to_msg(cause: Optional[Cause]) -> CauseMsg:
    """A cause as a message; an empty kind where it is not known."""
    if cause is None:
        return CauseMsg()
    return CauseMsg(kind=cause.kind.value, names=list(cause.names), has_seconds=cause.seconds is not None,
                    seconds=cause.seconds or 0.0, said=cause.said)


def cause_from_msg(message: CauseMsg) -> Optional[Cause]:
    """The cause of a message; a kind that nobody defined counts as UNKNOWN."""
    if not message.kind:
        return None
    kind = CauseKind(message.kind) if message.kind in _CAUSES else CauseKind.UNKNOWN
    return Cause(kind, tuple(message.names), message.seconds if message.has_seconds else None, message.said)


def outcome_to_msg(outcome: Outcome) -> OutcomeMsg:
    """An outcome as a message."""
    return OutcomeMsg(status=_STATUS_CODES[outcome.status], message=outcome.message, blockers=list(outcome.blockers),
                      cause=cause_to_msg(outcome.cause))


def outcome_from_msg(message: OutcomeMsg) -> Outcome:
    """The outcome of a message; a status that nobody defined counts as INVALID, never as a success."""
    status = _STATUSES.get(message.status)
    if status is None:
        return Outcome(Status.INVALID, f"the driver answered the unknown status {message.status}: {message.message}")
    return Outcome(status, message.message, tuple(message.blockers), cause_from_msg(message.cause))


def feedback_to_msg(feedback: Feedback) -> FeedbackMsg:
    """Feedback as a message."""
    return FeedbackMsg(
        level=_LEVEL_CODES[feedback.level],
        kind=feedback.kind,
        error=feedback.error,
        reason=feedback.reason,
        suggestion=feedback.suggestion,
        has_deviation=feedback.deviation is not None,
        deviation=vector_to_msg(feedback.deviation),
        alternatives=list(feedback.alternatives),
        blockers=list(feedback.blockers),
        cause=cause_to_msg(feedback.cause),
    )


def feedback_from_msg(message: FeedbackMsg) -> Feedback:
    """The feedback of a message; a level that nobody defined counts as HIGH."""
    return Feedback(
        level=_LEVELS.get(message.level, Level.HIGH),
        kind=message.kind,
        error=message.error,
        reason=message.reason,
        suggestion=message.suggestion,
        deviation=vector_from_msg(message.deviation, message.has_deviation),
        alternatives=tuple(message.alternatives),
        blockers=tuple(message.blockers),
        cause=cause_from_msg(message.cause),
    )


def verdict_to_msg(verdict: Verdict) -> VerdictMsg:
    """A verdict as a message."""
    return VerdictMsg(
        ok=verdict.ok,
        feedback=FeedbackMsg() if verdict.feedback is None else feedback_to_msg(verdict.feedback),
        has_deviation=verdict.deviation is not None,
        deviation=vector_to_msg(verdict.deviation),
        note=verdict.note,
    )


def verdict_from_msg(message: VerdictMsg) -> Verdict:
    """The verdict of a message."""
    return Verdict(
        feedback=None if message.ok else feedback_from_msg(message.feedback),
        deviation=vector_from_msg(message.deviation, message.has_deviation),
        note=message.note,
    )
