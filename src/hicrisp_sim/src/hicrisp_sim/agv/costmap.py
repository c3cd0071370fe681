"""A layered costmap as move_base has: the static map, what the lidar marks and clears, the inflation around both."""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import KeepOut
from hicrisp_core.model.scan import Scan
from hicrisp_core.scene.scene import Arena
from scipy.ndimage import distance_transform_edt

_BORDER = 2
"""Cells of wall around the arena."""
_SQUEEZE = 200.0
"""Cost of a cell without the usual margin: a metre around costs less than a centimetre through."""
_SCALING = 6.0
"""How fast the cost falls with distance, 1/m (the inflation layer's cost_scaling_factor)."""


class Costmap:
    """Occupied cells and the distance of every cell to the nearest of them.

    Cells are addressed as (column along x, row along y).

    Args:
        inflation: distance beyond which nothing is dearer, metres.
        zones: ground that no part of the base may be over; the map knows it as it knows the walls.
    """

    def __init__(self, arena: Arena, resolution: float, inflation: float, zones: Sequence[KeepOut] = ()) -> None:
        self.resolution = resolution
        self.origin = np.array(arena.origin) - _BORDER * resolution
        self.shape = (int(round(arena.size[0] / resolution)) + 2 * _BORDER,
                      int(round(arena.size[1] / resolution)) + 2 * _BORDER)
        self._inflation = inflation
        x, y = (self.origin[axis] + (np.arange(self.shape[axis]) + 0.5) * resolution for axis in (0, 1))
        self._x, self._y = np.meshgrid(x, y, indexing="ij")
        self.static = self._drawn(arena)
        self._static_near = self._near(self.static)
        self.marked = np.zeros(self.shape, dtype=bool)
        self.zones = tuple(zones)
        self.zoned = self._over(self.zones)
        self.kept_out = np.zeros(self.shape, dtype=bool)
        self.layer = np.zeros(self.shape, dtype=bool)
        self._constraints: Tuple[KeepOut, ...] = ()
        self._distance: Optional[np.ndarray] = None

    @property
    def distance(self) -> np.ndarray:
        """Metres from each cell's middle to the edge of the nearest occupied cell."""
        if self._distance is None:
            occupied = self.static | self.zoned | self.marked | self.kept_out | self.layer
            self._distance = np.maximum(
                0.0, (distance_transform_edt(~occupied) - 0.5) * self.resolution)
        return self._distance

    def mark(self, scan: Scan) -> None:
        """Clear what the rays went through and mark where they ended, beyond what the static map explains."""
        step = self.resolution * 0.9
        x, y, _ = scan.pose.position
        bearing = scan.angles + scan.pose.yaw
        reach = np.where(np.isfinite(scan.ranges), scan.ranges - 0.5 * self.resolution, 0.0)
        along = np.arange(0.0, max(step, float(reach.max(initial=0.0))), step)
        passed = along[None, :] <= reach[:, None]
        gone_x = (x + np.cos(bearing)[:, None] * along[None, :])[passed]
        gone_y = (y + np.sin(bearing)[:, None] * along[None, :])[passed]
        columns, rows = self._cells(gone_x, gone_y)
        self.marked[columns, rows] = False
        points = scan.points
        columns, rows = self._cells(points[:, 0], points[:, 1])
        self.marked[columns, rows] = ~self._static_near[columns, rows]
        self._distance = None

    @property
    def keep_outs(self) -> Tuple[KeepOut, ...]:
        """The zones, and what ``keep_out`` added to them."""
        return tuple(dict.fromkeys((*self.zones, *self._constraints)))

    def keep_out(self, shapes: Sequence[KeepOut]) -> None:
        """Occupy some ground until told otherwise; none frees it all but the zones."""
        if tuple(shapes) != self._constraints:
            self._constraints = tuple(shapes)
            self.kept_out = self._over(self._constraints)
            self._distance = None

    def occupy(self, cells: np.ndarray) -> None:
        """Occupy the cells that are True, besides all others, until told otherwise."""
        self.layer[:] = cells
        self._distance = None

    def clear(self, around: Optional[Tuple[float, float]] = None, beyond: float = 0.0) -> None:
        """Forget what the lidar marked: all of it, or what lies further than ``beyond`` metres from a point."""
        if around is None:
            self.marked[:] = False
        else:
            far = (self._x - around[0]) ** 2 + (self._y - around[1]) ** 2 > beyond ** 2
            self.marked[far] = False
        self._distance = None

    def seen_cells(self) -> np.ndarray:
        """The cells (n, 2) that the lidar has marked."""
        return np.argwhere(self.marked)

    def cell(self, x: float, y: float) -> Optional[Tuple[int, int]]:
        """The cell of a point in the map frame; ``None`` outside."""
        column, row = (int(np.floor((value - low) / self.resolution)) for value, low in zip((x, y), self.origin))
        return (column, row) if 0 <= column < self.shape[0] and 0 <= row < self.shape[1] else None

    def middle(self, cells: np.ndarray) -> np.ndarray:
        """The middles of cells (n, 2), metres in the map frame."""
        return self.origin + (cells + 0.5) * self.resolution

    def clearance(self, x: float, y: float) -> float:
        """Metres from a point to the nearest occupied cell, between cells; 0 outside the map."""
        across, up = (np.array((x, y)) - self.origin) / self.resolution - 0.5
        column, row = int(np.floor(across)), int(np.floor(up))
        if not (0 <= column < self.shape[0] - 1 and 0 <= row < self.shape[1] - 1):
            return 0.0
        a, b = across - column, up - row
        corner = self.distance[column:column + 2, row:row + 2]
        return float((1 - a) * ((1 - b) * corner[0, 0] + b * corner[0, 1])
                     + a * ((1 - b) * corner[1, 0] + b * corner[1, 1]))

    def costs(self, inscribed: float, narrow: float) -> np.ndarray:
        """The cost of driving through each cell, 1 in the open; infinite within ``narrow`` metres of a thing.

        Between ``narrow`` and ``inscribed`` metres a cell is so dear that only a path without another way takes it.
        """
        beyond = self.distance - inscribed
        near = np.where(beyond < self._inflation - inscribed, np.exp(-_SCALING * np.maximum(beyond, 0.0)), 0.0)
        costs = np.where(beyond < 0.0, _SQUEEZE, 1.0 + 6.0 * near)
        return np.where(self.distance < narrow, np.inf, costs)

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

    def _over(self, shapes: Sequence[KeepOut]) -> np.ndarray:
        """The cells of some ground. A zone takes its edge's cells too, so that no footprint that keeps clear of cells
        comes over it."""
        occupied = np.zeros(self.shape, dtype=bool)
        for shape in shapes:
            occupied |= shape.distance(self._x, self._y) <= (self.resolution if shape.name else 0.0)
        return occupied

    def _near(self, occupied: np.ndarray) -> np.ndarray:
        """Where a ray's end is the static map's doing: its cells and their neighbours."""
        return np.asarray(distance_transform_edt(~occupied) < 2.0)

    def _cells(self, x: np.ndarray, y: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        columns = ((x - self.origin[0]) / self.resolution).astype(np.int64)
        rows = ((y - self.origin[1]) / self.resolution).astype(np.int64)
        inside = (columns >= 0) & (columns < self.shape[0]) & (rows >= 0) & (rows < self.shape[1])
        return columns[inside], rows[inside]
