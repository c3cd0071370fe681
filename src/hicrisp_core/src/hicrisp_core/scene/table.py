"""What stands on a table: the objects of a scene, where they are at first, and the checks on that."""

from __future__ import annotations

import math
from dataclasses import field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from annotated_types import Ge, Gt, Le
from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated, Literal

from hicrisp_core.config.settings import STRICT
from hicrisp_core.config.yaml_files import Positions
from hicrisp_core.domain import ANYTHING, Domain
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose, Vector, WorldObject
from hicrisp_core.model.geometry import rotate
from hicrisp_core.model.joint import HANDLE_AWAY, SLIDE, SWING, TURN, Joint
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.scene.layout import RandomSpot, draw_layout, off_the_table, overlapping, shuffled, standing
from hicrisp_core.scene.scene import TABLE

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


_BAR, _LONG = 0.016, 0.10
"""Diameter of a handle's bar, and its length at most, metres."""
_FROM_EDGE = 0.045
"""Distance of a handle's bar from the edge that swings out farthest, metres."""
_HALF = math.sqrt(0.5)


@dataclass(frozen=True, config=STRICT)
class JointEntry:
    """What a part hangs on, such as a door, a drawer, a lid or a knob; its fixture is what it is ``on``, whose front is
    at its own greatest x.

    Args:
        kind: ``slide`` towards the front, ``swing`` about an edge, or ``turn`` about the middle.
        reach: position when it is closed and when it is wide open, metres or degrees; a door that opens to negative
            angles has its hinge on the other side.
        opening: position at first, metres or degrees.
        magnitude: force of the latch that holds it closed, newtons at the handle.
        origin: middle of the closed part in its fixture's frame, metres; by default it fills or covers the front, or
            the top if it is flat.
    """

    kind: Literal["slide", "swing", "turn"]
    reach: Tuple[float, float]
    opening: float = 0.0
    magnitude: Annotated[float, Ge(0.0), Le(60.0)] = 0.0
    origin: Optional[Vector] = None

    def __post_init__(self) -> None:
        closed, wide = self.reach
        if closed == wide or not min(closed, wide) <= self.opening <= max(closed, wide):
            raise ValueError("the reach is from closed to wide open, and the opening within it")


@dataclass(frozen=True, config=STRICT)
class ObjectEntry:
    """An object on the table: metres, kilograms, degrees; where it is at first is said in one of three ways.

    Args:
        type: a type of the domain.
        size: extents along its own axes, metres.
        shape: outline, where the type's name is none: a registered shape.
        mass: kilograms.
        attributes: words by which language may call it, such as its colour.
        position: where it stands on the table, metres in the world's plane.
        yaw: turn about the vertical, degrees.
        on: the object that it stands on, or lies in; for a part the fixture that it is a part of, which is fixed.
        random: a spot drawn with the seed.
        joint: what it hangs on, if it is a part of a fixture.
    """

    type: str
    size: Size
    shape: Optional[str] = None
    mass: Annotated[float, Gt(0.0), Le(3.0)] = 0.15
    attributes: Mapping[str, Any] = field(default_factory=dict)
    position: Optional[Tuple[float, float]] = None
    yaw: float = 0.0
    on: Optional[str] = None
    random: Optional[RandomSpot] = None
    joint: Optional[JointEntry] = None

    def __post_init__(self) -> None:
        if self.joint is not None and self.on is None:
            raise ValueError("'on' says which fixture a part with a joint is a part of")
        if [self.position, self.on, self.random].count(None) != 2:
            raise ValueError("exactly one of 'position', 'on' and 'random' says where it is at first")


@dataclass(frozen=True, config=STRICT)
class TablePart:
    """The part of a scene file about a table; objects with a random spot that are named together in
    ``shuffle`` swap their spots.

    Args:
        objects: the objects by name.
        table: the table with its pose and size.
        shuffle: groups of objects that swap their random spots, drawn with the seed.
        undescribed: file of ``config/worlds`` with further objects, which the simulator alone reads; empty for none.
    """

    objects: Mapping[str, ObjectEntry]
    table: TableEntry = field(default_factory=TableEntry)
    shuffle: Tuple[Tuple[str, ...], ...] = ()
    undescribed: str = ""


@dataclass(frozen=True, config=STRICT)
class NamedRobots:
    """The robots of a scene that says no more of them than their names; a mapping says of each where it stands.

    Args:
        robots: the robots by name; without it, those with a section ``embedded_arm``.
    """

    robots: Tuple[str, ...] = ()


def table_objects(
    part: TablePart, positions: Positions, domain: Domain, seed: int
) -> Tuple[Dict[str, WorldObject], Dict[str, float]]:
    """Read the table and the objects on it at their initial poses.

    Args:
        part: the table's keys of the file.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: of the random layout.

    Returns:
        Objects by name, and their masses (kg).

    Raises:
        ConfigError: with file, line, key and what is valid; also for objects that overlap or leave the table.
    """
    objects: Dict[str, WorldObject] = {TABLE: WorldObject(
        TABLE, domain.roles.surface or ANYTHING, "surface", part.table.size, movable=False,
        pose=Pose((*part.table.position, -part.table.size[2] / 2.0)))}
    masses: Dict[str, float] = {}
    spots: Dict[str, RandomSpot] = {}
    fixtures = {entry.on for entry in part.objects.values() if entry.joint is not None}
    for name, entry in part.objects.items():
        if name in objects:
            raise positions.error(("objects", name), f"the name '{name}' is taken by the table")
        item = replace(_object(name, entry, positions, domain.types),
                       movable=entry.joint is None and name not in fixtures)
        masses[name] = entry.mass
        if entry.random is not None:
            spots[name] = entry.random
        else:
            item = _placed(item, entry, objects, positions)
        objects[name] = item
    spots = shuffled(spots, _groups(part.shuffle, positions, spots), seed)
    drawn = draw_layout(objects, spots, seed)
    if drawn is None:
        raise positions.error(("objects",), f"no random layout was found for {', '.join(spots)} with seed {seed}; "
                                            "make a region wider or min_gap smaller")
    for name, item in drawn.items():
        if not item.movable or item.pose is None:
            continue
        if off_the_table(item, drawn[TABLE]):
            raise positions.error(("objects", name), f"{name} is not on the table at ({item.pose.position[0]:.3f}, "
                                                     f"{item.pose.position[1]:.3f})")
        other = overlapping(item, drawn)
        if other:
            raise positions.error(("objects", name), f"{name} overlaps {other}; move one of them")
    return drawn, masses


def _groups(
    told: Sequence[Tuple[str, ...]], positions: Positions, spots: Mapping[str, RandomSpot]
) -> List[Tuple[str, ...]]:
    """Return the groups of objects that swap their random spots."""
    groups: List[Tuple[str, ...]] = []
    for index, group in enumerate(told):
        path = ("shuffle", index)
        if len(group) < 2:
            raise positions.error(path, "a list of at least two names was expected")
        taken = [name for earlier in groups for name in earlier]
        wrong = [name for at, name in enumerate(group) if name not in spots or name in (*taken, *group[:at])]
        if wrong:
            raise positions.error(path, f"'{wrong[0]}' has no random spot, or is named twice; with random spots "
                                  f"there are: {', '.join(spots) or 'none'}")
        groups.append(group)
    return groups


def _object(name: str, entry: ObjectEntry, positions: Positions, types: Mapping[str, str]) -> WorldObject:
    path = ("objects", name)
    if entry.type not in types:
        raise positions.error((*path, "type"), f"'{entry.type}' is not one of: {', '.join(sorted(types))}")
    shape = entry.shape or entry.type
    known = extensions().shapes
    shapes = [each for each in known if not known.get(each).ground]
    if shape not in shapes:
        raise positions.error((*path, "shape" if entry.shape else "type"),
                              f"'{shape}' is not a shape; 'shape' must be one of: {', '.join(shapes)}")
    if known.get(shape).round and abs(entry.size[0] - entry.size[1]) > 1e-6:
        raise positions.error((*path, "size"), f"a {shape} is as wide in x as in y")
    attributes = {str(key): str(value) for key, value in entry.attributes.items()}
    return WorldObject(name, entry.type, shape, entry.size, attributes, own_form=known.get(shape))


def _placed(
    item: WorldObject, entry: ObjectEntry, objects: Mapping[str, WorldObject], positions: Positions
) -> WorldObject:
    yaw = math.radians(entry.yaw)
    if entry.position is not None:
        return standing(item, *entry.position, yaw)
    below = objects.get(entry.on or "")
    if entry.joint is not None and below is not None and below.pose is not None:
        return _hung(item, entry.joint, below, below.pose)
    if below is None or below.pose is None or below.form.ground:
        known = ", ".join(name for name, other in objects.items() if not other.form.ground and other.pose) or "none yet"
        raise positions.error(("objects", item.name, "on"), f"it stands on nothing that comes before it in the file; "
                                                             f"there are: {known}")
    x, y, _ = below.pose.position
    bottom, top = vertical_span(below, below.pose)
    return standing(item, x, y, yaw, top if below.movable and not below.form.hollow else bottom + BOWL_WALL)


def _hung(item: WorldObject, entry: JointEntry, fixture: WorldObject, at: Pose) -> WorldObject:
    """Return a part with its joint, where it is at first."""
    half, around = ([extent / 2.0 for extent in each.size] for each in (item, fixture))
    flat = entry.kind == SWING and half[2] < half[0]  # A lid.
    x, y, z = entry.origin or (
        (0.0, 0.0, around[2] + half[2]) if flat else
        (around[0] - half[0] if entry.kind == SLIDE else around[0] + half[0], 0.0, 0.0))
    closed, wide = (value if entry.kind == SLIDE else math.radians(value) for value in entry.reach)
    side = math.copysign(1.0, wide - closed)  # Of the hinge; on the other one it is opened the other way.
    home = at.compose(Pose((x, y, z)))
    axis: Vector = (side, 0.0, 0.0)
    edge, bar = (0.0, 0.0, 0.0), Pose((half[0] + HANDLE_AWAY, 0.0, 0.0))
    length = _LONG if entry.kind == TURN else min(_LONG, item.size[2])
    if flat:
        axis, edge = (0.0, -side, 0.0), (-side * half[0], 0.0, -half[2])
        bar = Pose((side * (half[0] - _FROM_EDGE), 0.0, half[2] + HANDLE_AWAY), (-_HALF, 0.0, 0.0, _HALF))
        length = min(_LONG, item.size[1])
    elif entry.kind == SWING:
        axis, edge = (0.0, 0.0, side), (-half[0], side * half[1], 0.0)
        bar = Pose((half[0] + HANDLE_AWAY, -side * (half[1] - _FROM_EDGE), 0.0))
    joint = Joint(entry.kind, fixture.name, home, rotate(at.orientation, axis), home.apply(edge),
                  (side * closed, side * wide), bar, (_BAR, length), entry.magnitude)
    start = entry.opening if entry.kind == SLIDE else math.radians(entry.opening)
    return replace(item, pose=joint.moved(home, side * start), joint=joint)
