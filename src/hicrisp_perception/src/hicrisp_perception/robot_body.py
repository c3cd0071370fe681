"""The robots' own bodies in a picture, by the frames of their links."""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.ports.eyes import Frames
from hicrisp_core.robot.description import Capsule

from hicrisp_perception.view import Rays, enlarged

_SPARE = 0.006
"""How much wider than a link what shows it is taken to be, metres: depth is ragged at its edges."""
_NEAREST = 0.1
_STRIDE = 2
_CIRCLE = np.stack([np.cos(np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)),
                    np.sin(np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False))], axis=1)


def robot_pixels(rays: Rays, depth: np.ndarray, robots: Frames, links: Mapping[str, Tuple[Capsule, ...]]
                 ) -> np.ndarray:
    """Which pixels show a robot: where its links are drawn and nothing nearer or farther is measured.

    Args:
        links: for each frame the capsules around that link.
    """
    found = np.zeros(depth.shape, bool)
    outlines = list(_outlines(rays, robots, links))
    if not outlines:
        return found
    whole = _part(np.concatenate([outline for _, outline in outlines]), depth.shape)
    measured = depth[whole]
    points = [rays.point(axis, measured, whole) for axis in range(3)]
    # Depth scatters along the ray, more the farther away.
    spare = np.float32(_SPARE) + np.float32(0.004) * measured * measured
    unmeasured = measured <= 0.0
    own = np.zeros(measured.shape, np.uint8)
    origin = np.array([whole[1].start, whole[0].start])
    for (start, end, radius), outline in outlines:
        rows, columns = (slice((inner.start - outer.start) // _STRIDE,
                               (inner.stop - outer.start + _STRIDE - 1) // _STRIDE)
                         for inner, outer in zip(_part(outline, depth.shape), whole))
        near = _square_distance([point[rows, columns] for point in points], start, end) < (
            np.float32(radius) + spare[rows, columns]) ** 2
        drawn = np.zeros(near.shape, np.uint8)
        corner = origin + np.array([columns.start, rows.start]) * _STRIDE
        cv2.fillConvexPoly(drawn, np.rint((outline - corner) / _STRIDE).astype(np.int32), 1)
        own[rows, columns] |= drawn & (near | unmeasured[rows, columns])
    window = (slice(whole[0].start, whole[0].stop), slice(whole[1].start, whole[1].stop))
    found[window] = enlarged(own > 0, _STRIDE, found[window].shape)
    return found


def _outlines(rays: Rays, robots: Frames, links: Mapping[str, Tuple[Capsule, ...]]
              ) -> Iterator[Tuple[Tuple[np.ndarray, np.ndarray, float], np.ndarray]]:
    """The capsules that are in the picture: both ends and the radius of each in the world frame, metres, and
    the hull of the discs as which its ends are seen, a little too large, in pixels.
    """
    frames = [name for name, capsules in links.items()
              if capsules and name in robots and robots[name][0].finite]
    there = [capsule for name in frames for capsule in links[name]]
    if not there:
        return
    ends = np.concatenate([
        np.array([(capsule.start, capsule.end) for capsule in links[name]]) @ np.array(robots[name][0].axes)
        + robots[name][0].position for name in frames])
    wide = np.array([[capsule.radius + _SPARE] for capsule in there])
    away = rays.depth_of(ends)
    seen = away >= _NEAREST + wide
    reach = rays.lens.fx * wide / np.where(seen, away - wide, 1.0) * 1.08
    discs = rays.project(ends)[:, :, None, :] + reach[:, :, None, None] * _CIRCLE
    size = np.array([rays.lens.width, rays.lens.height])
    for number, capsule in enumerate(there):
        points = discs[number][seen[number]].reshape(-1, 2)
        if not len(points) or (points.max(axis=0) < 0).any() or (points.min(axis=0) >= size).any():
            continue
        hull = cv2.convexHull(np.clip(points, -2000, 4000).astype(np.float32))[:, 0]
        yield (ends[number, 0], ends[number, 1], capsule.radius), hull


def _part(outline: np.ndarray, shape: Tuple[int, ...]) -> Tuple[slice, slice]:
    """Every second row and column of the picture's part that holds an outline."""
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int), 0) // _STRIDE * _STRIDE
    high = np.ceil(outline.max(axis=0)).astype(int) + 1
    return (slice(int(low[1]), min(shape[0], int(high[1])), _STRIDE),
            slice(int(low[0]), min(shape[1], int(high[0])), _STRIDE))


def _square_distance(points: Sequence[np.ndarray], start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Of points from a line between two ends, square metres."""
    axis = (end - start).astype(np.float32)
    x, y, z = (point - np.float32(value) for point, value in zip(points, start))
    part = (x * axis[0] + y * axis[1] + z * axis[2]) * np.float32(1.0 / max(1e-12, float(axis @ axis)))
    np.clip(part, 0.0, 1.0, out=part)
    x, y, z = x - part * axis[0], y - part * axis[1], z - part * axis[2]
    found: np.ndarray = x * x + y * y + z * z
    return found
