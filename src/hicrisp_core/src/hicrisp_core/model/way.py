"""The way of a base as it was seen: a point every few centimetres, and where something happened on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

from hicrisp_core.model.geometry import Planar

"""A point on the ground, metres in the world frame."""
SPACING = 0.05
"""Metres between two points of a way."""
TAIL = 64
"""Points and marks that a way carries, the latest ones; the counts say how many there were."""
LEAP = 0.5
"""Metres between two looks beyond which a base was put there, unless it could drive as far meanwhile."""
FASTEST = 2.0
"""Metres a second that a base may drive; looks far apart on a busy machine still see one drive."""
TOUCHED, NEAR, ENTERED = "touched", "near_miss", "entered"
"""What is marked on a way."""


@dataclass(frozen=True)
class Mark:
    """Where something happened: what (``touched``, ``near_miss``, ``entered``), and the base's middle, m."""

    what: str
    spot: Planar


@dataclass(frozen=True)
class Way:
    """The last part of a way since the eyes opened.

    Args:
        spots: the latest points, the newest last.
        count: how many points there were in all.
        marks: the latest marks, the newest last.
        marked: how many marks there were in all.
    """

    spots: Tuple[Planar, ...] = ()
    count: int = 0
    marks: Tuple[Mark, ...] = ()
    marked: int = 0


class WayLog:
    """Puts a whole way together from the last parts that are seen of it; what was seen twice counts once."""

    def __init__(self) -> None:
        self._count = self._marked = 0
        self._begun = False
        self.spots: List[Planar] = []
        self.marks: List[Mark] = []

    def see(self, way: Way) -> None:
        """Add the new points and marks; of the way before the first call only the last point counts.

        Args:
            way: the way that was driven so far.
        """
        if not self._begun:
            self._begun, self._marked = True, way.marked
            self._count = way.count - 1 if way.spots else way.count
        if way.count < self._count or way.marked < self._marked:
            self._count = self._marked = 0  # The counting began anew.
        fresh, marked = way.count - self._count, way.marked - self._marked
        self.spots += way.spots[-fresh:] if fresh else ()
        self.marks += way.marks[-marked:] if marked else ()
        self._count, self._marked = way.count, way.marked

    def take(self) -> "Tuple[Tuple[Planar, ...], Tuple[Mark, ...]]":
        """What was added since the last call; the next part begins where this one ends."""
        taken = tuple(self.spots), tuple(self.marks)
        self.spots, self.marks = self.spots[-1:], []
        return taken
