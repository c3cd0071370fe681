"""What stands in a scene file about a table and the things on it: one class for each entry, its fields the
keys.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Mapping, Optional, Tuple

from annotated_types import Gt, Le
from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

from hicrisp_core.config.settings import STRICT
from hicrisp_core.scene.layout import RandomSpot

Size = Tuple[PositiveFloat, PositiveFloat, PositiveFloat]


@dataclass(frozen=True, config=STRICT)
class TableEntry:
    """The table: its size and the middle of its top, metres.

    Args:
        size: extents in x, y and z.
        position: middle of the top in the world's plane.
    """

    size: Size = (0.8, 1.2, 0.04)
    position: Tuple[float, float] = (0.5, 0.0)


@dataclass(frozen=True, config=STRICT)
class SpotEntry:
    """Where a thing may be put by chance; the same as in ``RandomSpot``.

    Args:
        region: x_min, y_min, x_max, y_max, metres.
        min_gap: space to every other thing, metres.
        reach: least and greatest distance from the world's origin, metres.
    """

    region: Tuple[float, float, float, float]
    min_gap: float = RandomSpot.min_gap
    reach: Tuple[float, float] = RandomSpot.reach

    def __post_init__(self) -> None:
        x_min, y_min, x_max, y_max = self.region
        if not (x_min <= x_max and y_min <= y_max):
            raise ValueError("the region is x_min, y_min, x_max, y_max, the least values first")


@dataclass(frozen=True, config=STRICT)
class ThingEntry:
    """A thing on the table: metres, kilograms, degrees; where it is at first is said in one of three ways.

    Args:
        type: a type of the domain.
        size: extents along its own axes, metres.
        shape: outline, where the type's name is none: a registered shape.
        mass: kilograms.
        attributes: words by which language may call it, such as its colour.
        position: where it stands on the table, metres in the world's plane.
        yaw: turn about the vertical, degrees.
        on: the thing that it stands on, or lies in.
        random: a spot drawn with the seed.
    """

    type: str
    size: Size
    shape: Optional[str] = None
    mass: Annotated[float, Gt(0.0), Le(3.0)] = 0.15
    attributes: Mapping[str, Any] = field(default_factory=dict)
    position: Optional[Tuple[float, float]] = None
    yaw: float = 0.0
    on: Optional[str] = None
    random: Optional[SpotEntry] = None

    def __post_init__(self) -> None:
        if [self.position, self.on, self.random].count(None) != 2:
            raise ValueError("exactly one of 'position', 'on' and 'random' says where it is at first")


@dataclass(frozen=True, config=STRICT)
class TablePart:
    """The part of a scene file about a table; things with a random spot that are named together in
    ``shuffle`` swap their spots.

    Args:
        objects: the things by name.
        table: the table.
        shuffle: groups of things that swap their random spots, drawn with the seed.
    """

    objects: Mapping[str, ThingEntry]
    table: TableEntry = field(default_factory=TableEntry)
    shuffle: Tuple[Tuple[str, ...], ...] = ()


@dataclass(frozen=True, config=STRICT)
class NamedRobots:
    """The robots of a scene that says no more of them than their names.

    Args:
        robots: the robots by name; without it, those with a section ``embedded_arm``.
    """

    robots: Tuple[str, ...] = ()
