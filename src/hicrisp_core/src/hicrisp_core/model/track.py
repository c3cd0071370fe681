"""What a camera's pictures show of things: tracks, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional

from hicrisp_core.model.geometry import Pose
from hicrisp_core.model.world import WorldObject


class Visibility(Enum):
    """Whether the last picture showed a thing, and if not, why."""

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
        yaw: radians, modulo what turns leave the thing looking the same.
    """

    position: float = 0.0
    height: float = 0.0
    yaw: float = 0.0


EXACT = Uncertainty()


@dataclass(frozen=True)
class Track:
    """A thing as the camera knows it.

    Args:
        name: the scene's name of it, or ``unknown_1`` and so on.
        pose: of its middle in the world frame.
        stamp: when it was last seen, seconds of the picture's clock; for what is held, the moment of its
            pose.
        unknown: the thing itself where the scene does not hold it: an obstacle with the size that was
            measured.
    """

    name: str
    pose: Pose
    uncertainty: Uncertainty
    stamp: float
    visibility: Visibility = Visibility.VISIBLE
    unknown: Optional[WorldObject] = None
