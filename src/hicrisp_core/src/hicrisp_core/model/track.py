"""What a camera's pictures show of objects: tracks, and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Tuple

from hicrisp_core.model.geometry import Pose, Vector
from hicrisp_core.model.world import EXACT, Uncertainty, Visibility, WorldObject

__all__ = ["BLIND", "DOUBT", "EXACT", "Track", "Uncertainty", "Tracks", "Visibility"]
DOUBT = "doubt"
"""Attribute of an undescribed object that may be no single one, in words; it ends with a name."""


@dataclass(frozen=True)
class Track:
    """An object as the camera knows it.

    Args:
        name: the scene's name of it, or ``unknown_1`` and so on.
        pose: of its middle in the world frame.
        stamp: when it was last seen, seconds of the picture's clock; for what is held, the moment of its
            pose.
        unknown: the object itself where the scene does not hold it: an obstacle with the size that was
            measured.
    """

    name: str
    pose: Pose
    uncertainty: Uncertainty
    stamp: float
    visibility: Visibility = Visibility.VISIBLE
    unknown: Optional[WorldObject] = None


@dataclass(frozen=True)
class Tracks:
    """All that is known of objects after a picture.

    Args:
        stamp: when the picture was taken, seconds of the pictures' clock.
        tracks: what is seen, hidden, held and gone; what was never seen has none.
        trouble: why no newer picture can be used, in words; empty where nothing is wrong with the camera.
        session: changes whenever unknown objects are numbered anew.
        eye: where the camera is, world frame, metres; ``None`` where nobody says.
    """

    stamp: float = -math.inf
    tracks: Tuple[Track, ...] = ()
    trouble: str = ""
    session: int = 0
    eye: Optional[Vector] = None


BLIND = Tracks()
"""What is known before the first picture."""
