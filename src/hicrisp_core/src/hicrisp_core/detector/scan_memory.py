"""What a lidar has seen beyond what the map knows: cells that its rays ended in and that no later ray went
through.
"""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from hicrisp_core.model.scan import Scan
from hicrisp_core.scene.scene import Arena

_BORDER = 2
"""Cells of wall around the arena."""
_STEP = 0.9
"""Cells between two places of a ray that are looked at."""
_CORNER = 0.75
"""How far a cell reaches from its middle, in cells, and a little more."""


class ScanMemory:
    """Cells over an arena, addressed as (column along x, row along y).

    Args:
        resolution: edge of a cell, metres.
    """

    def __init__(self, arena: Arena, resolution: float = 0.02) -> None:
        self.resolution = resolution
        self.origin = np.array(arena.origin) - _BORDER * resolution
        self.shape = (int(round(arena.size[0] / resolution)) + 2 * _BORDER,
                      int(round(arena.size[1] / resolution)) + 2 * _BORDER)
        x, y = (self.origin[axis] + (np.arange(self.shape[axis]) + 0.5) * resolution for axis in (0, 1))
        self._x, self._y = np.meshgrid(x, y, indexing="ij")
        self.static = self._drawn(arena)
        self._static_near = _grown(self.static)
        self.marked = np.zeros(self.shape, dtype=bool)

    def mark(self, scan: Scan) -> None:
        """Clear what the rays went through and mark where they ended, beyond what the static map explains."""
        x, y = (np.array(scan.pose.position[:2]) - self.origin) / self.resolution
        bearing = scan.angles + scan.pose.yaw
        over = np.flatnonzero(self._towards_marked(np.array((x, y)), bearing))
        bearing, ranges = bearing[over], scan.ranges[over]
        reach = np.where(np.isfinite(ranges), ranges / self.resolution - 0.5, 0.0)
        places = np.where(reach >= 0.0, np.floor(reach / _STEP) + 1.0, 0.0).astype(np.int64)
        along = _STEP * (np.arange(places.sum()) - np.repeat(np.cumsum(places) - places, places))
        columns = x + np.repeat(np.cos(bearing), places) * along
        rows = y + np.repeat(np.sin(bearing), places) * along
        self.marked[self._inside(columns, rows)] = False
        points = scan.points
        ends = self._inside(*((points - self.origin) / self.resolution).T)
        self.marked[ends] = ~self._static_near[ends]

    def clear(self, around: Optional[Tuple[float, float]] = None, beyond: float = 0.0) -> None:
        """Forget what the lidar marked: all of it, or what lies further than ``beyond`` metres from a
        point.
        """
        if around is None:
            self.marked[:] = False
        else:
            far = (self._x - around[0]) ** 2 + (self._y - around[1]) ** 2 > beyond ** 2
            self.marked[far] = False

    @property
    def seen(self) -> np.ndarray:
        """The middles of the cells (n, 2) that the lidar has marked, metres in the map frame."""
        return self.middle(np.argwhere(self.marked))

    def cell(self, x: float, y: float) -> Optional[Tuple[int, int]]:
        """The cell of a point in the map frame; ``None`` outside."""
        column, row = (int(np.floor((value - low) / self.resolution)) for value, low in zip((x, y), self.origin))
        return (column, row) if 0 <= column < self.shape[0] and 0 <= row < self.shape[1] else None

    def middle(self, cells: np.ndarray) -> np.ndarray:
        """The middles of cells (n, 2), metres in the map frame."""
        return np.asarray(self.origin + (cells + 0.5) * self.resolution)

    def _towards_marked(self, eye: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """The rays that may come over a marked cell: few of them, and only these have anything to clear.

        Args:
            eye: where the rays begin, in cells from the grid's corner.
            bearing: of each ray, radians.
        """
        if not len(bearing):
            return np.zeros(0, dtype=bool)
        away = (bearing - bearing[0]) % (2.0 * np.pi)  # Some lidars turn the other way, or further than once.
        order = np.argsort(away)
        columns, rows = np.divmod(np.flatnonzero(self.marked), self.shape[1])  # Quicker than argwhere.
        across, up = columns + 0.5 - eye[0], rows + 0.5 - eye[1]
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

    def _drawn(self, arena: Arena) -> np.ndarray:
        """The static map: everything outside the arena, and the walls in it."""
        low, high = np.array(arena.origin), np.array(arena.origin) + np.array(arena.size)
        occupied = (self._x < low[0]) | (self._x > high[0]) | (self._y < low[1]) | (self._y > high[1])
        for wall in arena.walls.values():
            (ax, ay), (bx, by) = wall.start, wall.end
            part = np.clip(((self._x - ax) * (bx - ax) + (self._y - ay) * (by - ay))
                           / ((bx - ax) ** 2 + (by - ay) ** 2), 0.0, 1.0)
            apart = np.hypot(self._x - ax - part * (bx - ax), self._y - ay - part * (by - ay))
            occupied |= apart <= wall.thickness / 2.0 + self.resolution / 2.0
        return np.asarray(occupied)

    def _inside(self, columns: np.ndarray, rows: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """The cells at some places, which are in cells from the grid's corner; without those outside."""
        if columns.size and min(columns.min(), rows.min()) >= 0.0 \
                and columns.max() < self.shape[0] and rows.max() < self.shape[1]:
            return columns.astype(np.int32), rows.astype(np.int32)  # As within walls: nothing is left out.
        inside = (columns >= 0.0) & (columns < self.shape[0]) & (rows >= 0.0) & (rows < self.shape[1])
        return columns[inside].astype(np.int32), rows[inside].astype(np.int32)


def _grown(occupied: np.ndarray) -> np.ndarray:
    """The cells and their eight neighbours: where a ray's end is the static map's doing."""
    padded = np.pad(occupied, 1)
    columns, rows = occupied.shape
    grown = np.zeros_like(occupied)
    for across in range(3):
        for up in range(3):
            grown |= padded[across:across + columns, up:up + rows]
    return grown
