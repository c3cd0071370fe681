"""A layered costmap as move_base has: the static map, what the lidar marks and clears, the inflation
around both.
"""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.detector.scan_memory import ScanMemory
from hicrisp_core.model import KeepOut
from hicrisp_core.model.scan import Scan
from hicrisp_core.scene.floor_plan import Arena
from scipy.ndimage import distance_transform_edt

_SQUEEZE = 200.0
"""Cost of a cell without the usual margin: a metre around costs less than a centimetre through."""
_SCALING = 6.0
"""How fast the cost falls with distance, 1/m (the inflation layer's cost_scaling_factor)."""


class Costmap(ScanMemory):
    """Occupied cells and the distance of every cell to the nearest of them.

    Args:
        inflation: distance beyond which nothing is dearer, metres.
        zones: ground that no part of the base may be over; the map knows it as it knows the walls.
    """

    def __init__(self, arena: Arena, resolution: float, inflation: float,
                 zones: Sequence[KeepOut] = ()) -> None:
        super().__init__(arena, resolution)
        self.static = np.zeros(self.shape, dtype=bool)
        arena.paint(self.static.T, tuple(self.origin), resolution, resolution / 2.0)
        self._inflation = inflation
        self.zones = tuple(zones)
        self.zoned = self.over(self.zones)
        self.kept_out = np.zeros(self.shape, dtype=bool)
        self.layer = np.zeros(self.shape, dtype=bool)
        self._constraints: Tuple[KeepOut, ...] = ()
        self._distance: Optional[np.ndarray] = None

    @property
    def distance(self) -> np.ndarray:
        """Distance from each cell's centre to the edge of the nearest occupied cell, metres."""
        if self._distance is None:
            occupied = self.static | self.zoned | self.kept_out | self.layer
            occupied[self.marked] = True
            self._distance = np.maximum(
                0.0, (distance_transform_edt(~occupied) - 0.5) * self.resolution)
        return self._distance

    def mark(self, scan: Scan, explained: Optional[np.ndarray] = None) -> None:
        """Mark the cells in which a scan ends, and clear those that its rays cross.

        Args:
            scan: lidar sweep in the map frame.
            explained: boolean array (n,), true for ends that are not obstacles.
        """
        before = self._marked
        super().mark(scan, explained)
        if not np.array_equal(self._marked, before):
            self._distance = None

    def clear(self, around: Optional[Tuple[float, float]] = None, beyond: float = 0.0) -> None:
        """Forget marked cells.

        Args:
            around: point (x, y) in the map frame, metres; ``None`` clears all.
            beyond: distance from the point up to which cells stay, metres.
        """
        super().clear(around, beyond)
        self._distance = None

    @property
    def keep_outs(self) -> Tuple[KeepOut, ...]:
        """The scene's zones, and those that ``keep_out`` added."""
        return tuple(dict.fromkeys((*self.zones, *self._constraints)))

    def keep_out(self, shapes: Sequence[KeepOut]) -> None:
        """Occupy the ground of keep-out zones until the next call; the scene's own zones always stay.

        Args:
            shapes: zones in the map frame, metres.
        """
        if tuple(shapes) != self._constraints:
            self._constraints = tuple(shapes)
            self.kept_out = self.over(self._constraints)
            self._distance = None

    def occupy(self, cells: np.ndarray) -> None:
        """Occupy further cells until the next call.

        Args:
            cells: boolean array (columns, rows).
        """
        self.layer[:] = cells
        self._distance = None

    def clearance(self, x: float, y: float) -> float:
        """Return the distance of a point to the nearest occupied cell, interpolated between cells.

        Args:
            x: map frame, metres.
            y: map frame, metres.

        Returns:
            Metres; 0 outside the map.
        """
        across, up = (np.array((x, y)) - self.origin) / self.resolution - 0.5
        column, row = int(np.floor(across)), int(np.floor(up))
        if not (0 <= column < self.shape[0] - 1 and 0 <= row < self.shape[1] - 1):
            return 0.0
        a, b = across - column, up - row
        corner = self.distance[column:column + 2, row:row + 2]
        return float((1 - a) * ((1 - b) * corner[0, 0] + b * corner[0, 1])
                     + a * ((1 - b) * corner[1, 0] + b * corner[1, 1]))

    def costs(self, inscribed: float, narrow: float) -> np.ndarray:
        """Return the cost of driving through each cell.

        Between ``narrow`` and ``inscribed`` a cell is so expensive that only a path without an alternative
        crosses it.

        Args:
            inscribed: radius of the base with its margin, metres.
            narrow: least distance to an obstacle, metres.

        Returns:
            Array (columns, rows): 1 in the open, infinite nearer than ``narrow``.
        """
        beyond = self.distance - inscribed
        near = np.where(beyond < self._inflation - inscribed, np.exp(-_SCALING * np.maximum(beyond, 0.0)),
                        0.0)
        costs = np.where(beyond < 0.0, _SQUEEZE, 1.0 + 6.0 * near)
        return np.where(self.distance < narrow, np.inf, costs)

    def over(self, shapes: Sequence[KeepOut]) -> np.ndarray:
        """Return the cells of some ground. A zone takes its edge's cells too, so that no footprint that keeps
        clear of cells comes over it.

        Args:
            shapes: ground in the map frame, metres.

        Returns:
            Boolean array (columns, rows).
        """
        occupied = np.zeros(self.shape, dtype=bool)
        for shape in shapes:
            shape.paint(occupied.T, tuple(self.origin), self.resolution, self.resolution if shape.name else 0.0)
        return occupied
