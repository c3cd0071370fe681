"""What a lidar has seen beyond what the map knows: cells that its rays ended in and that no later ray went
through.
"""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from hicrisp_core.model.scan import Scan
from hicrisp_core.scene.floor_plan import Arena

_BORDER = 2
"""Cells of wall around the arena."""
_STEP = 0.9
"""Cells between two places of a ray that are looked at."""
_CORNER = 0.75
"""How far a cell reaches from its middle, in cells, and a little more."""
_WALL = 2.0
"""Cells from a wall within which a ray's end is the wall's doing."""


class ScanMemory:
    """Marked cells over an arena, addressed as (column along x, row along y). Only they take room, however
    large the arena is.

    Args:
        resolution: edge of a cell, metres.
    """

    def __init__(self, arena: Arena, resolution: float = 0.02) -> None:
        self.resolution = resolution
        self.arena = arena
        self.origin = np.array(arena.origin) - _BORDER * resolution
        self.shape = (int(round(arena.size[0] / resolution)) + 2 * _BORDER,
                      int(round(arena.size[1] / resolution)) + 2 * _BORDER)
        self._marked = np.zeros(0, dtype=np.int64)
        """Row-major numbers of the cells, increasing."""

    def mark(self, scan: Scan, explained: Optional[np.ndarray] = None) -> None:
        """Clear what the rays went through and mark where they ended, beyond what the static map explains.

        Args:
            explained: for each ray that met something whether that is known, and no object that stands about.
        """
        eye = (np.array(scan.pose.position[:2]) - self.origin) / self.resolution
        over = np.flatnonzero(self._towards_marked(eye, np.arctan2(scan.rays[:, 1], scan.rays[:, 0])))
        rays, ranges = scan.rays[over, :2], scan.ranges[over]
        reach = np.where(np.isfinite(ranges), ranges / self.resolution - 0.5, 0.0)
        places = np.where(reach >= 0.0, np.floor(reach / _STEP) + 1.0, 0.0).astype(np.int64)
        along = _STEP * (np.arange(places.sum()) - np.repeat(np.cumsum(places) - places, places))
        way = eye + np.repeat(rays, places, axis=0) * along[:, None]
        passed = self._numbers(*self._inside(*way.T))
        at = np.searchsorted(self._marked, passed)
        met = at < len(self._marked)
        kept = np.ones(len(self._marked), dtype=bool)
        kept[at[met][self._marked[at[met]] == passed[met]]] = False
        self._marked = self._marked[kept]
        ends = scan.points if explained is None else scan.points[~explained]
        ends = ends[self.arena.space(*ends.T) > _WALL * self.resolution]
        cells = self._inside(*((ends - self.origin) / self.resolution).T)
        self._marked = np.union1d(self._marked, self._numbers(*cells))

    def clear(self, around: Optional[Tuple[float, float]] = None, beyond: float = 0.0) -> None:
        """Forget marked cells.

        Args:
            around: point (x, y) in the map frame, metres; ``None`` clears all.
            beyond: distance from the point up to which cells stay, metres.
        """
        near = np.zeros(len(self._marked), dtype=bool) if around is None else \
            np.hypot(*(self.seen - np.array(around)).T) <= beyond
        self._marked = self._marked[near]

    @property
    def marked(self) -> Tuple[np.ndarray, np.ndarray]:
        """Columns and rows of the marked cells."""
        columns, rows = np.divmod(self._marked, self.shape[1])
        return columns, rows

    @property
    def seen(self) -> np.ndarray:
        """Centres (n, 2) of the marked cells, metres in the map frame."""
        return self.middle(np.column_stack(self.marked))

    def cell(self, x: float, y: float) -> Optional[Tuple[int, int]]:
        """Return the cell of a point.

        Args:
            x: map frame, metres.
            y: map frame, metres.

        Returns:
            (column, row); ``None`` outside the arena.
        """
        column, row = (int(np.floor((value - low) / self.resolution)) for value, low in zip((x, y), self.origin))
        return (column, row) if 0 <= column < self.shape[0] and 0 <= row < self.shape[1] else None

    def middle(self, cells: np.ndarray) -> np.ndarray:
        """Return the centres of cells.

        Args:
            cells: array (n, 2) of columns and rows.

        Returns:
            Array (n, 2), metres in the map frame.
        """
        return np.asarray(self.origin + (cells + 0.5) * self.resolution)

    def _numbers(self, columns: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(columns.astype(np.int64) * self.shape[1] + rows)

    def _towards_marked(self, eye: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """Return the rays that may come over a marked cell: few of them, and only these have anything to clear.

        Args:
            eye: where the rays begin, in cells from the grid's corner.
            bearing: of each ray, radians.
        """
        if not len(bearing):
            return np.zeros(0, dtype=bool)
        away = (bearing - bearing[0]) % (2.0 * np.pi)  # Some lidars turn the other way, or further than once.
        order = np.argsort(away)
        across, up = (each + 0.5 - start for each, start in zip(self.marked, eye))
        apart = np.hypot(across, up)
        half = np.where(apart > _CORNER, np.arcsin(_CORNER / np.maximum(apart, _CORNER)), np.pi)
        middle = (np.arctan2(up, across) - bearing[0]) % (2.0 * np.pi)
        turns = (away[order] + 2.0 * np.pi * np.arange(-1, 2)[:, None]).ravel()
        changes = np.zeros(len(turns) + 1, dtype=np.int64)
        np.add.at(changes, np.searchsorted(turns, middle - half), 1)
        np.add.at(changes, np.searchsorted(turns, middle + half, side="right"), -1)
        found = np.zeros(len(bearing), dtype=bool)
        found[order] = (np.cumsum(changes[:-1]) > 0).reshape(3, -1).any(axis=0)
        return found

    def _inside(self, columns: np.ndarray, rows: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Return the cells at some places, which are in cells from the grid's corner; without those outside."""
        if columns.size and min(columns.min(), rows.min()) >= 0.0 \
                and columns.max() < self.shape[0] and rows.max() < self.shape[1]:
            return columns.astype(np.int32), rows.astype(np.int32)  # As within walls: nothing is left out.
        inside = (columns >= 0.0) & (columns < self.shape[0]) & (rows >= 0.0) & (rows < self.shape[1])
        return columns[inside].astype(np.int32), rows[inside].astype(np.int32)
