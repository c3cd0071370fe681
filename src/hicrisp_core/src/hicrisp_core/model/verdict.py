"""What drivers claim and what the detector says of it: Outcome and Verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional, Tuple

from hicrisp_core.model.cause import Cause
from hicrisp_core.model.feedback import Feedback
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
