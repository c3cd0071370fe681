"""Why a command failed, as data. The sentences are made from it at the edge, in
``hicrisp_core.domain.wording``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional, Tuple

from hicrisp_core.model.cause import Cause
from hicrisp_core.model.feedback_kind import FeedbackKind
from hicrisp_core.model.geometry import Vector
from hicrisp_core.model.goal import Statement
from hicrisp_core.model.task import Command, Step
from hicrisp_core.model.world import Relation


class Level(Enum):
    """Where a failure lies (HiCRISP, section III-A.2)."""

    LOW = "low"
    """The action failed: the robot did not do what it was told."""
    HIGH = "high"
    """The action ran, but the state is not the one that should follow."""


@dataclass(frozen=True)
class Measured:
    """One measured value.

    Args:
        name: what was measured; ``hicrisp_core.domain.wording`` has words for each, for example ``gap``.
        value: in the unit.
        unit: ``m``, ``s``, ``deg``, or empty for a count.
        of: what it was measured of; empty for the feedback's first subject.
    """

    name: str
    value: float
    unit: str = ""
    of: str = ""


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
        blockers: names of the movable things that stand in the way.
        measured: what was measured, beside the deviation.
        deviation: measured minus target position, in the frame of the goal, metres; ``None`` where not
            measured.
        alternatives: names that would have been valid.
        unmet: the conditions that are not as they should be.
        seen: facts that were observed and explain it, such as a touch on the way.
        cause: what began it, where that is known.
        advice: what a driver or a person suggests, quoted; no code reads it.
        conditions: those of the task's goal that are concerned: missing, or ended by the command.
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

    @property
    def name(self) -> str:
        """The most exact name of the failure: the label, else the kind."""
        return self.label or self.kind.value

    def misses(self, predicate: str) -> bool:
        """Whether a fact of this predicate should hold and does not."""
        return any(fact.predicate == predicate for unmet in self.unmet if not unmet.negated
                   for fact in unmet.facts)
