"""The data that events are made of: commands, failures and their causes, measured values, faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

Numbers = Tuple[float, ...]


@dataclass(frozen=True)
class FaultRecord:
    """A fault that was injected on purpose: its kind, what it hits, how hard and how often (0: always)."""

    fault: str = ""
    target: str = ""
    magnitude: Numbers = ()
    count: int = 0


@dataclass(frozen=True)
class CommandRecord:
    """A command or a step by its action and its arguments; ``text`` are the words of a step that is only words."""

    action: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    robot: str = ""
    text: str = ""


@dataclass(frozen=True)
class Measured:
    """One measured value.

    Args:
        name: what was measured; ``hicrisp_core.domain.wording`` has words for each, for example ``gap``.
        value: in the unit.
        unit: ``m``, ``s``, ``deg``, or empty for a count.
        of: what it was measured of; empty for the feedback's first subject.
    """

    name: str = ""
    value: float = 0.0
    unit: str = ""
    of: str = ""


@dataclass(frozen=True)
class UnmetRecord:
    """Facts (subject, predicate, object) that should hold and do not, or with ``negated`` the other way round."""

    facts: Tuple[Tuple[str, ...], ...] = ()
    negated: bool = False
    precondition: int = -1
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CauseRecord:
    """What began a failure: its kind, who or what it was, an age or a limit in seconds, a driver's words, a
    distance in metres.
    """

    kind: str = ""
    names: Tuple[str, ...] = ()
    seconds: Optional[float] = None
    said: str = ""
    metres: Optional[float] = None


@dataclass(frozen=True)
class FeedbackRecord:
    """Why a command failed; ``deviation`` in metres in the goal's frame.

    ``error``, ``reason`` and ``suggestion`` are the other fields in words, for people: no code reads them. Those of
    ``model`` are what a model says that saw pictures.
    """

    level: str = ""
    kind: str = ""
    error: str = ""
    reason: str = ""
    suggestion: str = ""
    alternatives: Tuple[str, ...] = ()
    blockers: Tuple[str, ...] = ()
    deviation: Optional[Numbers] = None
    label: str = ""
    command: Optional[CommandRecord] = None
    step: Optional[CommandRecord] = None
    parameter: str = ""
    subjects: Tuple[str, ...] = ()
    measured: Tuple[Measured, ...] = ()
    unmet: Tuple[UnmetRecord, ...] = ()
    seen: Tuple[Tuple[str, ...], ...] = ()
    cause: Optional[CauseRecord] = None
    advice: str = ""
    conditions: Tuple[str, ...] = ()
    model_reason: str = ""
    model_suggestion: str = ""

    @property
    def name(self) -> str:
        """The most exact name of the failure: the label, else the kind."""
        return self.label or self.kind


@dataclass(frozen=True)
class StackRecord:
    """One failed command on the feedback stack; ``maker`` made it, where it comes from a correction."""

    command: str = ""
    error: str = ""
    attempts: int = 1
    kind: str = ""
    label: str = ""
    maker: str = ""


@dataclass(frozen=True)
class MakerRecord:
    """Who made a correction: ``search``, ``decoder``, ``offline``, ``model`` (with its name) or ``person``."""

    kind: str = ""
    name: str = ""


@dataclass(frozen=True)
class MarkRecord:
    """Where something happened on a base's way: ``touched``, ``near_miss`` or ``entered``; metres."""

    what: str = ""
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class FailureRecord:
    """One failed verdict in a task's summary; ``cause`` is the kind of the first cause."""

    step: str = ""
    level: str = ""
    kind: str = ""
    error: str = ""
    label: str = ""
    subjects: Tuple[str, ...] = ()
    cause: str = ""

    @property
    def name(self) -> str:
        """The most exact name of the failure: the label, else the kind."""
        return self.label or self.kind
