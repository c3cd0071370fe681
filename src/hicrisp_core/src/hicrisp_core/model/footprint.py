"""Sizes and footprints of objects as they lie: what the detector measures and the decoder places by."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Tuple

from shapely.geometry import MultiPoint, Polygon
from shapely.geometry.base import BaseGeometry

from hicrisp_core.model.geometry import Pose, Vector, rotate
from hicrisp_core.model.shapes import Shape
from hicrisp_core.model.world import WorldObject

UPRIGHT = 0.35
"""Radians of tilt up to which a round object's footprint is still taken as a disc."""


def half_extents(thing: WorldObject, pose: Pose) -> Tuple[float, float, float]:
    """Half the sizes of the axis-aligned box around an object at a pose, world axes, metres."""
    axes = pose.axes
    x, y, z = (sum(abs(axis[i]) * size / 2.0 for axis, size in zip(axes, thing.size)) for i in range(3))
    return (x, y, z)


def width_along(thing: WorldObject, pose: Pose, direction: Vector) -> float:
    """How wide an object at a pose is at most between fingers that close along a direction, metres."""
    local = rotate(pose.inverse().orientation, direction)
    width = sum(abs(a) * size for a, size in zip(local, thing.size))
    return min(width, max(thing.size[0], abs(local[2]) * thing.size[2])) if thing.form.rod else width


def vertical_span(thing: WorldObject, pose: Pose) -> Tuple[float, float]:
    """Height of the lowest and of the highest point, metres in the world frame."""
    if thing.form.round:
        up = rotate(pose.orientation, (0.0, 0.0, 1.0))[2]
        half = abs(up) * thing.size[2] / 2.0 + math.sqrt(max(0.0, 1.0 - up * up)) * thing.size[0] / 2.0
    else:
        half = half_extents(thing, pose)[2]
    return pose.position[2] - half, pose.position[2] + half


def footprint(thing: WorldObject, pose: Pose) -> BaseGeometry:
    """The shadow of an object on the ground, metres in the world's plane."""
    return _shadow(thing.form, thing.size, pose)


@lru_cache(maxsize=512)
def _shadow(shape: Shape, size: Vector, pose: Pose) -> BaseGeometry:
    """Things mostly stand still, so their shadows are asked for again and again. A plan asks for some
    hundred; those of things in motion never come again, and thousands of them fill megabytes.
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
    """Horizontal distance between the footprints of two seen objects, metres; 0 when they overlap."""
    if a.pose is None or b.pose is None:
        return math.inf
    return float(footprint(a, a.pose).distance(footprint(b, b.pose)))


def support(thing: WorldObject, yaw: float, bearing: float) -> float:
    """How far an upright object at ``yaw`` reaches from its centre towards ``bearing`` (radians), metres."""
    along, across = math.cos(bearing - yaw), math.sin(bearing - yaw)
    return max(x * along + y * across for x, y in thing.form.outline(thing.size))
