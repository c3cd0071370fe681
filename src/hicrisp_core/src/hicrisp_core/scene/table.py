"""What stands on a table: the things of a scene, where they are at first, and the checks on that."""

from __future__ import annotations

import math
from typing import Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.config.yaml_lines import Positions
from hicrisp_core.domain import Domain
from hicrisp_core.domain.schema import ANYTHING
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.footprint import vertical_span
from hicrisp_core.scene.layout import RandomSpot, draw_layout, off_the_table, overlapping, shuffled, standing
from hicrisp_core.scene.scene import TABLE
from hicrisp_core.scene.table_entries import TableEntry, TablePart, ThingEntry


def table_objects(
    part: TablePart, positions: Positions, domain: Domain, seed: int
) -> Tuple[Dict[str, WorldObject], Dict[str, float]]:
    """The table and the things on it where they are at first, and the masses of the things, kilograms.

    Raises:
        ConfigError: with file, line, key and what is valid; also for things that overlap or leave the table.
    """
    objects: Dict[str, WorldObject] = {TABLE: _table(part.table, domain.roles.surface or ANYTHING)}
    masses: Dict[str, float] = {}
    spots: Dict[str, RandomSpot] = {}
    for name, entry in part.objects.items():
        if name in objects:
            raise positions.error(("objects", name), f"the name '{name}' is taken by the table")
        thing = _thing(name, entry, positions, domain.types)
        masses[name] = entry.mass
        if entry.random is not None:
            spots[name] = RandomSpot(entry.random.region, entry.random.min_gap, entry.random.reach)
        else:
            thing = _placed(thing, entry, objects, positions)
        objects[name] = thing
    spots = shuffled(spots, _groups(part.shuffle, positions, spots), seed)
    drawn = draw_layout(objects, spots, seed)
    if drawn is None:
        raise positions.error(("objects",),
                              f"no random layout was found for {', '.join(spots)} with seed {seed}; "
                                            "make a region wider or min_gap smaller")
    for thing in drawn.values():
        _check_place(thing, drawn, positions)
    return drawn, masses


def _groups(
    told: Sequence[Tuple[str, ...]], positions: Positions, spots: Mapping[str, RandomSpot]
) -> List[Tuple[str, ...]]:
    """The groups of things that swap their random spots."""
    groups: List[Tuple[str, ...]] = []
    for index, group in enumerate(told):
        path = ("shuffle", index)
        if len(group) < 2:
            raise positions.error(path, "a list of at least two names was expected")
        taken = [name for earlier in groups for name in earlier]
        wrong = [name for at, name in enumerate(group) if name not in spots or name in (*taken, *group[:at])]
        if wrong:
            raise positions.error(path,
                                  f"'{wrong[0]}' has no random spot, or is named twice; with random spots "
                                  f"there are: {', '.join(spots) or 'none'}")
        groups.append(group)
    return groups


def _check_place(thing: WorldObject, objects: Mapping[str, WorldObject], positions: Positions) -> None:
    path = ("objects", thing.name)
    if not thing.movable or thing.pose is None:
        return
    if off_the_table(thing, objects[TABLE]):
        raise positions.error(path, f"{thing.name} is not on the table at "
                                    f"({thing.pose.position[0]:.3f}, {thing.pose.position[1]:.3f})")
    other = overlapping(thing, objects)
    if other:
        raise positions.error(path, f"{thing.name} overlaps {other}; move one of them")


def _table(entry: TableEntry, type_: str) -> WorldObject:
    return WorldObject(TABLE, type_, "surface", entry.size, movable=False,
                       pose=Pose((*entry.position, -entry.size[2] / 2.0)))


def _thing(name: str, entry: ThingEntry, positions: Positions, types: Mapping[str, str]) -> WorldObject:
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
    return WorldObject(name, entry.type, shape, entry.size, attributes)


def _placed(
    thing: WorldObject, entry: ThingEntry, objects: Mapping[str, WorldObject], positions: Positions
) -> WorldObject:
    yaw = math.radians(entry.yaw)
    if entry.position is not None:
        return standing(thing, *entry.position, yaw)
    below = objects.get(entry.on or "")
    if below is None or below.pose is None or not below.movable:
        known = ", ".join(name for name, other in objects.items() if other.movable
                          and other.pose) or "none yet"
        raise positions.error(("objects", thing.name, "on"),
                              f"it stands on nothing that comes before it in the file; "
                                                             f"there are: {known}")
    x, y, _ = below.pose.position
    return standing(thing, x, y, yaw, vertical_span(below, below.pose)[1])
