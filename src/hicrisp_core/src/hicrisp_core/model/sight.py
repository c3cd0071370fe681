"""How an object is seen: whether the latest picture shows it, and how exactly its pose is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Visibility(Enum):
    """Whether the last picture showed an object, and if not, why."""

    VISIBLE = "visible"
    """The last picture shows it."""
    HIDDEN = "hidden"
    """Something stands between it and the camera: it is taken to be where it was."""
    HELD = "held"
    """It is in a hand and moves with it: its pose is the hand's and the grasp's."""
    GONE = "gone"
    """The camera sees the place where it was, and it is not there."""


@dataclass(frozen=True)
class Uncertainty:
    """How far a measured pose may be off, one standard deviation each.

    Args:
        position: metres, along the horizontal direction that is known worst.
        height: metres.
        yaw: radians, modulo what turns leave the object looking the same.
    """

    position: float = 0.0
    height: float = 0.0
    yaw: float = 0.0


EXACT = Uncertainty()
