"""Where a round base can be by what is known beforehand, the walls and the zones, and which zones close a
way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Sequence, Tuple

from shapely.geometry import Point, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from hicrisp_core.model import KeepOut
from hicrisp_core.model.keep_out import Spot
from hicrisp_core.scene.scene import Arena

_OPTIMISM = 0.01
"""Metres by which the footprint is taken as smaller: what is just possible is the driver's to decide."""
_SQUEEZED = 0.15
"""Metres within which a base that stands too near to a wall still finds into the open."""


@dataclass(frozen=True)
class FreeSpace:
    """The floor on which the middle of a base can be; obstacles that no map knows are not in it.

    Args:
        radius: of the base's round footprint, metres.
    """

    arena: Arena
    radius: float
    _known: Dict[Tuple[KeepOut, ...], Tuple[BaseGeometry, ...]] = field(default_factory=dict, compare=False)

    def leads(self, start: Sequence[float], goals: Sequence[Spot], zones: Sequence[KeepOut] = ()) -> bool:
        """Check whether a path exists from a point to any of the goals.

        Args:
            start: (x, y) in the map frame, metres.
            goals: points (x, y) in the map frame, metres.
            zones: areas to keep out of.

        Returns:
            True if at least one goal is reachable; obstacles that are not on the map are ignored.
        """
        at = Point(*start[:2])
        parts = [part for part in self._parts(tuple(zones)) if part.distance(at) <= _SQUEEZED]
        near = [part for part in parts if part.distance(at) == 0.0] or parts
        return any(part.covers(Point(*goal)) for goal in goals for part in near)

    def closed_by(self, start: Sequence[float], goals: Sequence[Spot], zones: Sequence[KeepOut]) -> Tuple[str, ...]:
        """Return the zones that block every path to the goals.

        Args:
            start: (x, y) in the map frame, metres.
            goals: points (x, y) in the map frame, metres.
            zones: areas to keep out of.

        Returns:
            Their names; empty if a path exists, or walls block it already.
        """
        if not zones or self.leads(start, goals, zones) or not self.leads(start, goals):
            return ()
        alone = [zone.name for zone in zones
                 if self.leads(start, goals, [other for other in zones if other is not zone])]
        return tuple(alone or [zone.name for zone in zones])

    def _parts(self, zones: Tuple[KeepOut, ...]) -> Tuple[BaseGeometry, ...]:
        """Return the connected parts of the floor."""
        if zones not in self._known:
            reach = self.radius - _OPTIMISM
            (x, y), (width, depth) = self.arena.origin, self.arena.size
            taken: List[BaseGeometry] = [
                each.ground.buffer(reach) for each in (*self.arena.obstructions, *zones)]
            inside = box(x + reach, y + reach, x + width - reach, y + depth - reach)
            free = inside.difference(unary_union(taken)) if taken else inside
            self._known.clear()  # The zones of a scene stay as they are: one answer is enough.
            self._known[zones] = tuple(getattr(free, "geoms", (free,)))
        return self._known[zones]
