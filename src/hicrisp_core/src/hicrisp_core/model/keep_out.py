"""Ground that no part of a base may be over: zones of a scene, and discs that a failed drive has taught."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Iterable, Optional, Sequence, Tuple

import numpy as np
from shapely.geometry import LineString, MultiPoint, Point, Polygon
from shapely.geometry.base import BaseGeometry

from hicrisp_core.model.geometry import Pose
from hicrisp_core.model.world import WorldObject

Spot = Tuple[float, float]
"""A point of the world's plane, metres."""
_TOUCHING = 1e-3
"""Metres of overlap up to which a base only touches the edge of a zone."""


@dataclass(frozen=True)
class KeepOut:
    """A point, a line or a polygon in the world's plane, grown by a radius.

    Args:
        corners: metres in the world frame, in order around a polygon; one for a disc, two for a strip.
        radius: metres by which they are grown.
        name: of the zone; empty for what only a correction assumes.
    """

    corners: Tuple[Spot, ...]
    radius: float = 0.0
    name: str = ""

    @property
    def ground(self) -> BaseGeometry:
        """The shape on the ground, metres."""
        return _ground(self)

    def distance(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Metres from each point to the shape, 0 inside; for painting it into a grid."""
        nearest = np.full(np.shape(x), np.inf)
        inside = np.zeros(np.shape(x), dtype=bool)
        for (ax, ay), (bx, by) in zip(self.corners, (*self.corners[1:], self.corners[0])):
            squared = (bx - ax) ** 2 + (by - ay) ** 2
            along = (((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared if squared > 0.0
                     else np.zeros_like(nearest))
            part = np.clip(along, 0.0, 1.0)
            nearest = np.minimum(nearest, np.hypot(x - ax - part * (bx - ax), y - ay - part * (by - ay)))
            if ay != by:
                inside ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
        return np.where(inside, 0.0, np.maximum(0.0, nearest - self.radius))

    def __str__(self) -> str:
        x, y = self.ground.centroid.coords[0]
        return self.name or f"the spot at ({x:.2f}, {y:.2f})"


@lru_cache(maxsize=512)
def _ground(shape: KeepOut) -> BaseGeometry:
    if len(shape.corners) == 1:
        flat: BaseGeometry = Point(*shape.corners[0])
    else:
        flat = LineString(shape.corners) if len(shape.corners) == 2 else Polygon(shape.corners)
    return flat.buffer(shape.radius) if shape.radius > 0.0 else flat


def disc(x: float, y: float, radius: float, name: str = "") -> KeepOut:
    """A disc, metres in the world frame."""
    return KeepOut(((x, y),), radius, name)


def zone(thing: WorldObject) -> Optional[KeepOut]:
    """The ground of a box-shaped zone; ``None`` while nobody knows where it lies."""
    if thing.pose is None:
        return None
    half = [size / 2.0 for size in thing.size[:2]]
    corners = [thing.pose.apply((a * half[0], b * half[1], 0.0)) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return KeepOut(tuple((x, y) for x, y, _ in corners), name=thing.name)


def space_to(keep_out: KeepOut, spot: Sequence[float], radius: float) -> float:
    """Metres between a round footprint and the shape; negative by as much as the footprint would have to
    move away.
    """
    at = Point(*spot[:2])
    ground = keep_out.ground
    if not ground.contains(at):
        return float(ground.distance(at)) - radius
    return -float(ground.exterior.distance(at)) - radius if ground.geom_type == "Polygon" else -radius


def overlapped(pose: Pose, radius: float, keep_outs: Iterable[KeepOut]) -> Optional[KeepOut]:
    """The first of the shapes that a round footprint at a pose is over; ``None`` when it is over none."""
    return next((each for each in keep_outs if space_to(each, pose.position, radius) < -_TOUCHING), None)


def crossed(path: Sequence[Spot], radius: float, keep_outs: Iterable[KeepOut]) -> Optional[KeepOut]:
    """The first of the shapes that a round footprint would be over somewhere on a path (metres).

    A base that stands over a shape already may leave it: what counts is whether it comes over it again.
    """
    for each in keep_outs:
        free = [each.ground.distance(Point(*spot)) >= radius - _TOUCHING for spot in path]
        if True not in free:
            return each if path else None
        rest = path[free.index(True):]
        line = LineString(rest) if len(rest) > 1 else MultiPoint(rest)
        if each.ground.distance(line) < radius - _TOUCHING:
            return each
    return None
