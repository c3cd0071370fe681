"""The robots' own bodies in a picture, by the frames of their links."""

from __future__ import annotations

from typing import List, Mapping, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.ports.observer import Frames
from hicrisp_core.robot.description import Capsule

from hicrisp_perception.view import Rays, enlarged

_SPARE = 0.006
"""How much wider than a link what shows it is taken to be, metres: depth is ragged at its edges."""
_NEAREST = 0.1
_STRIDE = 2
_LARGEST = (slice(4), slice(4, 10), slice(10, None))
"""Groups of capsules by how large they are seen."""
_CIRCLE = np.stack([np.cos(np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)),
                    np.sin(np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False))], axis=1)


def robot_pixels(rays: Rays, depth: np.ndarray, robots: Frames, links: Mapping[str, Tuple[Capsule, ...]],
                 wider: float = 0.0) -> np.ndarray:
    """Return the pixels that show a robot: inside the projection of its links, with consistent depth.

    Args:
        rays: viewing direction of each pixel in the world frame.
        depth: (height, width), metres; 0 without a measurement.
        robots: pose and stamp of the robots' frames, world frame.
        links: for each frame the capsules around that link.
        wider: how much wider than these it is, metres.

    Returns:
        Boolean (height, width).
    """
    found = np.zeros(depth.shape, bool)
    capsules, hulls = _outlines(rays, robots, links, wider)
    if not hulls:
        return found
    order = sorted(range(len(hulls)), key=lambda number: -cv2.contourArea(hulls[number]))
    whole = _part(np.concatenate(hulls), depth.shape)
    measured = depth[whole]
    drawn = np.zeros(measured.shape, np.uint8)
    corner = np.array([whole[1].start, whole[0].start])
    for hull in hulls:
        cv2.fillConvexPoly(drawn, np.rint((hull - corner) / _STRIDE).astype(np.int32), 1)
    at = np.flatnonzero(drawn)
    far = measured.ravel()[at]
    points = [rays.point(axis, measured, whole).ravel()[at] for axis in range(3)]
    # Depth scatters along the ray, more the farther away.
    spare = np.float32(_SPARE) + np.float32(0.004) * far * far
    inside = far <= 0.0
    for some in _LARGEST:  # What the largest explain need not be compared with the others.
        left = np.flatnonzero(~inside)
        inside[left] = _in_any([each[left] for each in points], spare[left], capsules[order[some]])
    drawn.ravel()[at] = inside
    window = (slice(whole[0].start, whole[0].stop), slice(whole[1].start, whole[1].stop))
    found[window] = enlarged(drawn > 0, _STRIDE, found[window].shape)
    return found


def _outlines(rays: Rays, robots: Frames, links: Mapping[str, Tuple[Capsule, ...]], wider: float
              ) -> Tuple[np.ndarray, List[np.ndarray]]:
    """Return the capsules that are in the picture: (N, 7) both ends in the world frame and the radius of each,
    metres, and the hulls of the discs as which their ends are seen, a little too large, in pixels.
    """
    frames = [name for name, capsules in links.items()
              if capsules and name in robots and robots[name][0].finite]
    there = [capsule for name in frames for capsule in links[name]]
    if not there:
        return np.zeros((0, 7)), []
    ends = np.concatenate([
        np.array([(capsule.start, capsule.end) for capsule in links[name]]) @ np.array(robots[name][0].axes)
        + robots[name][0].position for name in frames])
    radii = np.array([[capsule.radius + wider] for capsule in there])
    wide = radii + _SPARE
    away = rays.depth_of(ends)
    seen = away >= _NEAREST + wide
    reach = rays.lens.fx * wide / np.where(seen, away - wide, 1.0) * 1.08
    discs = rays.project(ends)[:, :, None, :] + reach[:, :, None, None] * _CIRCLE
    discs = np.clip(discs, -2000, 4000).astype(np.float32)
    hidden = ~seen[:, :, None, None]
    low = np.where(hidden, np.inf, discs).min(axis=(1, 2))
    high = np.where(hidden, -np.inf, discs).max(axis=(1, 2))
    size = (rays.lens.width, rays.lens.height)
    shown = np.flatnonzero((high >= 0.0).all(axis=1) & (low < size).all(axis=1))
    hulls = [cv2.convexHull(discs[number][seen[number]].reshape(-1, 2))[:, 0] for number in shown]
    return np.concatenate([ends.reshape(-1, 6), radii], axis=1)[shown], hulls


def _in_any(points: Sequence[np.ndarray], spare: np.ndarray, capsules: np.ndarray) -> np.ndarray:
    """Which points are in a capsule, or as near to one as is spared there.

    Args:
        points: x, y, z of each, metres, in the world frame.
        spare: metres.
        capsules: (M, 7) both ends and the radius of each, metres.
    """
    found = np.zeros(len(spare), bool)
    starts, axes = capsules[:, :3].astype(np.float32), (capsules[:, 3:6] - capsules[:, :3]).astype(np.float32)
    for start, axis, radius in zip(starts, axes, capsules[:, 6].astype(np.float32)):
        away = [each - first for each, first in zip(points, start)]
        # In place: on arrays of this size new memory costs more than the arithmetic.
        part = away[0] * axis[0]
        part += away[1] * axis[1]
        part += away[2] * axis[2]
        part *= np.float32(1.0 / max(1e-12, float(axis @ axis)))
        np.maximum(part, 0.0, out=part)
        np.minimum(part, 1.0, out=part)
        square = np.zeros_like(part)
        for each, along in zip(away, axis):
            each -= part * along
            each *= each
            square += each
        wide = spare + radius
        wide *= wide
        found |= square < wide
    return found


def _part(outline: np.ndarray, shape: Tuple[int, ...]) -> Tuple[slice, slice]:
    """Return every second row and column of the picture's part that holds an outline."""
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int), 0) // _STRIDE * _STRIDE
    high = np.ceil(outline.max(axis=0)).astype(int) + 1
    return (slice(int(low[1]), min(shape[0], int(high[1])), _STRIDE),
            slice(int(low[0]), min(shape[1], int(high[0])), _STRIDE))
