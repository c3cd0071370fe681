"""Sizes and places of invented things, so that one is the tallest, the leftmost, the smallest of its type."""

from __future__ import annotations

import random
from typing import Dict, Optional, Tuple

from hicrisp_core.model import Pose

Size = Tuple[float, float, float]
Place = Tuple[float, float]
"""Metres in the world's plane: x forward, y left."""

_BOXES = (
    ((0.03, 0.07), (0.03, 0.07), (0.03, 0.07)),
    ((0.05, 0.08), (0.08, 0.13), (0.015, 0.03)),
    ((0.05, 0.07), (0.05, 0.07), (0.08, 0.17)),
    ((0.02, 0.03), (0.09, 0.14), (0.015, 0.03)),
)
_TOLD: Dict[str, Tuple[float, float, float]] = {
    "tall": (1.0, 1.0, 6.0), "long": (1.0, 6.0, 1.0), "big": (3.0, 3.0, 3.0), "large": (3.0, 3.0, 3.0),
    "small": (0.3, 0.3, 0.3), "little": (0.3, 0.3, 0.3), "tiny": (0.3, 0.3, 0.3), "short": (1.0, 1.0, 0.2),
}
"""What a word in a name makes of a size."""


class Bodies:
    """Gives the things of one scene sizes and places.

    In some scenes all things of a type are of one size, as blocks are; in a few nobody knows where they are.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._alike: Optional[Dict[str, Size]] = {} if rng.random() < 0.3 else None
        self._placed = rng.random() > 0.05

    def size(self, type_: str, name: str) -> Size:
        """The extents of a thing in metres."""
        made = self._made(type_)
        x, y, z = made if self._alike is None else self._alike.setdefault(type_, made)
        for word in name.split("_"):
            wide, deep, high = _TOLD.get(word, (1.0, 1.0, 1.0))
            x, y, z = x * wide, y * deep, z * high
        return round(x, 3), round(y, 3), round(z, 3)

    def pose(self) -> Optional[Pose]:
        """Somewhere on the table."""
        if not self._placed:
            return None
        return Pose((round(self._rng.uniform(0.3, 0.66), 3), round(self._rng.uniform(-0.4, 0.4), 3), 0.03))

    def _made(self, type_: str) -> Size:
        between = self._rng.uniform
        if type_ == "bowl":
            wide = between(0.12, 0.18)
            return wide, wide, between(0.04, 0.07)
        if type_ == "cylinder":
            wide = between(0.03, 0.075)
            return wide, wide, between(0.03, 0.17)
        form = self._rng.choice(_BOXES)
        if form is _BOXES[0]:
            edge = between(*form[0])
            return edge, edge, edge
        x, y, z = (between(*each) for each in form)
        return x, y, z
