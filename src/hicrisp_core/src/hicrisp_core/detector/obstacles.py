"""Obstacles that no map knows, from where a lidar's rays ended: discs, one for each object that was seen."""

from __future__ import annotations

import math
from typing import List, Mapping, Optional, Tuple

import numpy as np

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.scan import Scan
from hicrisp_core.ports.observer import Frames
from hicrisp_core.robot.description import Capsule

PREFIX = "seen_obstacle_"
_APART = 2.3
"""Points further apart than this many times the resolution belong to different objects."""
_LEAST_POINTS = 2
_LARGEST, _LEAST_ARC = 0.6, 1.2
"""Radius (metres) beyond which a fitted circle is not believed, and the arc (radians) that must be seen of
it.
"""
_SMALL = 0.08
"""Radius of a disc, metres, that is small enough to stand for what lies on no circle; larger ones are
split.
"""
_LEAST_HEIGHT = 0.1
"""Of a disc, metres; where TF has the lidar hardly above the floor."""
_SLACK = 0.02
"""Metres around an arm's capsules, which are drawn for pictures, that still belong to it."""
_FLAT = 0.02
"""Height up to which an end lies on the floor, metres."""


def obstacles_in(
    points: np.ndarray, resolution: float, type_: str, floor: float = 0.0, top: float = 0.0
) -> Tuple[WorldObject, ...]:
    """Return discs that cover groups of points, numbered from left to right.

    Args:
        points: array (n, 2), metres in the map frame.
        resolution: accuracy of the points, metres.
        type_: the domain's type of obstacles.
        floor: height of the floor, metres in the world frame.
        top: height of the scan plane, metres in the world frame.

    Returns:
        The obstacles as objects; groups of too few points are left out.
    """
    height = max(_LEAST_HEIGHT, top - floor)
    found: List[Tuple[float, float, float]] = []
    for group in _groups(np.asarray(points, dtype=float).reshape(-1, 2), _APART * resolution):
        if len(group) >= _LEAST_POINTS:
            found.extend(_discs(group, resolution))
    return tuple(
        WorldObject(f"{PREFIX}{number}", type_, "cylinder", (2 * radius, 2 * radius, height),
                    pose=Pose((x, y, floor + height / 2.0)), movable=False)
        for number, (x, y, radius) in enumerate(sorted(found), start=1))


def _groups(points: np.ndarray, apart: float) -> List[np.ndarray]:
    """Points that hang together."""
    left = list(range(len(points)))
    groups: List[np.ndarray] = []
    while left:
        group, edge = [], [left.pop()]
        while edge:
            at = edge.pop()
            group.append(at)
            if not left:
                continue
            near = np.hypot(*(points[left] - points[at]).T) <= apart
            edge.extend(index for index, close in zip(left, near) if close)
            left = [index for index, close in zip(left, near) if not close]
        groups.append(points[group])
    return groups


def _discs(points: np.ndarray, resolution: float) -> List[Tuple[float, float, float]]:
    """Return the circle through an arc, or small discs that cover the points where they lie on none: (x, y,
    radius).
    """
    circle = _circle(points, resolution)
    if circle is not None:
        return [circle]
    middle = points.mean(axis=0)
    around = float(np.hypot(*(points - middle).T).max()) + resolution / 2.0
    if around <= _SMALL or len(points) < 2 * _LEAST_POINTS:
        return [(float(middle[0]), float(middle[1]), around)]
    axis = np.linalg.svd(points - middle, full_matrices=False)[2][0]
    ranked = points[np.argsort((points - middle) @ axis)]
    half = len(ranked) // 2
    return _discs(ranked[:half], resolution) + _discs(ranked[half:], resolution)


def _circle(points: np.ndarray, resolution: float) -> Optional[Tuple[float, float, float]]:
    """Fit a circle to points (Kasa's least squares); ``None`` if they do not lie on one."""
    if len(points) < 6:
        return None
    x, y = points.T
    (a, b, c), *_ = np.linalg.lstsq(np.column_stack((2 * x, 2 * y, np.ones_like(x))), x * x + y * y, rcond=None)
    squared = float(c + a * a + b * b)
    if not 0.0 < squared <= _LARGEST ** 2:
        return None
    radius = math.sqrt(squared)
    bearings = np.sort(np.arctan2(y - b, x - a))
    widest_gap = float(np.diff(bearings, append=bearings[0] + math.tau).max())
    off = np.abs(np.hypot(x - a, y - b) - radius)
    if math.tau - widest_gap < _LEAST_ARC or float(off.max()) > 2.0 * resolution:
        return None
    return float(a), float(b), radius + resolution / 2.0


class KnownBodies:
    """The bodies of robots in an arena, each where its frames show it.

    Args:
        bases: the radius of the round footprint of each base (metres), by the frame of its middle.
        links: the capsules around the links of arms, by the link's frame.
        floor: its height in the world frame, metres.
    """

    def __init__(self, bases: Mapping[str, float], links: Mapping[str, Tuple[Capsule, ...]], floor: float) -> None:
        self._bases, self._links, self._floor = bases, links, floor

    @property
    def frames(self) -> Tuple[str, ...]:
        """The frames of the bases, and of the arms' links."""
        return (*self._bases, *self._links)

    def explain(self, scan: Scan, frames: Frames) -> np.ndarray:
        """Check for each end of a scan whether it lies on a robot or on the floor.

        Args:
            scan: one sweep of a lidar in the map frame.
            frames: the poses of the robots' frames at the moment of the scan; a frame that is missing explains nothing.

        Returns:
            Boolean array (n,), true if the end needs no obstacle.
        """
        ends = scan.ends
        explained = np.asarray(ends[:, 2] <= self._floor + _FLAT) & (scan.pose.position[2] > self._floor + _FLAT)
        for name, radius in self._bases.items():
            if name in frames:
                middle = np.array(frames[name][0].position[:2])
                explained |= np.hypot(*(ends[:, :2] - middle).T) < radius
        for name, capsules in self._links.items():
            for capsule in capsules if name in frames else ():
                start, end = (np.array(frames[name][0].apply(at)) for at in (capsule.start, capsule.end))
                along = end - start
                part = np.clip((ends - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
                away = np.linalg.norm(ends - start - part[:, None] * along, axis=1)
                explained |= away < capsule.radius + _SLACK
        return explained
