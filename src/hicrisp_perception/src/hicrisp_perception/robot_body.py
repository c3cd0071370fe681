"""The robots' own bodies in a picture, by the frames of their links."""

from __future__ import annotations

from typing import Iterable, List, Mapping, Tuple

import cv2
import numpy as np
from hicrisp_core.ports.eyes import Frames
from hicrisp_core.robot.description import Capsule

from hicrisp_perception.view import Rays

_SPARE = 0.012
"""How much wider than a link what shows it is taken to be, metres: depth is ragged at its edges."""
_NEAREST = 0.1
_STRIDE = 2


def robot_pixels(rays: Rays, depth: np.ndarray, robots: Frames, links: Mapping[str, Tuple[Capsule, ...]]
                 ) -> np.ndarray:
    """Which pixels show a robot: where its links are drawn and nothing nearer or farther is measured.

    Args:
        links: for each frame the capsules around that link.
    """
    found = np.zeros(depth.shape, bool)
    placed = list(_placed(robots, links))
    if not placed:
        return found
    drawn = np.zeros(depth.shape, np.uint8)
    for start, end, radius in placed:
        _draw(drawn, rays, start, end, radius + _SPARE)
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    if not len(rows):
        return found
    part = (slice(int(rows[0]), int(rows[-1]) + 1, _STRIDE),
            slice(int(columns[0]), int(columns[-1]) + 1, _STRIDE))
    there, measured = drawn[part] > 0, depth[part]
    own = there & (measured <= 0.0)
    row, column = np.nonzero(there & (measured > 0.0))
    far = measured[row, column]
    points = np.stack([rays.point(axis, measured, part)[row, column] for axis in range(3)], axis=1)
    # Depth scatters along the ray, more the farther away.
    spare = _SPARE + 0.004 * far * far
    near = np.zeros(len(points), bool)
    for start, end, radius in placed:
        near |= _distance(points, start, end) < radius + spare
    own[row, column] = near
    whole = np.repeat(np.repeat(own, _STRIDE, 0), _STRIDE, 1)
    window = (slice(part[0].start, part[0].stop), slice(part[1].start, part[1].stop))
    found[window] = whole[:window[0].stop - window[0].start, :window[1].stop - window[1].start]
    return found


def _placed(robots: Frames, links: Mapping[str, Tuple[Capsule, ...]]
            ) -> Iterable[Tuple[np.ndarray, np.ndarray, float]]:
    for name, capsules in links.items():
        if name not in robots or not robots[name][0].finite:
            continue
        pose = robots[name][0]
        for capsule in capsules:
            yield np.array(pose.apply(capsule.start)), np.array(pose.apply(capsule.end)), capsule.radius


def _draw(drawn: np.ndarray, rays: Rays, start: np.ndarray, end: np.ndarray, radius: float) -> None:
    """The hull of the discs as which both ends are seen, a little too large."""
    corners: List[np.ndarray] = []
    for middle in (start, end):
        depth = float(rays.depth_of(middle))
        if depth < _NEAREST + radius:
            continue
        column, row = rays.project(middle)
        reach = rays.lens.fx * radius / (depth - radius) * 1.08
        angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
        corners.append(np.stack([column + reach * np.cos(angles), row + reach * np.sin(angles)], axis=1))
    if corners:
        points = np.clip(np.concatenate(corners), -20000, 20000).astype(np.int32)
        cv2.fillConvexPoly(drawn, cv2.convexHull(points), 1)


def _distance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    axis = end - start
    part = np.clip((points - start) @ axis / max(1e-12, float(axis @ axis)), 0.0, 1.0)
    found: np.ndarray = np.linalg.norm(points - start - part[:, None] * axis, axis=1)
    return found
