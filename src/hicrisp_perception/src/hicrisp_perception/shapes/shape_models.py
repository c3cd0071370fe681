"""The shapes of objects as rays meet them, and the ways in which an object can lie on a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Tuple

import numpy as np
from hicrisp_core.model import WorldObject
from hicrisp_core.model.geometry import Pose, Quaternion, from_yaw, multiply
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.shapes import BOWL_WALL, Shape, Solid

_CORNERS = 24
"""Corners of the polygons that stand for a circle."""
_LIKE = 0.0025
"""Sizes that differ less look the same, metres."""
_LEANING = 0.1
"""Tilt at which a round object has a yaw, radians."""
_UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
_HALF = math.sqrt(0.5)
_ON_X: Quaternion = (0.0, -_HALF, 0.0, _HALF)
_ON_Y: Quaternion = (_HALF, 0.0, 0.0, _HALF)
_OVER: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Lie:
    """A shape of a size as it lies on one of its sides.

    Args:
        turn: from the object's own frame to that of its lie, whose z axis points up.
        height: metres.
        across: extents along the x and the y axis of the lie, metres.
        period: the turn about the vertical after which it looks the same, radians; 0 for what is round.
    """

    shape: Shape
    size: Tuple[float, float, float]
    turn: Quaternion
    height: float
    across: Tuple[float, float]
    period: float

    @property
    def round(self) -> bool:
        """Whether it has no yaw."""
        return self.period == 0.0

    @property
    def radius(self) -> float:
        """Radius of the circle around its footprint, metres."""
        return self.across[0] / 2.0 if self.round else math.hypot(*self.across) / 2.0

    def pose(self, x: float, y: float, z: float, yaw: float) -> Pose:
        """Return the object's pose for a position of its middle.

        Args:
            x: world frame, metres.
            y: world frame, metres.
            z: world frame, metres.
            yaw: radians.

        Returns:
            Pose in the world frame.
        """
        return Pose((float(x), float(y), float(z)), multiply(from_yaw(float(yaw)), self.turn))

    def corners(self) -> np.ndarray:
        """Return points whose hull is the shape's.

        Returns:
            Array (N, 3) in the frame of the lie, metres.
        """
        return _corners(self)


def lies_of(item: WorldObject) -> Tuple[Lie, ...]:
    """Return the ways in which an object can lie, upright first.

    Args:
        item: the object with its shape and size.

    Returns:
        The lies; symmetric ones only once.
    """
    return _lies(item.form, item.size)


def lie_at(item: WorldObject, pose: Pose) -> Tuple[Lie, float]:
    """Return the lie of an object at a pose with any tilt.

    Args:
        item: the object with its shape and size.
        pose: world frame.

    Returns:
        The lie, and the remaining yaw, radians.
    """
    yaw = pose.yaw
    turn = multiply(from_yaw(-yaw), pose.orientation)
    upright = _lies(item.form, item.size)[0]
    leaning = pose.tilt > _LEANING
    low, high = vertical_span(item, pose)
    return Lie(item.form, item.size, turn, high - low, upright.across,
               math.pi if leaning and upright.round else upright.period), yaw


@lru_cache(maxsize=256)
def _lies(form: Shape, size: Tuple[float, float, float]) -> Tuple[Lie, ...]:
    x, y, z = size
    half = math.pi
    if form.hollow:
        return (Lie(form, size, _UPRIGHT, z, (x, y), 0.0 if form.round else _period(x, y)),
                Lie(form, size, _OVER, z, (x, y), 0.0 if form.round else _period(x, y)))
    if form.round:
        return (Lie(form, size, _UPRIGHT, z, (x, y), 0.0), Lie(form, size, _ON_X, x, (z, y), half))
    found = [Lie(form, size, _UPRIGHT, z, (x, y), _period(x, y))]
    if abs(x - z) > _LIKE:
        found.append(Lie(form, size, _ON_X, x, (z, y), _period(z, y)))
    if abs(y - z) > _LIKE and abs(x - y) > _LIKE:
        found.append(Lie(form, size, _ON_Y, y, (x, z), _period(x, z)))
    return tuple(found)


def _period(a: float, b: float) -> float:
    return math.pi / 2.0 if abs(a - b) <= _LIKE else math.pi


@lru_cache(maxsize=64)
def unit(turn: Quaternion) -> np.ndarray:
    """Return the rotation matrix of a quaternion.

    Args:
        turn: quaternion (x, y, z, w).

    Returns:
        Array (3, 3), read-only.
    """
    found: np.ndarray = np.array(Pose((0.0, 0.0, 0.0), turn).axes).T
    found.setflags(write=False)
    return found


@lru_cache(maxsize=256)
def _corners(lie: Lie) -> np.ndarray:
    points = [solid.pose.apply(point) for solid in _solids(lie.shape, lie.size)
              for point in _outer(solid)]
    return np.array(points) @ unit(lie.turn).T


def _outer(solid: Solid) -> Tuple[Tuple[float, float, float], ...]:
    x, y, z = (extent / 2.0 for extent in solid.size)
    if solid.kind == "cylinder":
        # Between the circle and the polygon around it: as wide as the circle in the mean.
        reach = x * (1.0 + (math.pi / _CORNERS) ** 2 / 6.0)
        ring = [math.tau * corner / _CORNERS for corner in range(_CORNERS)]
        return tuple((reach * math.cos(angle), reach * math.sin(angle), side * z)
                     for angle in ring for side in (-1.0, 1.0))
    return tuple((a * x, b * y, c * z) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0))


@lru_cache(maxsize=256)
def _solids(form: Shape, size: Tuple[float, float, float]) -> Tuple[Solid, ...]:
    """Return what rays meet first from outside; a round hollow object is a full cylinder with a well in it."""
    if form.hollow and form.round:
        return (Solid("cylinder", size),)
    return form.solids(size)


def cast(lie: Lie, pose: Pose, origin: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Intersect rays with an object.

    Args:
        lie: shape and size with the side that it lies on.
        pose: of the object, world frame.
        origin: array (3,), common origin of the rays, world frame.
        directions: array (3, N), world frame.

    Returns:
        Array (N,), distance in lengths of the direction; infinite without an intersection.
    """
    turn = np.array(pose.axes)
    start = (turn @ (origin - np.array(pose.position))).astype(np.float32)
    rays = turn.astype(np.float32) @ directions
    if lie.shape.hollow and lie.shape.round:
        return _bowl(lie.size, start, rays)
    nearest = np.full(rays.shape[1], np.inf, np.float32)
    for solid in _solids(lie.shape, lie.size):
        own = np.array(solid.pose.axes, np.float32)
        begin = own @ (start - np.array(solid.pose.position, np.float32))
        if solid.kind == "cylinder":
            enter, leave = _tube(solid.size[0] / 2.0, solid.size[2] / 2.0, begin, own @ rays)
        else:
            inverse = np.float32(1.0) / _apart(own @ rays)
            middle = (-begin)[:, None] * inverse
            reach = (np.array(solid.size) / 2.0).astype(np.float32)[:, None] * np.abs(inverse)
            enter, leave = (middle - reach).max(axis=0), (middle + reach).min(axis=0)
        nearest = np.minimum(nearest, np.where((enter <= leave) & (leave > 0.0), enter, np.float32(np.inf)))
    return nearest


def _tube(radius: float, half: float, start: np.ndarray, rays: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    a = rays[0] ** 2 + rays[1] ** 2 + np.float32(1e-12)
    b = rays[0] * start[0] + rays[1] * start[1]
    c = start[0] ** 2 + start[1] ** 2 - np.float32(radius ** 2)
    inside = b * b - a * c
    root = np.sqrt(np.maximum(inside, np.float32(0.0)))
    inverse = np.float32(1.0) / _apart(rays[2])
    middle, reach = -start[2] * inverse, np.float32(half) * np.abs(inverse)
    enter, leave = np.maximum((-b - root) / a, middle - reach), np.minimum((-b + root) / a, middle + reach)
    enter[inside <= 0.0], leave[inside <= 0.0] = np.inf, -np.inf
    return enter, leave


def _apart(rays: np.ndarray) -> np.ndarray:
    """Away from zero, so that one can divide by it."""
    return np.where(np.abs(rays) < 1e-9, np.float32(1e-9), rays)


def _bowl(size: Tuple[float, float, float], start: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Return a cylinder with a well: a ray that would enter within the well goes on to its wall or floor."""
    radius, half = size[0] / 2.0, size[2] / 2.0
    enter, leave = _tube(radius, half, start, rays)
    hit = (enter <= leave) & (leave > 0.0)
    # The well reaches above the rim, so that a ray that enters through it is inside.
    floor, inner = BOWL_WALL - half, radius - BOWL_WALL
    well: np.ndarray = start - np.array([0.0, 0.0, (floor + 1.0) / 2.0], np.float32)
    into, out = _tube(inner, (1.0 - floor) / 2.0, well, rays)
    through = (into <= enter + 1e-9) & (out > enter)
    beyond = np.where(out < leave, out, np.float32(np.inf))
    met = np.where(through, beyond, enter)
    return np.where(hit, met, np.float32(np.inf))
