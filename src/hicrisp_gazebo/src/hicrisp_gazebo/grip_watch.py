"""When a gripper's motion has ended: at its goal, or because something is between the fingers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple


@dataclass(frozen=True)
class GripEnd:
    """How it ended: where a finger's joint is (metres or radians), and whether that is the goal."""

    position: float
    reached: bool

    @property
    def stalled(self) -> bool:
        """Whether something stopped the fingers."""
        return not self.reached


class GripWatch:
    """Looks at the fingers' position while they move.

    Args:
        goal: position of each finger's joint, metres or radians.
        tolerance: distance from the goal that counts as there.
        still: way within ``window`` seconds below which the fingers stand.
        window: seconds that they must stand.
        start: seconds from the first look in which they need not move yet.
    """

    def __init__(
        self, goal: float, tolerance: float = 0.001, still: float = 0.0003, window: float = 0.25,
        start: float = 0.4
    ) -> None:
        self._goal, self._tolerance, self._still = goal, tolerance, still
        self._window, self._start = window, start
        self._seen: List[Tuple[float, float]] = []
        self._began: Optional[float] = None

    def look(self, time: float, position: float) -> Optional[GripEnd]:
        """The end of the motion, or ``None`` while it goes on (seconds of one clock)."""
        if self._began is None:
            self._began = time
        self._seen = [(at, where) for at, where in self._seen
                      if at >= time - self._window] + [(time, position)]
        places = [where for _, where in self._seen]
        watched = time - self._seen[0][0] >= 0.8 * self._window
        if not watched or max(places) - min(places) > self._still:
            return None
        reached = abs(position - self._goal) <= self._tolerance
        return GripEnd(position, reached) if reached or time - self._began >= self._start else None
