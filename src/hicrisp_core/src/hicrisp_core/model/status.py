"""How a driver says that a command ended."""

from __future__ import annotations

from enum import Enum


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
