"""Objects by where they are and how large they are: ranks, what is near, what lies in a direction."""

from __future__ import annotations

import math
from typing import Callable, Dict, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Vector, WorldState
from hicrisp_core.model.geometry import planar_distance

LEFT, FRONT = "left_of", "in_front_of"
_USUAL = {LEFT: (0.0, 1.0), FRONT: (-1.0, 0.0)}
"""Unit vectors in the world's plane, for domains without these predicates; x forward, y left."""
_ALONG = {"leftmost": (LEFT, 1.0), "rightmost": (LEFT, -1.0), "frontmost": (FRONT, 1.0), "rearmost": (FRONT, -1.0)}
_MIDDLE = "middle"
_SAME_PLACE = 1e-3
"""Metres within which two objects have the same rank."""
_SAME_SIZE = 1e-2
"""The same for sizes, as a fraction."""
_OUTSTANDING = 0.2
"""By how much an object is larger than all others that stands out, as a fraction."""
_CONE = math.cos(math.radians(45.0))
Names = Tuple[str, ...]


class Places:
    """Where the objects and robots of a world are."""

    def __init__(self, domain: Domain, world: WorldState) -> None:
        self._domain = domain
        self._world = world

    def position(self, name: str) -> Optional[Vector]:
        """Return the position in the world frame, m; ``None`` if it is not known now."""
        item = self._world.objects.get(name)
        if item is not None:
            return None if item.pose is None or item.unseen else item.pose.position
        robot = self._world.robots.get(name)
        return robot.pose.position if robot is not None and robot.pose is not None else None

    def along(self, predicate: str, name: str) -> float:
        """Return how far an object is in a predicate's direction, m; 0 if its place is not known."""
        found = self.position(name)
        across, up = self.direction(predicate)
        return found[0] * across + found[1] * up if found is not None else 0.0

    def direction(self, predicate: str) -> Tuple[float, float]:
        """Return a predicate's direction in the world's plane; zeros if it has none."""
        known = self._domain.predicates.get(predicate)
        given = known.direction if known is not None else (0.0, 0.0)
        return given if given != (0.0, 0.0) else _USUAL.get(predicate, (0.0, 0.0))

    def ranked(self, rank: str, names: Sequence[str], first: int, last: int) -> Names:
        """Return the objects from the first (1) to the last of a rank, and those that are level with them."""
        measures = self._measures(rank, names)
        order = sorted(measures, key=lambda name: (-measures[name], name))
        if rank == _MIDDLE:
            half = len(order) // 2
            return tuple(order[half:half + 1] if len(order) % 2 else order[max(0, half - 1):half + 1])
        chosen = [(measures[name], _SAME_PLACE if rank in _ALONG else _SAME_SIZE * abs(measures[name]))
                  for name in order[first - 1:last]]
        return tuple(name for name in order if any(abs(measures[name] - best) <= limit for best, limit in chosen))

    def stands_out(self, rank: str, names: Sequence[str]) -> bool:
        """Check whether one object is the first of a rank by far, as who says "the tall one" expects."""
        first, *others = sorted(self._measures(rank, names).values(), reverse=True) or (0.0,)
        return not others or first - others[0] > _OUTSTANDING * max(abs(first), abs(others[0]))

    def nearest(self, names: Sequence[str], to: Sequence[str], farthest: bool = False) -> Names:
        """Return the objects that are nearest to others, or farthest from them; without these themselves."""
        ends = [place for place in map(self.position, to) if place is not None]
        apart: Dict[str, float] = {}
        for name in names:
            place = self.position(name) if name not in to else None
            if place is not None and ends:
                distances = [planar_distance(place, end) for end in ends]
                apart[name] = max(distances) if farthest else -min(distances)
        best = max(apart.values(), default=0.0)
        return tuple(name for name, value in apart.items() if best - value <= _SAME_PLACE)

    def between(self, names: Sequence[str], ends: Sequence[str]) -> Names:
        """Return the objects that lie between two others: nearer to their middle than these are."""
        places = [place for place in map(self.position, ends) if place is not None]
        if len(places) != 2 or planar_distance(*places) < _SAME_PLACE:
            return ()
        (ax, ay, _), (bx, by, _) = places
        middle, half = ((ax + bx) / 2.0, (ay + by) / 2.0, 0.0), planar_distance(*places) / 2.0
        at = {name: self.position(name) for name in names if name not in ends}
        return tuple(name for name, place in at.items() if place is not None and planar_distance(place, middle) < half)

    def towards(self, predicate: str, name: str, other: str) -> bool:
        """Check whether an object lies in a predicate's direction from another one, however far."""
        one, two = self.position(name), self.position(other)
        if one is None or two is None or self.direction(predicate) == (0.0, 0.0):
            return False
        apart = planar_distance(one, two)
        ahead = self.along(predicate, name) - self.along(predicate, other)
        return apart > _SAME_PLACE and ahead >= _CONE * apart

    def _measures(self, rank: str, names: Sequence[str]) -> Mapping[str, float]:
        sizes: Mapping[str, Callable[[Vector], float]] = {
            "largest": math.prod, "smallest": lambda size: -math.prod(size),
            "tallest": lambda size: size[2], "shortest": lambda size: -size[2]}
        if rank in sizes:
            objects = self._world.objects
            return {name: sizes[rank](objects[name].size) for name in names if name in objects}
        seen = [name for name in names if self.position(name) is not None]
        if rank in _ALONG:
            predicate, sign = _ALONG[rank]
            return {name: sign * self.along(predicate, name) for name in seen}
        lines = [{name: self.along(each, name) for name in seen} for each in (LEFT, FRONT)]
        return max(lines, key=lambda line: max(line.values(), default=0.0) - min(line.values(), default=0.0))
