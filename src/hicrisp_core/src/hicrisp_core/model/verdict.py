"""What drivers claim and what the detector says: Outcome, Feedback, Verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional, Tuple

from hicrisp_core.model.cause import Cause
from hicrisp_core.model.geometry import Vector


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


@dataclass(frozen=True)
class Outcome:
    """What a driver says of one command. It is a claim, never an observation.

    Args:
        message: the driver's own words, for people; no code reads them.
        blockers: names of the things that collided in the best motion that was planned, when none was found.
        cause: what began the failure, where the driver knows it.
    """

    status: Status
    message: str = ""
    blockers: Tuple[str, ...] = ()
    cause: Optional[Cause] = None

    @property
    def ok(self) -> bool:
        return self.status is Status.SUCCESS


class Level(Enum):
    """Where a failure lies (HiCRISP, section III-A.2)."""

    LOW = "low"
    """The action failed: the robot did not do what it was told."""
    HIGH = "high"
    """The action ran, but the state is not the one that should follow."""


@dataclass(frozen=True)
class Feedback:
    """Why a step failed, for a model, a search or a person to act on: error, reason, suggestion (CoPAL).

    Args:
        level: LOW or HIGH.
        kind: one word for the class of failure, for example ``misplaced``, ``not_grasped``, ``precondition``.
        error: what is wrong, a sentence that names objects and distances.
        reason: why it is so, where that is known.
        suggestion: how it may be mended, where that is known.
        deviation: where the item is less where it should be, in the frame of the goal, metres; ``None`` where it
            was not measured.
        alternatives: names that would have been valid.
        blockers: names of the movable things that stand in the way.
        cause: what began it, where that is known.
    """

    level: Level
    kind: str
    error: str
    reason: str = ""
    suggestion: str = ""
    deviation: Optional[Vector] = None
    alternatives: Tuple[str, ...] = ()
    blockers: Tuple[str, ...] = ()
    cause: Optional[Cause] = None

    def __str__(self) -> str:
        parts = [self.error]
        if self.reason:
            parts.append(f"Reason: {self.reason}")
        if self.suggestion:
            parts.append(f"Suggestion: {self.suggestion}")
        return " ".join(parts)


@dataclass(frozen=True)
class Verdict:
    """What the detector says of one command: it worked, or the feedback that says why not.

    ``deviation`` is also given for a success where it was measured, so that the decoder learns from both.
    """

    feedback: Optional[Feedback] = None
    deviation: Optional[Vector] = None
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.feedback is None
