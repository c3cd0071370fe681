"""The floor of an arena as a value: the walls around and on it, and where the bases start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Dict, FrozenSet, Mapping, Sequence, Tuple

import numpy as np
from pydantic import ConfigDict, PositiveFloat

from hicrisp_core.config.settings import STRICT
from hicrisp_core.model import KeepOut, Pose

_BORDER = 0.06
"""Thickness of the walls around an arena, metres."""
_UNEVEN = 0.5
"""Metres above or below its floor at which a base still stands on it: the frame of its middle may be high."""


@dataclass(frozen=True)
class Wall:
    """A straight wall between two points of the map frame, metres; they are called ``from`` and ``to`` in a file.

    Args:
        start: one end, metres.
        end: the other end, metres.
        thickness: metres.
        height: metres.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    start: Tuple[float, float]
    end: Tuple[float, float]
    thickness: PositiveFloat = 0.05
    height: PositiveFloat = 0.4

    def __post_init__(self) -> None:
        if math.dist(self.start, self.end) < 1e-3:
            raise ValueError("the two ends of a wall must be at least 1 mm apart")


@dataclass(frozen=True)
class Start:
    """Where a base stands at first, in the map frame, and the radius of its round footprint, metres.

    ``tray`` is the name of the object that is the base with the flat tray on top, as one box; empty if it
    has none. ``body`` is the robot whose files describe it; empty for that of its own name.
    """

    pose: Pose
    radius: float
    tray: str = ""
    body: str = ""


@dataclass(frozen=True)
class Arena:
    """A floor with a wall around it.

    Args:
        origin: the least x and y inside, metres in the map frame.
        size: extents inside along x and y, metres.
        walls: further walls inside; the map knows them.
        starts: the bases by name.
        floor: height of the floor in the world frame, metres.
        unknown: the names of the objects that are not announced: obstacles.
        blocks: the ground that furniture takes, all of it; the map knows it.
    """

    origin: Tuple[float, float]
    size: Tuple[float, float]
    walls: Mapping[str, Wall]
    starts: Mapping[str, Start]
    floor: float = 0.0
    unknown: FrozenSet[str] = frozenset()
    blocks: Tuple[KeepOut, ...] = ()

    def clearance(self, x: float, y: float) -> float:
        """Return the distance of a point to the nearest wall or block.

        Args:
            x: map frame, metres.
            y: map frame, metres.

        Returns:
            Metres; 0 in a wall or block, negative outside the arena.
        """
        return float(self.space(np.asarray(x), np.asarray(y)))

    def space(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the distance of points to the nearest wall or block.

        Args:
            x: array of coordinates in the map frame, metres.
            y: array of the same shape.

        Returns:
            Array of the same shape, metres; 0 in a wall or block, negative outside the arena.
        """
        (left, low), (width, depth) = self.origin, self.size
        inside = np.minimum(np.minimum(x - left, left + width - x), np.minimum(y - low, low + depth - y))
        return np.where(inside > 0.0, np.minimum(inside, self.taken(x, y)), np.fmin(inside, 0.0))

    def taken(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the distance of points to the obstructions inside the arena.

        Args:
            x: array of coordinates in the map frame, metres.
            y: array of the same shape.

        Returns:
            Array of the same shape, metres; 0 in a wall or block, infinite without obstructions.
        """
        nearest = np.full(np.shape(x), np.inf)
        for each in self.obstructions:
            nearest = np.minimum(nearest, each.distance(x, y))
        return nearest

    @cached_property
    def obstructions(self) -> Tuple[KeepOut, ...]:
        """The ground covered by blocks and inner walls."""
        return (*self.blocks, *(KeepOut((wall.start, wall.end), wall.thickness / 2.0, name)
                                for name, wall in self.walls.items()))

    def paint(
        self, cells: np.ndarray, corner: Sequence[float], resolution: float, within: float, value: int = 1
    ) -> None:
        """Set the cells of a grid that lie outside or in an obstruction; see ``KeepOut.paint``.

        Args:
            cells: array (rows, columns), changed in place.
            corner: (x, y) of the first cell's corner, map frame, metres.
            resolution: size of a cell, metres.
            within: distance up to which cells around an obstruction are set, metres.
            value: the value to set.
        """
        for axis, lines in enumerate((cells.T, cells)):
            at = corner[axis] - self.origin[axis] + (np.arange(len(lines)) + 0.5) * resolution
            lines[np.minimum(at, self.size[axis] - at) < resolution / 4.0] = value
        for each in self.obstructions:
            each.paint(cells, corner, resolution, within, value)

    def off_floor(self, pose: Pose) -> float:
        """Return the height of a base above its floor.

        Args:
            pose: of the base, map frame.

        Returns:
            Metres, negative below the floor; 0 within the tolerance of a base that stands on it.
        """
        off = pose.position[2] - self.floor
        return off if abs(off) > _UNEVEN else 0.0

    def border(self) -> Dict[str, Wall]:
        """Return the walls around the arena by name; their inner faces are on its edge."""
        (x, y), (width, depth), half = self.origin, self.size, _BORDER / 2.0
        low_x, low_y, high_x, high_y = x - half, y - half, x + width + half, y + depth + half
        corners = [(low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)]
        return {f"border_{index}": Wall(corner, corners[(index + 1) % 4], _BORDER)
                for index, corner in enumerate(corners)}

    def __str__(self) -> str:
        (x, y), (width, depth) = self.origin, self.size
        return f"{x:g} to {x + width:g} m in x and {y:g} to {y + depth:g} m in y"
