"""What stands on a table: the things of a scene, where they are at first, and the checks on that."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Tuple

from hicrisp_core.config.yaml_lines import Positions, check_keys, numbers, value_of
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.footprint import vertical_span
from hicrisp_core.scene.layout import RandomSpot, draw_layout, off_the_table, overlapping, shuffled, standing
from hicrisp_core.scene.scene import TABLE

_OBJECT_KEYS = ("type", "shape", "size", "mass", "attributes", "position", "yaw", "on", "random")
_TABLE_SIZE, _TABLE_POSITION = (0.8, 1.2, 0.04), (0.5, 0.0)


def table_objects(
    values: Mapping[str, Any], positions: Positions, types: Mapping[str, str], seed: int
) -> Tuple[Dict[str, WorldObject], Dict[str, float]]:
    """The table and the things on it where they are at first, and the masses of the things, kilograms.

    Raises:
        ConfigError: with file, line, key and what is valid; also for things that overlap or leave the table.
    """
    objects: Dict[str, WorldObject] = {TABLE: _table(values, positions)}
    masses: Dict[str, float] = {}
    spots: Dict[str, RandomSpot] = {}
    for name, entry in value_of(values, "objects", dict, positions).items():
        path = ("objects", name)
        check_keys(entry, _OBJECT_KEYS, ("type", "size"), positions, path)
        if name in objects:
            raise positions.error(path, f"the name '{name}' is taken by the table")
        thing = _thing(str(name), entry, positions, types)
        masses[thing.name] = value_of(entry, "mass", float, positions, path, default=0.15)
        if not 0.0 < masses[thing.name] <= 3.0:
            raise positions.error((*path, "mass"), "a mass above 0 and up to 3 kg was expected")
        given = [key for key in ("position", "on", "random") if key in entry]
        if len(given) != 1:
            raise positions.error(path, "exactly one of 'position', 'on' and 'random' says where it is at first")
        if given[0] == "random":
            spots[thing.name] = _spot(entry["random"], positions, (*path, "random"))
        else:
            thing = _placed(thing, entry, objects, positions)
        objects[thing.name] = thing
    spots = shuffled(spots, _groups(values, positions, spots), seed)
    drawn = draw_layout(objects, spots, seed)
    if drawn is None:
        raise positions.error(("objects",), f"no random layout was found for {', '.join(spots)} with seed {seed}; "
                                            "make a region wider or min_gap smaller")
    for thing in drawn.values():
        _check_place(thing, drawn, positions)
    return drawn, masses


def _groups(
    values: Mapping[str, Any], positions: Positions, spots: Mapping[str, RandomSpot]
) -> List[Tuple[str, ...]]:
    """The groups of things that swap their random spots."""
    groups: List[Tuple[str, ...]] = []
    for index, group in enumerate(value_of(values, "shuffle", list, positions, default=[])):
        path = ("shuffle", index)
        if not isinstance(group, list) or len(group) < 2:
            raise positions.error(path, "a list of at least two names was expected")
        taken = [name for earlier in groups for name in earlier]
        group = [str(name) for name in group]
        wrong = [name for at, name in enumerate(group) if name not in spots or name in (*taken, *group[:at])]
        if wrong:
            raise positions.error(path, f"'{wrong[0]}' has no random spot, or is named twice; with random spots there "
                                        f"are: {', '.join(spots) or 'none'}")
        groups.append(tuple(group))
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


def _table(values: Mapping[str, Any], positions: Positions) -> WorldObject:
    path = ("table",)
    entry = check_keys(values.get("table", {}), ("size", "position"), (), positions, path)
    size = numbers(entry.get("size", _TABLE_SIZE), 3, positions, (*path, "size"), above=0.0)
    x, y = numbers(entry.get("position", _TABLE_POSITION), 2, positions, (*path, "position"))
    return WorldObject(TABLE, "surface", "surface", (size[0], size[1], size[2]), movable=False,
                       pose=Pose((x, y, -size[2] / 2.0)))


def _thing(name: str, entry: Mapping[str, Any], positions: Positions, types: Mapping[str, str]) -> WorldObject:
    path = ("objects", name)
    type_ = value_of(entry, "type", str, positions, path, choices=types)
    shape = value_of(entry, "shape", str, positions, path, default=type_)
    known = extensions().shapes
    shapes = [name for name in known if not known.get(name).ground]
    if shape not in shapes:
        raise positions.error((*path, "shape" if "shape" in entry else "type"),
                              f"'{shape}' is not a shape; 'shape' must be one of: {', '.join(shapes)}")
    size = numbers(entry["size"], 3, positions, (*path, "size"), above=0.0)
    if known.get(shape).round and abs(size[0] - size[1]) > 1e-6:
        raise positions.error((*path, "size"), f"a {shape} is as wide in x as in y")
    attributes = value_of(entry, "attributes", dict, positions, path, default={})
    return WorldObject(name, type_, shape, (size[0], size[1], size[2]), {str(k): str(v) for k, v in attributes.items()})


def _placed(
    thing: WorldObject, entry: Mapping[str, Any], objects: Mapping[str, WorldObject], positions: Positions
) -> WorldObject:
    path = ("objects", thing.name)
    yaw = math.radians(value_of(entry, "yaw", float, positions, path, default=0.0))
    if not math.isfinite(yaw):
        raise positions.error((*path, "yaw"), "a finite number of degrees was expected")
    if "on" in entry:
        below = objects.get(value_of(entry, "on", str, positions, path))
        if below is None or below.pose is None or not below.movable:
            known = ", ".join(name for name, other in objects.items() if other.movable and other.pose) or "none yet"
            raise positions.error((*path, "on"), f"it stands on nothing that comes before it in the file; "
                                                 f"there are: {known}")
        x, y, _ = below.pose.position
        return standing(thing, x, y, yaw, vertical_span(below, below.pose)[1])
    x, y = numbers(entry["position"], 2, positions, (*path, "position"))
    return standing(thing, x, y, yaw)


def _spot(entry: Any, positions: Positions, path: Tuple[Any, ...]) -> RandomSpot:
    check_keys(entry, ("region", "min_gap", "reach"), ("region",), positions, path)
    x_min, y_min, x_max, y_max = numbers(entry["region"], 4, positions, (*path, "region"))
    if not (x_min <= x_max and y_min <= y_max):
        raise positions.error((*path, "region"), "x_min, y_min, x_max, y_max were expected, the least values first")
    gap = numbers([entry.get("min_gap", RandomSpot.min_gap)], 1, positions, (*path, "min_gap"))[0]
    near, far = numbers(entry.get("reach", RandomSpot.reach), 2, positions, (*path, "reach"))
    return RandomSpot((x_min, y_min, x_max, y_max), gap, (near, far))
