"""What stands in a scene file about an arena: one class for each entry, its fields the keys; metres and
degrees.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, Mapping, Optional, Tuple

from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass
from typing_extensions import Literal

from hicrisp_core.config.settings import STRICT

Spot = Tuple[float, float]
Extent = Tuple[PositiveFloat, PositiveFloat]


@dataclass(frozen=True, config=STRICT)
class ArenaEntry:
    """The floor: its corner with the least coordinates, its extents and its height.

    Args:
        origin: the least x and y inside the border, metres.
        size: extents in x and y, metres.
        floor: height of the floor in the world frame, metres.
    """

    origin: Spot
    size: Extent
    floor: float = 0.0


@dataclass(frozen=True, config=STRICT)
class WallEntry:
    """A wall; its ends are called ``from`` and ``to`` in the file.

    Args:
        start: one end, metres.
        end: the other end, metres.
        thickness: metres.
        height: metres.
    """

    start: Spot
    end: Spot
    thickness: PositiveFloat = 0.05
    height: PositiveFloat = 0.4

    def __post_init__(self) -> None:
        if math.dist(self.start, self.end) < 1e-3:
            raise ValueError("the two ends of a wall must be at least 1 mm apart")


WALL_KEYS = {"start": "from", "end": "to"}


@dataclass(frozen=True, config=STRICT)
class StartEntry:
    """A base and where it starts; ``tray`` names the object that it carries things on.

    Args:
        kind: what it is.
        position: where its middle stands at first, metres.
        radius: of its round footprint, metres.
        yaw: its heading at first, degrees.
        tray: name of the object that it carries things on; empty for none.
    """

    kind: Literal["base"]
    position: Spot
    radius: PositiveFloat = 0.18
    yaw: float = 0.0
    tray: str = ""


@dataclass(frozen=True, config=STRICT)
class ArmEntry:
    """An arm, which stands at the table.

    Args:
        kind: what it is.
    """

    kind: Literal["arm"]


@dataclass(frozen=True, config=STRICT)
class AreaEntry:
    """A place on the floor; unless a type is given, it has the one that plays the role ``area`` in the
    domain.

    Args:
        position: its middle, metres.
        type: a type of the domain; empty for the one with the role ``area``.
        size: extents in x and y, metres.
        yaw: its turn, or the heading of a station, degrees.
        attributes: words by which language may call it.
    """

    position: Spot
    type: str = ""
    size: Extent = (0.5, 0.5)
    yaw: float = 0.0
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, config=STRICT)
class SpotEntry:
    """Where an obstacle may stand by chance: anywhere, or in a region x_min, y_min, x_max, y_max.

    Args:
        region: x_min, y_min, x_max, y_max, metres; without it, anywhere.
        min_gap: space to everything else, metres.
    """

    region: Optional[Tuple[float, float, float, float]] = None
    min_gap: float = 0.05

    def __post_init__(self) -> None:
        if self.region is not None and not (self.region[0] <= self.region[2]
                                            and self.region[1] <= self.region[3]):
            raise ValueError("the region is x_min, y_min, x_max, y_max, the least values first")


@dataclass(frozen=True, config=STRICT)
class ObstacleEntry:
    """A round thing that no map knows, kilograms; unless a type is given, it has the one that plays the role
    ``obstacle`` in the domain.

    Args:
        radius: metres.
        type: a type of the domain; empty for the one with the role ``obstacle``.
        height: metres.
        mass: kilograms.
        position: its middle at first, metres.
        random: a spot drawn with the seed.
        attributes: words by which language may call it.
    """

    radius: PositiveFloat
    type: str = ""
    height: PositiveFloat = 0.4
    mass: PositiveFloat = 8.0
    position: Optional[Spot] = None
    random: Optional[SpotEntry] = None
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.position is None) == (self.random is None):
            raise ValueError("exactly one of 'position' and 'random' says where it is at first")


@dataclass(frozen=True, config=STRICT)
class ArenaPart:
    """The part of a scene file about an arena; robots and walls are read one by one.

    Args:
        arena: the floor.
        areas: places to visit, stations and forbidden zones, by name.
        robots: the robots by name.
        walls: walls inside the border, by name; the map knows them.
        obstacles: things that no map knows, by name.
    """

    arena: ArenaEntry
    areas: Mapping[str, AreaEntry]
    robots: Mapping[str, Any]
    walls: Mapping[str, Any] = field(default_factory=dict)
    obstacles: Mapping[str, ObstacleEntry] = field(default_factory=dict)
