"""The map of an arena: what a map server would serve, computed from the same scene as the walls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence, Tuple

import numpy as np
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import KeepOut
from hicrisp_core.scene.scene import Arena

FREE, TAKEN, UNKNOWN = 0, 100, -1
_BORDER = 0.1
"""Seen of the wall around the arena, metres."""
_MOST = 25_000_000
"""Cells of a map: 100 m by 100 m in cells of 2 cm. move_base and what localises take several times that in bytes."""


@dataclass(frozen=True)
class Grid:
    """Cells of 0 (free), 100 (taken), -1 (unknown), rows along y, columns along x.

    Args:
        origin: x and y of the outer corner of the first cell, metres in the map frame.
        resolution: edge of a cell, metres.
        cells: (rows, columns).
    """

    origin: Tuple[float, float]
    resolution: float
    cells: np.ndarray


def grid_of(arena: Arena, resolution: float = 0.02, zones: Sequence[KeepOut] = ()) -> Grid:
    """The walls of an arena as a grid, and the zones where they are given; movable obstacles are in no map.

    A zone takes its edge's cells too: no cell that is free is over it.

    Raises:
        ConfigError: for a resolution that makes no map, or one of too many cells.
    """
    if not 0.0 < resolution < min(arena.size):
        raise ConfigError(f"a resolution above 0 and below {min(arena.size):g} m was expected, got "
                          f"{resolution}")
    x, y = (low - _BORDER for low in arena.origin)
    columns, rows = (math.ceil((extent + 2 * _BORDER) / resolution - 1e-9) for extent in arena.size)
    if columns * rows > _MOST:
        least = math.ceil(100.0 * resolution * math.sqrt(columns * rows / _MOST)) / 100.0
        raise ConfigError(f"a map of {arena.size[0]:g} m by {arena.size[1]:g} m has {columns * rows / 1e6:.0f} million "
                          f"cells of {resolution:g} m, and {_MOST / 1e6:.0f} million are the limit: set 'resolution' "
                          f"to {least:g} m or more")
    cells = np.full((rows, columns), FREE, dtype=np.int8)
    arena.paint(cells, (x, y), resolution, resolution / 4.0, TAKEN)  # A wall reaches into the middle half of these.
    for zone in zones:
        zone.paint(cells, (x, y), resolution, resolution, TAKEN)
    return Grid((x, y), resolution, cells)
