"""Where a picture's depth shows the table: its plane in the camera's frame, and where its sides end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.model.geometry import Pose
from hicrisp_core.model.picture import Lens

from hicrisp_perception.view import matrix_of

_STRIDE = 6
"""Of rows and columns that the plane is fitted to."""
_TRIES = 120
"""Planes through three points that are tried."""
_NEAR, _FAR = 0.006, 0.008
"""How far from a plane a point of it may be measured, metres: at least, and at one metre."""
_LEAN, _OFF = np.cos(np.radians(20.0)), 0.2
"""How far the table may seem to lean, and how far from where it is told, metres."""
_LEAST = 250
_PART = 0.2
"""Part of what should show the table that must be one plane."""
_HIGH = 0.02
"""Height above the plane from which on something hides what is behind, metres."""
_INSIDE, _BEYOND = 5, 5
"""Pixels on either side of an end that must show the table and must not."""
_HOLE_UP, _HOLE_ASIDE = 3, 18
"""Pixels without depth beyond an end, at most, up or down and to the sides: what only one of the camera's
eyes sees lies beside a thing, and hides where the table ends.
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


def rays_of(lens: Lens) -> np.ndarray:
    """(height, width, 3) the direction of each pixel in the optical frame, one metre along its axis."""
    columns = (np.arange(lens.width) - lens.cx) / lens.fx
    rows = (np.arange(lens.height) - lens.cy) / lens.fy
    grid = np.meshgrid(columns, rows)
    return np.stack([*grid, np.ones_like(grid[0])], axis=2)


def expected_table(lens: Lens, camera: Pose, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(height, width) which pixels would show the table's top if nothing stood on it.

    Args:
        low, high: the table's least and greatest x and y, metres.
    """
    directions = rays_of(lens) @ matrix_of(camera).T
    down = np.minimum(directions[..., 2], -1e-6)
    reach = -camera.position[2] / down
    x = camera.position[0] + reach * directions[..., 0]
    y = camera.position[1] + reach * directions[..., 1]
    found: np.ndarray = ((directions[..., 2] < -1e-3) & (x > low[0]) & (x < high[0]) & (y > low[1])
                         & (y < high[1]))
    return found


def find_plane(depth: np.ndarray, lens: Lens, camera: Pose, expected: np.ndarray) -> Optional[TablePlane]:
    """The plane that most of what should show the table lies in; ``None`` where there is none nearby.

    Args:
        depth: (height, width) metres, 0 where nothing was measured.
        camera: where it is told to be.
        expected: which pixels should show the table.
    """
    rays = rays_of(lens)
    part = (slice(None, None, _STRIDE), slice(None, None, _STRIDE))
    chosen = expected[part] & (depth[part] > 0.0)
    points = rays[part][chosen] * depth[part][chosen][:, None]
    wanted = max(_LEAST, int(_PART * np.count_nonzero(expected[part])))
    if len(points) < wanted:
        return None
    found = _ransac(points, matrix_of(camera)[2], camera.position[2])
    if found is None or np.count_nonzero(_within(points, *found)) < wanted:
        return None
    normal, offset = _refined(points, *found)
    kept = points[_within(points, normal, offset)]
    rest = (kept @ normal - offset) / np.maximum(0.3, kept[:, 2]) ** 2
    whole = rays * depth[..., None]
    height = whole @ normal - offset
    near = np.maximum(_NEAR, _FAR * depth * depth)
    there = depth > 0.0
    on = (there & (np.abs(height) < near)).astype(np.uint8)
    on = cv2.morphologyEx(on, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)) > 0
    noise = max(5e-4, 1.4826 * float(np.median(np.abs(rest))))
    return TablePlane(normal, offset, on, there & (height > _HIGH), there, kept, noise)


def _ransac(points: np.ndarray, up: np.ndarray, high: float) -> Optional[Tuple[np.ndarray, float]]:
    """The plane with most of the points: roughly level, and about as far below the camera as is told."""
    dice = np.random.default_rng(3)
    best: Optional[Tuple[np.ndarray, float]] = None
    most = 0
    for first, second, third in points[dice.integers(0, len(points), (_TRIES, 3))]:
        normal = np.cross(second - first, third - first)
        length = float(np.linalg.norm(normal))
        if length < 1e-6:
            continue
        normal *= (1.0 if normal @ up > 0.0 else -1.0) / length
        offset = float(normal @ first)
        if normal @ up < _LEAN or abs(offset + high) > _OFF:
            continue
        count = int(np.count_nonzero(_within(points, normal, offset)))
        if count > most:
            best, most = (normal, offset), count
    return best


def _within(points: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    found: np.ndarray = np.abs(points @ normal - offset) < np.maximum(_NEAR, _FAR * points[:, 2] ** 2)
    return found


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
    """How far beyond some pixels the table ends, pixels; NaN where that is not seen.

    Args:
        at: (N, 2) pixels where it should end, columns first.
        outwards: (N, 2) unit vectors across its edge.
        reach: pixels that are searched on either side.
    """
    height, width = plane.on.shape
    steps = np.arange(-reach - _INSIDE, reach + _BEYOND + 1)
    places = np.rint(at[:, None] + steps[None, :, None] * outwards[:, None]).astype(int)
    framed = ((places >= 0) & (places < (width, height))).all(axis=2)
    columns, rows = np.clip(places[..., 0], 0, width - 1), np.clip(places[..., 1], 0, height - 1)
    on, above = plane.on[rows, columns] & framed, plane.above[rows, columns]
    measured = plane.measured[rows, columns] & framed
    holes = _HOLE_UP + (_HOLE_ASIDE - _HOLE_UP) * np.abs(outwards[:, 0])
    found: List[float] = []
    for line, over, known, inside, hole in zip(on, above, measured, framed, holes):
        found.append(_end(line, over, known, inside, steps, int(hole)))
    return np.array(found)


def _end(on: np.ndarray, above: np.ndarray, measured: np.ndarray, framed: np.ndarray, steps: np.ndarray,
         hole: int) -> float:
    """The last step along a line that shows the table, where that is its end and no thing's.

    Args:
        hole: steps without depth that may follow.
    """
    there = np.flatnonzero(on)
    if not len(there):
        return float("nan")
    last = int(there[-1])
    beyond = slice(last + 1, last + 1 + _BEYOND)
    before = slice(max(0, last - _INSIDE + 1), last + 1)
    if last + 1 + _BEYOND > len(on) or not framed[beyond].all() or above[beyond].any():
        return float("nan")
    if np.count_nonzero(on[before]) < _INSIDE - 1:
        return float("nan")
    next_ = np.flatnonzero(measured[last + 1:last + 2 + hole])
    if not len(next_) or above[last + 1 + next_[0]]:
        return float("nan")
    return float(steps[last]) + 0.5
