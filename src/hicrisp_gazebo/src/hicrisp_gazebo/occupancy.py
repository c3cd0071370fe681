"""The map of an arena: what a map server would serve, computed from the same scene as the walls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence, Tuple

import numpy as np
from hicrisp_core.model import KeepOut
from hicrisp_core.scene.scene import Arena

FREE, TAKEN, UNKNOWN = 0, 100, -1
_BORDER = 0.1
"""Seen of the wall around the arena, metres."""


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
    """
    if not 0.0 < resolution < min(arena.size):
        raise ValueError(f"a resolution above 0 and below {min(arena.size):g} m was expected, got "
                         f"{resolution}")
    x, y = (low - _BORDER for low in arena.origin)
    columns, rows = (math.ceil((extent + 2 * _BORDER) / resolution - 1e-9) for extent in arena.size)
    across, up = np.meshgrid(x + (np.arange(columns) + 0.5) * resolution,
                             y + (np.arange(rows) + 0.5) * resolution)
    taken = arena.space(across, up) < resolution / 4.0  # A cell is taken when a wall reaches into its middle half.
    for zone in zones:
        taken |= zone.distance(across, up) <= resolution
    return Grid((x, y), resolution, np.where(taken, TAKEN, FREE).astype(np.int8))
