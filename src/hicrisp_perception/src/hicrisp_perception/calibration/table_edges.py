"""Where a picture's depth shows the table: its plane in the camera's frame, and where its sides end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model.geometry import Pose
from hicrisp_core.model.picture import Lens

from hicrisp_perception.view import NEIGHBOURS, along, matrix_of

STRIDE = 6
"""Of rows and columns that the plane is fitted to."""
_TRIES, _VOTERS = 120, 8
"""Planes through three points that are tried, and of how many points one votes for the best."""
_NEAR, _FAR = 0.006, 0.008
"""How far from a plane a point of it may be measured, metres: at least, and at one metre."""
_LEAN, _OFF = np.cos(np.radians(20.0)), 0.2
"""Tolerated tilt of the table, and its distance from the configured height, metres."""
_LEAST = 250
_PART = 0.2
"""Part of what should show the table that must be one plane."""
_HIGH = 0.02
"""Height above the plane at which an object hides what is behind, metres."""
_INSIDE, _BEYOND = 5, 5
"""Pixels on either side of an end that must show the table and must not."""
_HOLE_UP, _HOLE_ASIDE = 3, 18
"""Pixels without depth beyond an end, at most, up or down and to the sides: what only one of the camera's
eyes sees lies beside an object, and hides where the table ends.
"""


@dataclass(frozen=True, eq=False)
class TablePlane:
    """The table's top in the optical frame: ``normal @ point = offset``, the normal towards the camera.

    Args:
        on: which pixels show it.
        above: which pixels show something higher.
        measured: which pixels have depth.
        points: (N, 3) of it, metres.
        noise: standard deviation of their distances from it at one metre, metres.
    """

    normal: np.ndarray
    offset: float
    on: np.ndarray
    above: np.ndarray
    measured: np.ndarray
    points: np.ndarray
    noise: float


def expected_table(lens: Lens, camera: Pose, low: np.ndarray, high: np.ndarray, step: int = 1) -> np.ndarray:
    """Return the pixels that would show the table's top without objects on it.

    Args:
        lens: intrinsic parameters of the camera.
        camera: optical frame in the world frame.
        low: array (2,), least x and y of the table, metres.
        high: array (2,), greatest x and y of the table, metres.
        step: stride of rows and columns.

    Returns:
        Boolean mask with this stride.
    """
    aside, ahead, up = (along(lens, axis, step) for axis in matrix_of(camera))
    reach = np.float32(-camera.position[2]) / np.minimum(up, np.float32(-1e-6))
    x = np.float32(camera.position[0]) + reach * aside
    y = np.float32(camera.position[1]) + reach * ahead
    return (up < -1e-3) & (x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])


def find_plane(depth: np.ndarray, lens: Lens, camera: Pose, expected: np.ndarray) -> Optional[TablePlane]:
    """Find the plane of the table's top.

    Args:
        depth: (height, width), metres; 0 without a measurement.
        lens: intrinsic parameters of the camera.
        camera: configured optical frame in the world frame.
        expected: mask of every ``STRIDE``-th row and column that should show the table.

    Returns:
        The plane; ``None`` if there is none nearby.
    """
    sampled = depth[::STRIDE, ::STRIDE]
    chosen = expected & (sampled > 0.0)
    axes = [along(lens, axis, STRIDE)[chosen] for axis in np.eye(3)]
    points = np.stack(axes, axis=1).astype(float) * sampled[chosen][:, None]
    wanted = max(_LEAST, int(_PART * np.count_nonzero(expected)))
    if len(points) < wanted:
        return None
    found = _ransac(points, matrix_of(camera)[2], camera.position[2])
    if found is None or np.count_nonzero(_within(points, *found)) < wanted:
        return None
    normal, offset = _refined(points, *found)
    kept = points[_within(points, normal, offset)]
    rest = (kept @ normal - offset) / np.maximum(0.3, kept[:, 2]) ** 2
    height = along(lens, normal) * depth - np.float32(offset)
    near = np.maximum(_NEAR, _FAR * depth * depth)
    there = depth > 0.0
    on = (there & (np.abs(height) < near)).astype(np.uint8)
    on = cv2.morphologyEx(on, cv2.MORPH_CLOSE, NEIGHBOURS) > 0
    noise = max(5e-4, 1.4826 * float(np.median(np.abs(rest))))
    return TablePlane(normal, offset, on, there & (height > _HIGH), there, kept, noise)


def _ransac(points: np.ndarray, up: np.ndarray, high: float) -> Optional[Tuple[np.ndarray, float]]:
    """Return the plane with most of the points: roughly level, at about the configured distance below the camera."""
    dice = np.random.default_rng(3)
    first, second, third = points[dice.integers(0, len(points), (_TRIES, 3))].transpose(1, 0, 2)
    normals = np.cross(second - first, third - first)
    lengths = np.linalg.norm(normals, axis=1)
    rising = normals @ up
    offsets = (normals * first).sum(axis=1)
    scale = np.where(rising > 0.0, 1.0, -1.0) / np.maximum(lengths, 1e-9)
    good = (lengths > 1e-6) & (scale * rising > _LEAN) & (np.abs(scale * offsets + high) < _OFF)
    if not good.any():
        return None
    normals, offsets = (normals * scale[:, None])[good], (scale * offsets)[good]
    voters = points[::_VOTERS]
    near = np.abs(voters @ normals.T - offsets) < _reach(voters)[:, None]
    best = int(np.count_nonzero(near, axis=0).argmax())
    return normals[best], float(offsets[best])


def _within(points: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    return np.abs(points @ normal - offset) < _reach(points)


def _reach(points: np.ndarray) -> np.ndarray:
    """Return how far from a plane each of its points may be measured, metres."""
    return np.maximum(_NEAR, _FAR * points[:, 2] ** 2)


def _refined(points: np.ndarray, normal: np.ndarray, offset: float) -> Tuple[np.ndarray, float]:
    """Least squares with weights for the noise, which grows with the square of the distance."""
    for _ in range(3):
        kept = points[_within(points, normal, offset)]
        weight = 1.0 / np.maximum(0.3, kept[:, 2]) ** 4
        middle = weight @ kept / weight.sum()
        spread = (kept - middle) * np.sqrt(weight)[:, None]
        turned = np.linalg.svd(spread, full_matrices=False)[2][2]
        normal = turned if turned @ normal > 0.0 else -turned
        offset = float(normal @ middle)
    return normal, offset


def find_ends(plane: TablePlane, at: np.ndarray, outwards: np.ndarray, reach: int) -> np.ndarray:
    """Measure how far the table extends beyond pixels of its expected edge.

    Args:
        plane: the table's plane.
        at: (N, 2) pixels of the expected edge, columns first.
        outwards: (N, 2) unit vectors across the edge.
        reach: greatest distance on either side, pixels.

    Returns:
        Array (N,), pixels; NaN if the edge is not visible.
    """
    height, width = plane.on.shape
    steps = np.arange(-reach - _INSIDE, reach + _BEYOND + 1)
    places = np.rint(at[:, None] + steps[None, :, None] * outwards[:, None]).astype(int)
    framed = ((places >= 0) & (places < (width, height))).all(axis=2)
    columns, rows = np.clip(places[..., 0], 0, width - 1), np.clip(places[..., 1], 0, height - 1)
    on, above = plane.on[rows, columns] & framed, plane.above[rows, columns]
    measured = plane.measured[rows, columns] & framed
    holes = (_HOLE_UP + (_HOLE_ASIDE - _HOLE_UP) * np.abs(outwards[:, 0])).astype(int)
    last = len(steps) - 1 - on[:, ::-1].argmax(axis=1)
    line = np.arange(len(on))[:, None]

    def at_steps(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """Return values of each line at steps from the last pixel of the table; pixels beyond its ends are false."""
        there = last[:, None] + offsets
        held: np.ndarray = values[line, np.clip(there, 0, len(steps) - 1)]
        return held & (there >= 0) & (there < len(steps))

    beyond = np.arange(1, _BEYOND + 1)
    ends = on.any(axis=1) & at_steps(framed, beyond).all(axis=1) & ~at_steps(above, beyond).any(axis=1)
    ends &= np.count_nonzero(at_steps(on, -np.arange(_INSIDE)), axis=1) >= _INSIDE - 1
    # Only edges of the table, not of an object: the next pixel is not higher.
    gap = np.arange(_HOLE_ASIDE + 1)
    known = at_steps(measured, 1 + gap) & (gap <= holes[:, None])
    ends &= known.any(axis=1) & ~at_steps(above, 1 + known.argmax(axis=1)[:, None])[:, 0]
    return np.where(ends, steps[last] + 0.5, np.nan)
