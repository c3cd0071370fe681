"""Feedback as the records that events hold, and back."""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

from hicrisp_core.model.cause import Cause, CauseKind
from hicrisp_core.model.feedback import Feedback, Level, Measured, Unmet
from hicrisp_core.model.feedback_kind import FeedbackKind
from hicrisp_core.model.geometry import Vector
from hicrisp_core.model.goal_text import statements_of
from hicrisp_core.model.task import Command, Step, Value
from hicrisp_core.model.world import Relation
from hicrisp_core.trace.records import CauseRecord, CommandRecord, FeedbackRecord, MeasuredRecord, UnmetRecord

_LEVELS = {level.value: level for level in Level}
_KINDS = {kind.value: kind for kind in FeedbackKind}
_CAUSES = {kind.value: kind for kind in CauseKind}


def feedback_record(feedback: Feedback, error: str = "", reason: str = "",
                    suggestion: str = "") -> FeedbackRecord:
    """Feedback with its sentences; poses and constraints of its command are left out, and numbers are
    texts.
    """
    command, step = feedback.command, feedback.step
    return FeedbackRecord(
        feedback.level.value, feedback.kind.value, error, reason, suggestion, feedback.alternatives,
        feedback.blockers, feedback.deviation, feedback.label,
        None if command is None else CommandRecord(command.action, said(command.arguments), command.robot),
        None if step is None else CommandRecord(step.action, said(step.arguments), step.robot, step.text),
        feedback.parameter, feedback.subjects,
        tuple(MeasuredRecord(each.name, each.value, each.unit, each.of) for each in feedback.measured),
        tuple(UnmetRecord(tuple(map(tuple, each.facts)), each.negated, each.precondition, dict(each.names))
              for each in feedback.unmet),
        tuple(map(tuple, feedback.seen)), cause_record(feedback.cause), feedback.advice,
        tuple(map(str, feedback.conditions)))


def cause_record(cause: Optional[Cause]) -> Optional[CauseRecord]:
    """A cause as a record."""
    return None if cause is None else CauseRecord(
        cause.kind.value, cause.names, cause.seconds, cause.said, cause.metres)


def said(arguments: Mapping[str, Value]) -> Mapping[str, str]:
    """Arguments as texts."""
    return {name: str(value) for name, value in arguments.items()}


def feedback_of(record: FeedbackRecord) -> Feedback:
    """The feedback of a record; an unknown level counts as HIGH, an unknown kind as REFUSED."""
    command, step, cause = record.command, record.step, record.cause
    return Feedback(
        _LEVELS.get(record.level, Level.HIGH), _KINDS.get(record.kind, FeedbackKind.REFUSED),
        None if command is None else Command(command.action, command.arguments, command.robot),
        None if step is None else Step(step.text, step.action, step.arguments, step.robot),
        record.parameter, record.label, record.subjects, record.blockers,
        tuple(Measured(each.name, each.value, each.unit, each.of) for each in record.measured),
        _vector(record.deviation), record.alternatives,
        tuple(Unmet(tuple(map(_fact, each.facts)), each.negated, each.precondition, tuple(each.names.items()))
              for each in record.unmet),
        tuple(map(_fact, record.seen)),
        None if cause is None
        else Cause(_CAUSES.get(cause.kind, CauseKind.UNKNOWN), cause.names, cause.seconds, cause.said,
                   cause.metres),
        record.advice, statements_of(record.conditions))


def _fact(parts: Tuple[str, ...]) -> Relation:
    return Relation(*(*parts, "", "", "")[:3])


def _vector(values: Optional[Tuple[float, ...]]) -> Optional[Vector]:
    return None if values is None or len(values) != 3 else (values[0], values[1], values[2])
