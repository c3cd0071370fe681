"""Outcomes, feedback and verdicts."""

from __future__ import annotations

import math
from typing import Optional

from hicrisp_core.domain.wording import Words
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Feedback,
    FeedbackKind,
    Level,
    Measured,
    Outcome,
    Relation,
    Status,
    Unmet,
    Verdict,
)
from hicrisp_core.model.goal_text import statements_of

from hicrisp_msgs.msg import Cause as CauseMsg
from hicrisp_msgs.msg import Command as CommandMsg
from hicrisp_msgs.msg import Feedback as FeedbackMsg
from hicrisp_msgs.msg import KeyValue
from hicrisp_msgs.msg import Measured as MeasuredMsg
from hicrisp_msgs.msg import Outcome as OutcomeMsg
from hicrisp_msgs.msg import Relation as RelationMsg
from hicrisp_msgs.msg import Step as StepMsg
from hicrisp_msgs.msg import Unmet as UnmetMsg
from hicrisp_msgs.msg import Verdict as VerdictMsg
from hicrisp_ros.conversions.geometry import vector_from_msg, vector_to_msg
from hicrisp_ros.conversions.task import command_from_msg, command_to_msg, step_from_msg, step_to_msg

_STATUS_CODES = {status: getattr(OutcomeMsg, status.name) for status in Status}
_STATUSES = {code: status for status, code in _STATUS_CODES.items()}
_LEVEL_CODES = {level: getattr(FeedbackMsg, level.name) for level in Level}
_CAUSES = frozenset(kind.value for kind in CauseKind)
_KINDS = {kind.value: kind for kind in FeedbackKind}
_LEVELS = {code: level for level, code in _LEVEL_CODES.items()}


def cause_to_msg(cause: Optional[Cause]) -> CauseMsg:
    """Convert a cause to a message.

    Args:
        cause: the cause; may be unknown.

    Returns:
        The message; its kind is empty for an unknown cause.
    """
    if cause is None:
        return CauseMsg()
    return CauseMsg(kind=cause.kind.value, names=list(cause.names), has_seconds=cause.seconds is not None,
                    seconds=cause.seconds or 0.0, said=cause.said, has_metres=cause.metres is not None,
                    metres=cause.metres or 0.0)


def cause_from_msg(message: CauseMsg) -> Optional[Cause]:
    """Convert a cause from a message.

    Args:
        message: the ROS message.

    Returns:
        The cause; an undefined kind becomes UNKNOWN, an empty one ``None``.
    """
    if not message.kind:
        return None
    kind = CauseKind(message.kind) if message.kind in _CAUSES else CauseKind.UNKNOWN
    return Cause(kind, tuple(message.names), message.seconds if message.has_seconds else None, message.said,
                 message.metres if message.has_metres else None)


def outcome_to_msg(outcome: Outcome) -> OutcomeMsg:
    """Convert an outcome to a message.

    Args:
        outcome: status, message and cause.

    Returns:
        The message.
    """
    return OutcomeMsg(status=_STATUS_CODES[outcome.status], message=outcome.message,
                      blockers=list(outcome.blockers),
                      cause=cause_to_msg(outcome.cause), missed=list(outcome.missed or ()), alike=outcome.alike)


def outcome_from_msg(message: OutcomeMsg) -> Outcome:
    """Convert an outcome from a message.

    Args:
        message: the ROS message.

    Returns:
        The outcome; an undefined status becomes INVALID, never a success.
    """
    status = _STATUSES.get(message.status)
    if status is None:
        return Outcome.because(
            CauseKind.UNKNOWN, Status.INVALID,
            f"the driver answered the unknown status {message.status}: {message.message}")
    missed = (message.missed[0], message.missed[1]) \
        if len(message.missed) == 2 and all(map(math.isfinite, message.missed)) else None
    return Outcome(status, message.message, tuple(message.blockers), cause_from_msg(message.cause), missed,
                   message.alike)


def feedback_to_msg(feedback: Feedback, words: Optional[Words] = None) -> FeedbackMsg:
    """Convert feedback to a message.

    Args:
        feedback: what failed, and why.
        words: sentences for people, sent along with the data.

    Returns:
        The message.
    """
    command, step, words = feedback.command, feedback.step, words or Words()
    return FeedbackMsg(
        level=_LEVEL_CODES[feedback.level],
        kind=feedback.kind.value,
        label=feedback.label,
        has_command=command is not None,
        command=CommandMsg() if command is None else command_to_msg(command),
        has_step=step is not None,
        step=StepMsg() if step is None else step_to_msg(step),
        parameter=feedback.parameter,
        subjects=list(feedback.subjects),
        blockers=list(feedback.blockers),
        measured=[MeasuredMsg(each.name, each.value, each.unit, each.of) for each in feedback.measured],
        has_deviation=feedback.deviation is not None,
        deviation=vector_to_msg(feedback.deviation),
        alternatives=list(feedback.alternatives),
        unmet=[_unmet_to_msg(each) for each in feedback.unmet],
        seen=[RelationMsg(*fact) for fact in feedback.seen],
        cause=cause_to_msg(feedback.cause),
        advice=feedback.advice,
        conditions=list(map(str, feedback.conditions)),
        error=words.error,
        reason=words.reason,
        suggestion=words.suggestion,
    )


def feedback_from_msg(message: FeedbackMsg) -> Feedback:
    """Convert feedback from a message.

    Args:
        message: the ROS message.

    Returns:
        The feedback; an undefined level becomes HIGH, an undefined kind REFUSED.
    """
    return Feedback(
        level=_LEVELS.get(message.level, Level.HIGH),
        kind=_KINDS.get(message.kind, FeedbackKind.REFUSED),
        command=command_from_msg(message.command) if message.has_command else None,
        step=step_from_msg(message.step) if message.has_step else None,
        parameter=message.parameter,
        label=message.label,
        subjects=tuple(message.subjects),
        blockers=tuple(message.blockers),
        measured=tuple(Measured(each.name, each.value, each.unit, each.of) for each in message.measured),
        deviation=vector_from_msg(message.deviation, message.has_deviation),
        alternatives=tuple(message.alternatives),
        unmet=tuple(_unmet_from_msg(each) for each in message.unmet),
        seen=tuple(_fact(fact) for fact in message.seen),
        cause=cause_from_msg(message.cause),
        advice=message.advice,
        conditions=statements_of(message.conditions),
    )


def _unmet_to_msg(unmet: Unmet) -> UnmetMsg:
    facts = [RelationMsg(*fact) for fact in unmet.facts]
    return UnmetMsg(facts, unmet.negated, unmet.precondition, [KeyValue(*pair) for pair in unmet.names])


def _unmet_from_msg(message: UnmetMsg) -> Unmet:
    names = tuple((pair.key, pair.value) for pair in message.names)
    return Unmet(tuple(_fact(fact) for fact in message.facts), message.negated, message.precondition, names)


def _fact(message: RelationMsg) -> Relation:
    return Relation(message.subject, message.predicate, message.object)


def verdict_to_msg(verdict: Verdict) -> VerdictMsg:
    """Convert a verdict to a message.

    Args:
        verdict: the detector's judgement of a command.

    Returns:
        The message.
    """
    return VerdictMsg(
        ok=verdict.ok,
        feedback=FeedbackMsg() if verdict.feedback is None else feedback_to_msg(verdict.feedback),
        has_deviation=verdict.deviation is not None,
        deviation=vector_to_msg(verdict.deviation),
        note=verdict.note,
    )


def verdict_from_msg(message: VerdictMsg) -> Verdict:
    """Convert a verdict from a message.

    Args:
        message: the ROS message.

    Returns:
        The verdict.
    """
    return Verdict(
        feedback=None if message.ok else feedback_from_msg(message.feedback),
        deviation=vector_from_msg(message.deviation, message.has_deviation),
        note=message.note,
    )
