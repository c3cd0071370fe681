"""The table's plane as the depth shows it, and how noisy the depth is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_STRIDE = 5
"""Of rows and columns that are used, of every second one."""
_ROUNDS = 4
_LEAST = 150
"""Points that a plane needs."""
_WINDOW = 0.04
"""Heights in which the table's top is looked for, metres."""
_LEAST_NOISE = 0.0008


@dataclass(frozen=True)
class TablePlane:
    """The table's top as seen: ``height = offset + slope_x * x + slope_y * y``, metres.

    Args:
        noise: standard deviation of the depth at one metre, metres; it grows with the square of the distance.
        points: how many it was fitted to; 0 where the table was not seen.
    """

    offset: float = 0.0
    slope_x: float = 0.0
    slope_y: float = 0.0
    noise: float = 0.003
    points: int = 0

    @property
    def tilt(self) -> float:
        """Angle to the plane z = 0, radians."""
        return math.atan(math.hypot(self.slope_x, self.slope_y))

    def at(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the height of the table's top.

        Args:
            x: array of coordinates, metres.
            y: array of the same shape.

        Returns:
            Array of the same shape, metres.
        """
        return self.offset + self.slope_x * x + self.slope_y * y

    def noise_at(self, depth: float) -> float:
        """Return the noise of the depth measurement.

        Args:
            depth: metres.

        Returns:
            Standard deviation, metres.
        """
        return self.noise * max(0.3, depth) ** 2


def fit_level(x: np.ndarray, y: np.ndarray, height: np.ndarray, depth: np.ndarray, on_table: np.ndarray,
              before: TablePlane) -> TablePlane:
    """Fit a plane to the table's top.

    Args:
        x: (height, width), metres, world frame.
        y: (height, width), metres, world frame.
        height: (height, width), metres above z = 0.
        depth: (height, width), metres.
        on_table: boolean (height, width), true within the table's sides.
        before: the earlier plane, returned if too little of the table is visible.

    Returns:
        The plane.
    """
    part = (slice(None, None, _STRIDE), slice(None, None, _STRIDE))
    chosen = on_table[part] & (np.abs(height[part]) < _WINDOW)
    if np.count_nonzero(chosen) < _LEAST:
        return before
    px, py, pz, far = (values[part][chosen].astype(np.float64) for values in (x, y, height, depth))
    # The top is the commonest height: objects stand on it, and hide some of it.
    counts, edges = np.histogram(pz, bins=40, range=(-_WINDOW, _WINDOW))
    start = float(edges[int(np.argmax(counts))]) + _WINDOW / 40.0
    keep = np.abs(pz - start) < 0.015
    middle_x, middle_y = float(px.mean()), float(py.mean())
    design = np.stack([np.ones_like(px), px - middle_x, py - middle_y], axis=1)
    found, spread = np.array([start, 0.0, 0.0]), 0.0
    for _ in range(_ROUNDS):
        if np.count_nonzero(keep) < _LEAST:
            return before
        kept = design[keep]
        found = np.linalg.solve(kept.T @ kept + np.eye(3) * 1e-9, kept.T @ pz[keep])
        rest = pz - design @ found
        off = np.abs(rest)
        spread = 1.4826 * float(np.median(off[keep]))
        kept_before, keep = keep, off < max(0.003, 2.5 * spread)
        if np.array_equal(keep, kept_before):
            break
    noise = 1.4826 * float(np.median(np.abs(rest[keep]) / far[keep] ** 2))
    return TablePlane(float(found[0] - found[1] * middle_x - found[2] * middle_y), float(found[1]),
                 float(found[2]), max(_LEAST_NOISE, noise * 1.4), int(np.count_nonzero(keep)))
