"""The ground under objects, and ground that no part of a base may be over: zones of a scene, and discs that a failed
drive has taught.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Iterable, Optional, Sequence, Tuple

import numpy as np
from shapely.geometry import LineString, MultiPoint, Point, Polygon
from shapely.geometry.base import BaseGeometry

from hicrisp_core.model.geometry import Planar, Pose, Quaternion, Vector, rotate
from hicrisp_core.model.shapes import BOWL_WALL, Shape
from hicrisp_core.model.world import WorldObject

UPRIGHT = 0.35
"""Radians of tilt up to which a round object's footprint is still taken as a disc."""
_TOUCHING = 1e-3
"""Metres of overlap up to which a base only touches the edge of a zone."""
_AT_ONCE = 100_000
"""Cells of a grid that are painted at once: a map of a whole site takes no more memory than that."""


def half_extents(item: WorldObject, pose: Pose) -> Tuple[float, float, float]:
    """Compute half the size of the axis-aligned box around an object.

    Args:
        item: the object; its size is in metres.
        pose: of its centre in the world frame.

    Returns:
        Half extents along the world's x, y and z axes (m).
    """
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = pose.axes
    a, b, c = item.size  # Written out: placements ask for this thousands of times.
    return (abs(ax) * a / 2.0 + abs(bx) * b / 2.0 + abs(cx) * c / 2.0,
            abs(ay) * a / 2.0 + abs(by) * b / 2.0 + abs(cy) * c / 2.0,
            abs(az) * a / 2.0 + abs(bz) * b / 2.0 + abs(cz) * c / 2.0)


def width_along(item: WorldObject, pose: Pose, direction: Vector) -> float:
    """Compute the largest width between fingers that close along a direction.

    Args:
        item: the object.
        pose: of its centre in the world frame.
        direction: closing direction, a unit vector in the world frame.

    Returns:
        The width (m).
    """
    local = rotate(pose.inverse().orientation, direction)
    width = sum(abs(a) * size for a, size in zip(local, item.size))
    return min(width, max(item.size[0], abs(local[2]) * item.size[2])) if item.form.rod else width


def grip_at(item: WorldObject, pose: Pose, tool: Pose) -> Tuple[float, float]:
    """Compute how far a tool is from what hands take of an object, and how wide that is there.

    Args:
        item: the object.
        pose: of its centre in the world frame.
        tool: the tool centre point, whose fingers close along its y axis, in the world frame.

    Returns:
        Greatest distance outside along one of the object's axes, and the width between the fingers (m).
    """
    if item.form.walls:
        local = pose.seen(tool.position)
        grip = min(item.form.walls, key=lambda each: math.dist(each.tool.position, local))
        return math.dist(grip.tool.position, local), grip.width
    if item.form.rim:
        local = pose.seen(tool.position)
        off_wall = abs(math.hypot(local[0], local[1]) - (item.size[0] - BOWL_WALL) / 2.0)
        return max(off_wall, abs(local[2]) - item.size[2] / 2.0), BOWL_WALL
    closing = rotate(tool.orientation, (0.0, 1.0, 0.0))
    return min((max(max(0.0, abs(value) - size / 2.0) for value, size in zip(
        part.pose.seen(tool.position), part.size)), width_along(part, part.pose, closing))
        for part in item.at(pose).grips if part.pose is not None)


def thinnest(item: WorldObject, width: float) -> float:
    """Return how little may be between fingers that hold an object.

    Args:
        item: the object.
        width: of what they are around (m); that of a wall is measured on a grid, and it may be slanted.

    Returns:
        The width, or the thickness of a wall (m).
    """
    return min(width, BOWL_WALL) if item.form.walls else width


def vertical_span(item: WorldObject, pose: Pose) -> Tuple[float, float]:
    """Compute the heights of an object's lowest and highest point.

    Args:
        item: the object.
        pose: of its centre in the world frame.

    Returns:
        Lowest and highest z in the world frame (m).
    """
    half = _half_height(item.form.round, item.size, pose.orientation)
    return pose.position[2] - half, pose.position[2] + half


@lru_cache(maxsize=512)
def _half_height(is_round: bool, size: Vector, orientation: Quaternion) -> float:
    heights = [abs(axis[2]) for axis in Pose((0.0, 0.0, 0.0), orientation).axes]
    if is_round:
        heights[:2] = math.sqrt(max(0.0, 1.0 - heights[2] ** 2)), 0.0
    return sum(height * extent for height, extent in zip(heights, size)) / 2.0


def footprint(item: WorldObject, pose: Pose) -> BaseGeometry:
    """Project an object onto the ground.

    Args:
        item: the object.
        pose: of its centre in the world frame.

    Returns:
        The footprint in the world's xy plane (m).
    """
    return _shadow(item.form, item.size, pose)


@lru_cache(maxsize=512)
def _shadow(shape: Shape, size: Vector, pose: Pose) -> BaseGeometry:
    """Objects mostly stand still, so their shadows are asked for again and again. A plan asks for some
    hundred; those of objects in motion never come again, and thousands of them fill megabytes.
    """
    x, y, _ = pose.position
    upright = pose.tilt < UPRIGHT or pose.tilt > math.pi - UPRIGHT
    if upright:
        cosine, sine = (1.0, 0.0) if shape.round else (math.cos(pose.yaw), math.sin(pose.yaw))
        return Polygon([(x + a * cosine - b * sine, y + a * sine + b * cosine) for a, b in shape.outline(size)])
    corners = [pose.apply((a * size[0] / 2.0, b * size[1] / 2.0, c * size[2] / 2.0))
               for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    return MultiPoint([corner[:2] for corner in corners]).convex_hull


def gap(a: WorldObject, b: WorldObject) -> float:
    """Compute the horizontal distance between two objects' footprints.

    Args:
        a: the first object.
        b: the second object.

    Returns:
        The distance (m): 0 if they overlap, infinite if a pose is unknown.
    """
    if a.pose is None or b.pose is None:
        return math.inf
    return float(footprint(a, a.pose).distance(footprint(b, b.pose)))


def support(item: WorldObject, yaw: float, bearing: float) -> float:
    """Compute how far an upright object extends from its centre in a direction.

    Args:
        item: the object.
        yaw: its rotation about the vertical axis (rad).
        bearing: the direction in the world frame (rad).

    Returns:
        The extent (m).
    """
    return _support(item.form, item.size, bearing - yaw)


@lru_cache(maxsize=512)
def _support(shape: Shape, size: Vector, bearing: float) -> float:
    along, across = math.cos(bearing), math.sin(bearing)
    return max(x * along + y * across for x, y in shape.outline(size))


@dataclass(frozen=True)
class KeepOut:
    """A point, a line or a polygon in the world's plane, grown by a radius.

    Args:
        corners: metres in the world frame, in order around a polygon; one for a disc, two for a strip.
        radius: metres by which they are grown.
        name: of the zone; empty for what only a correction assumes.
    """

    corners: Tuple[Planar, ...]
    radius: float = 0.0
    name: str = ""

    @property
    def ground(self) -> BaseGeometry:
        """The shape on the ground, metres."""
        return _ground(self)

    def distance(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Compute the distance from points to the shape.

        Args:
            x: x coordinates in the world frame (m), of any shape.
            y: y coordinates, of the same shape.

        Returns:
            The distances (m), of the same shape; 0 inside.
        """
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

    def paint(
        self, cells: np.ndarray, corner: Sequence[float], resolution: float, within: float, value: int = 1
    ) -> None:
        """Set the cells of a grid whose middles are near the shape or in it.

        Args:
            cells: rows along y, columns along x; changed in place.
            corner: x and y of the first cell's outer corner, metres.
            resolution: edge of a cell, metres.
            within: distance from the shape up to which a cell is set, metres.
        """
        spots, reach = np.array(self.corners), self.radius + within + resolution
        bounds = (spots.min(axis=0) - reach, spots.max(axis=0) + reach)
        (left, low), (right, high) = (
            np.clip((bound - corner) / resolution, 0, cells.shape[::-1]).astype(int) for bound in bounds)
        rows = max(1, _AT_ONCE // max(1, right - left))
        for first in range(low, high, rows):
            part = cells[first:min(high, first + rows), left:right]
            x, y = (start + (np.arange(at, at + count) + 0.5) * resolution
                    for start, at, count in zip(corner, (left, first), part.shape[::-1]))
            part[self.distance(*np.meshgrid(x, y)) <= within] = value

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
    """Return a disc to keep out of.

    Args:
        x: of its middle in the world frame, metres.
        y: of its middle in the world frame, metres.
        radius: metres.
        name: for messages; empty for an unnamed one.

    Returns:
        The keep-out.
    """
    return KeepOut(((x, y),), radius, name)


def zone(item: WorldObject) -> Optional[KeepOut]:
    """Create the keep-out ground of a box-shaped zone.

    Args:
        item: the zone.

    Returns:
        Its rectangle in the world frame; ``None`` if its pose is unknown.
    """
    if item.pose is None:
        return None
    half = [size / 2.0 for size in item.size[:2]]
    corners = [item.pose.apply((a * half[0], b * half[1], 0.0)) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return KeepOut(tuple((x, y) for x, y, _ in corners), name=item.name)


def space_to(keep_out: KeepOut, spot: Sequence[float], radius: float) -> float:
    """Compute the clearance between a round footprint and a shape.

    Args:
        keep_out: the shape.
        spot: centre of the footprint, x and y in the world frame (m).
        radius: of the footprint (m).

    Returns:
        The clearance (m); if negative, the distance by which the footprint must move away.
    """
    at = Point(*spot[:2])
    ground = keep_out.ground
    if not ground.contains(at):
        return float(ground.distance(at)) - radius
    return -float(ground.exterior.distance(at)) - radius if ground.geom_type == "Polygon" else -radius


def overlapped(pose: Pose, radius: float, keep_outs: Iterable[KeepOut]) -> Optional[KeepOut]:
    """Find the first shape that a round footprint overlaps.

    Args:
        pose: of the footprint's centre in the world frame.
        radius: of the footprint (m).
        keep_outs: the shapes.

    Returns:
        The shape; ``None`` if there is none.
    """
    return next((each for each in keep_outs if space_to(each, pose.position, radius) < -_TOUCHING), None)


def crossed(path: Sequence[Planar], radius: float, keep_outs: Iterable[KeepOut]) -> Optional[KeepOut]:
    """Find the first shape that a round footprint would overlap along a path.

    A base that already stands over a shape may leave it; only entering it again counts.

    Args:
        path: points in the world frame (m).
        radius: of the footprint (m).
        keep_outs: the shapes.

    Returns:
        The shape; ``None`` if there is none.
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
