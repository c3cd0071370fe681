"""Why a command failed, as data. The sentences are made from it at the edge, in
``hicrisp_core.domain.wording``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Mapping, Optional, Tuple

from hicrisp_core.model.cause import Cause, CauseKind
from hicrisp_core.model.geometry import Vector
from hicrisp_core.model.goal import Statement
from hicrisp_core.model.goal_text import statements_of
from hicrisp_core.model.task import Command, Step, Value
from hicrisp_core.model.world import Relation
from hicrisp_core.trace.records import CauseRecord, CommandRecord, FeedbackRecord, Measured, UnmetRecord

_CAUSES = {kind.value: kind for kind in CauseKind}


class Status(Enum):
    """How a driver says that a command ended."""

    SUCCESS = "success"
    """The driver believes that the command was carried out."""
    PRECONDITION = "precondition"
    """The command could not start: something that it needs does not hold."""
    PLANNING = "planning"
    """No motion was found: out of reach, in collision, no path."""
    EXECUTION = "execution"
    """The motion was started and did not end where it should."""
    POSTCONDITION = "postcondition"
    """The motion ended, its effect did not come."""
    INVALID = "invalid"
    """The command is malformed: unknown action or name, a number that is not finite."""
    CANCELED = "canceled"
    """Somebody asked to stop; the robot has stopped."""
    TIMEOUT = "timeout"
    """The time limit passed; the robot has stopped."""
    LOST = "lost"
    """The driver or its server cannot be reached."""
    SAFETY = "safety"
    """An emergency stop or a safety limit ended the command."""


class FeedbackKind(Enum):
    """What went wrong. The first ones are a driver's own words for it."""

    PRECONDITION = Status.PRECONDITION.value
    """Something that the command needs does not hold; ``unmet`` has the conditions."""
    PLANNING = Status.PLANNING.value
    """No motion was found; ``blockers`` has what stands in the way."""
    EXECUTION = Status.EXECUTION.value
    """The motion began and did not end where it should."""
    POSTCONDITION = Status.POSTCONDITION.value
    """The driver itself says that its effect did not come."""
    INVALID = Status.INVALID.value
    """The command or step is malformed; ``alternatives`` has what is valid."""
    CANCELED = Status.CANCELED.value
    """Somebody asked to stop."""
    TIMEOUT = Status.TIMEOUT.value
    """The time limit passed."""
    LOST = Status.LOST.value
    """A driver, node or model cannot be reached."""
    SAFETY = Status.SAFETY.value
    """An emergency stop, a safety limit or a refused approval ended the command."""
    NO_EFFECT = "no_effect"
    """The driver reports success, but the command did nothing that can be seen."""
    NOT_GRASPED = "not_grasped"
    """The item is not in the gripper after a pick."""
    NOT_RELEASED = "not_released"
    """The item is still in the gripper after a place."""
    NOT_SEEN = "not_seen"
    """An object that the command is about has no pose."""
    STALE_POSE = "stale_pose"
    """The pose of an object that the command is about is too old."""
    CANNOT_TELL = "cannot_tell"
    """The view does not support a verdict: ``cause`` has why, ``unmet`` the facts that nobody can see."""
    NOT_MADE = "not_made"
    """The command ran, but a fact that it should make is not seen; ``unmet`` has the facts."""
    NOT_REMOVED = "not_removed"
    """The command ran, but a fact that it should end still holds; ``unmet`` has the facts."""
    UNDONE = "undone"
    """A fact that an earlier step made is gone again; ``unmet`` has it."""
    NO_PLACE = "no_place"
    """There is no free spot within reach for a placement; ``blockers`` has what takes it."""
    UNREACHABLE = "unreachable"
    """No path leads to the area."""
    ENTERED = "entered"
    """A base was in a zone that it must not enter."""
    OUT_OF_ORDER = "out_of_order"
    """An area was visited, or would be, before another one that comes first in the task."""
    NOT_DUE = "not_due"
    """An area has had all its visits, or the task asks for none."""
    WRONG_AREA = "wrong_area"
    """A base ended in another area, whose turn it is not."""
    OMITTED = "omitted"
    """No step did something that the task asks for."""
    GOAL_MISSED = "goal_missed"
    """The steps are done and the goal is not seen to hold; ``conditions`` has what is missing."""
    GOAL_UNSEEN = "goal_unseen"
    """What the goal is about is out of view, so that nobody can say whether it holds."""
    CARRIED_OUT = "carried_out"
    """Every step was carried out; whether that is what the task asks for is to be judged."""
    BREAKS_CONDITION = "breaks_condition"
    """The command would end what the task wants to stay so; ``conditions`` has it."""
    SAID_BY_USER = "said_by_user"
    """What a user said while the task ran changes it; ``cause`` quotes the words, ``conditions`` has what is
    wanted now.
    """
    BARS_LATER_STEP = "bars_later_step"
    """The command cannot be undone and would make a later step of the plan impossible."""
    REFUSED = "refused"
    """The driver or executor refuses the command for a reason of its own, which ``cause`` quotes."""

    @classmethod
    def of(cls, status: Status) -> "FeedbackKind":
        """Return the kind of a driver's failure: the member of the same name.

        Args:
            status: how the command ended.

        Returns:
            The kind.
        """
        return cls(status.value)


_KINDS = {kind.value: kind for kind in FeedbackKind}


def feedback_record(feedback: Feedback, error: str = "", reason: str = "", suggestion: str = "") -> FeedbackRecord:
    """Convert feedback for the events; poses and constraints of its command are left out, and numbers are
    texts.

    Args:
        feedback: the failure as data.
        error: what happened, as a sentence.
        reason: why, as a sentence.
        suggestion: what to do, as a sentence.

    Returns:
        The record.
    """
    command, step = feedback.command, feedback.step
    return FeedbackRecord(
        feedback.level.value, feedback.kind.value, error, reason, suggestion, feedback.alternatives,
        feedback.blockers, feedback.deviation, feedback.label,
        None if command is None else CommandRecord(command.action, said(command.arguments), command.robot),
        None if step is None else CommandRecord(step.action, said(step.arguments), step.robot, step.text),
        feedback.parameter, feedback.subjects, feedback.measured,
        tuple(UnmetRecord(tuple(map(tuple, each.facts)), each.negated, each.precondition, dict(each.names))
              for each in feedback.unmet),
        tuple(map(tuple, feedback.seen)), cause_record(feedback.cause), feedback.advice,
        tuple(map(str, feedback.conditions)), feedback.model_reason, feedback.model_suggestion)


def cause_record(cause: Optional[Cause]) -> Optional[CauseRecord]:
    """Convert a cause for the events.

    Args:
        cause: the first cause of a failure, or ``None``.

    Returns:
        The record; ``None`` without a cause.
    """
    return None if cause is None else CauseRecord(
        cause.kind.value, cause.names, cause.seconds, cause.said, cause.metres)


def said(arguments: Mapping[str, Value]) -> Mapping[str, str]:
    """Arguments as texts."""
    return {name: str(value) for name, value in arguments.items()}


def feedback_of(record: FeedbackRecord) -> Feedback:
    """Read the feedback of a record.

    Args:
        record: as it is written; an unknown level counts as HIGH, an unknown kind as REFUSED.

    Returns:
        The failure as data.
    """
    command, step, cause, off = record.command, record.step, record.cause, record.deviation
    return Feedback(
        _LEVELS.get(record.level, Level.HIGH), _KINDS.get(record.kind, FeedbackKind.REFUSED),
        None if command is None else Command(command.action, command.arguments, command.robot),
        None if step is None else Step(step.text, step.action, step.arguments, step.robot),
        record.parameter, record.label, record.subjects, record.blockers, record.measured,
        None if off is None or len(off) != 3 else (off[0], off[1], off[2]), record.alternatives,
        tuple(Unmet(tuple(map(_fact, each.facts)), each.negated, each.precondition, tuple(each.names.items()))
              for each in record.unmet), tuple(map(_fact, record.seen)), None if cause is None
        else Cause(_CAUSES.get(cause.kind, CauseKind.UNKNOWN), cause.names, cause.seconds, cause.said, cause.metres),
        record.advice, statements_of(record.conditions), record.model_reason, record.model_suggestion)


def _fact(parts: Tuple[str, ...]) -> Relation:
    return Relation(*(*parts, "", "", "")[:3])


class Level(Enum):
    """Where a failure lies (HiCRISP, section III-A.2)."""

    LOW = "low"
    """The action failed: the robot did not do what it was told."""
    HIGH = "high"
    """The action ran, but the state is not the one that should follow."""


_LEVELS = {level.value: level for level in Level}


@dataclass(frozen=True)
class Unmet:
    """A condition that is not as it should be.

    Args:
        facts: those that should hold and do not; with ``negated`` those that hold together and should not.
            ``_`` stands for any name.
        precondition: the condition's place among the preconditions of the action, from 0; -1 where it is
            none.
        names: what the condition's variables stand for, (variable, name).
    """

    facts: Tuple[Relation, ...]
    negated: bool = False
    precondition: int = -1
    names: Tuple[Tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Feedback:
    """Why a command failed, for a search, a model or a person to act on (CoPAL's error, reason and
    suggestion).

    Args:
        level: LOW or HIGH.
        kind: the class of failure.
        command: the command that it is about; ``None`` where there is none yet, or none any more.
        step: the step that it is about, where no command was found for it or another step is concerned.
        parameter: the parameter of the command that is wrong.
        label: the domain's or driver's own word for the failure within its kind, for example ``hands_full``.
        subjects: names of what it is about, the most important first.
        blockers: names of the movable objects and other robots that stand in the way.
        measured: what was measured, beside the deviation.
        deviation: measured minus target position, in the frame of the goal, metres; ``None`` where not
            measured.
        alternatives: names that would have been valid.
        unmet: the conditions that are not as they should be.
        seen: facts that were observed and explain it, such as a touch on the way.
        cause: what began it, where that is known.
        advice: what a driver or a person suggests, quoted; no code reads it.
        conditions: those of the task's goal that are concerned: missing, or ended by the command.
        model_reason: why it failed, and
        model_suggestion: what to do, as a model says that saw pictures: quoted, and nothing that was measured; no code
            reads them.
    """

    level: Level
    kind: FeedbackKind
    command: Optional[Command] = None
    step: Optional[Step] = None
    parameter: str = ""
    label: str = ""
    subjects: Tuple[str, ...] = ()
    blockers: Tuple[str, ...] = ()
    measured: Tuple[Measured, ...] = ()
    deviation: Optional[Vector] = None
    alternatives: Tuple[str, ...] = ()
    unmet: Tuple[Unmet, ...] = ()
    seen: Tuple[Relation, ...] = ()
    cause: Optional[Cause] = None
    advice: str = ""
    conditions: Tuple[Statement, ...] = ()
    model_reason: str = ""
    model_suggestion: str = ""

    @property
    def name(self) -> str:
        """The most exact name of the failure: the label, else the kind."""
        return self.label or self.kind.value

    @property
    def stopped(self) -> bool:
        """Whether one of the command's own preconditions stopped it before it ran."""
        return any(unmet.precondition >= 0 for unmet in self.unmet)

    def misses(self, predicate: str) -> bool:
        """Check whether a fact of a predicate should hold and does not.

        Args:
            predicate: name of the predicate.

        Returns:
            Whether one of the unmet facts has it.
        """
        return any(fact.predicate == predicate for unmet in self.unmet if not unmet.negated for fact in unmet.facts)
