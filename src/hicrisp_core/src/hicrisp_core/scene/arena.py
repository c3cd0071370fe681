"""Scenes for mobile bases: an arena with walls, areas to visit, obstacles that no map knows, and where robots start."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from hicrisp_core.config.yaml_lines import Path as Place
from hicrisp_core.config.yaml_lines import Positions, check_keys, numbers, value_of
from hicrisp_core.domain import Domain
from hicrisp_core.domain.zones import zones_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import KeepOut, Pose, WorldObject
from hicrisp_core.model.footprint import footprint
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.keep_out import overlapped
from hicrisp_core.scene.common import common_scene
from hicrisp_core.scene.layout import RandomSpot, draw_layout, overlapping, standing
from hicrisp_core.scene.scene import Arena, Scene, Start, Wall

ARENA = "arena"
SCENE_KEYS = ("scene", "description", "world", "domain", "robots", "task", "arena", "walls", "areas", "obstacles",
              "faults")
_ROBOT_KEYS = ("kind", "radius", "position", "yaw", "tray")
_WALL_KEYS = ("from", "to", "thickness", "height")
_AREA_KEYS = ("type", "position", "size", "yaw", "attributes")
_OBSTACLE_KEYS = ("type", "radius", "height", "mass", "position", "random", "attributes")
_WALL_THICKNESS, _WALL_HEIGHT = 0.05, 0.4
_FLAT = 0.002
"""Height of an area, metres: it is painted on the floor."""


def arena_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """A scene with a floor, walls, areas and obstacles; bases start in it.

    Raises:
        ConfigError: with file, line, key and what is valid; also for what lies outside, overlaps, or covers an area.
    """
    check_keys(values, SCENE_KEYS, ("scene", "domain", "robots", "arena", "areas"), positions)
    arena, areas, obstacles, masses = read_arena(values, positions, domain, seed)
    return replace(common_scene(path, values, positions, domain, seed), robots=tuple(arena.starts), world=ARENA,
                   arena=arena, objects={**areas, **obstacles}, masses=masses,
                   zones=zones_of(domain, areas.values()))


def read_arena(
    values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int,
    known: Optional[Mapping[str, Wall]] = None,
) -> Tuple[Arena, Dict[str, WorldObject], Dict[str, WorldObject], Dict[str, float]]:
    """The arena, its areas, its obstacles where they stand at first, and their masses, kilograms.

    Args:
        known: further things that the map knows, as walls.

    Raises:
        ConfigError: with file, line, key and what is valid; also for what lies outside, overlaps, or covers an area.
    """
    arena = _arena(values, positions, known or {})
    areas = {str(name): _area(str(name), entry, arena, positions, domain)
             for name, entry in value_of(values, "areas", dict, positions).items()}
    _check_zones(zones_of(domain, areas.values()), arena, positions)
    entries = value_of(values, "obstacles", dict, positions, default={})
    obstacles = _obstacles(entries, areas, arena, positions, domain, seed)
    _check_obstacles(obstacles, areas, arena, positions)
    masses = {str(name): _above_zero(entry, "mass", 8.0, positions, ("obstacles", name))
              for name, entry in entries.items()}
    return replace(arena, unknown=frozenset(obstacles)), areas, obstacles, masses


def _arena(values: Mapping[str, Any], positions: Positions, known: Mapping[str, Wall]) -> Arena:
    bounds = check_keys(values["arena"], ("origin", "size", "floor"), ("origin", "size"), positions, ("arena",))
    x, y = numbers(bounds["origin"], 2, positions, ("arena", "origin"))
    width, depth = numbers(bounds["size"], 2, positions, ("arena", "size"), above=0.0)
    walls = {str(name): _wall(entry, positions, ("walls", name))
             for name, entry in value_of(values, "walls", dict, positions, default={}).items()}
    floor = numbers([bounds.get("floor", 0.0)], 1, positions, ("arena", "floor"))[0]
    empty = Arena((x, y), (width, depth), {**walls, **known}, {}, floor)
    robots = value_of(values, "robots", dict, positions)
    starts = {str(name): _start(entry, empty, positions, ("robots", name)) for name, entry in robots.items()
              if not (known and isinstance(entry, dict) and entry.get("kind") == "arm")}
    if len(starts) != 1:
        raise positions.error(("robots",), f"one base was expected, got {len(starts)}: {', '.join(starts) or 'none'}")
    return replace(empty, starts=starts)


def _wall(entry: Any, positions: Positions, path: Place) -> Wall:
    check_keys(entry, _WALL_KEYS, ("from", "to"), positions, path)
    ends = [tuple(numbers(entry[key], 2, positions, (*path, key))) for key in ("from", "to")]
    if math.dist(*ends) < 1e-3:
        raise positions.error(path, "a wall's two ends are apart")
    return Wall((ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]),
                _above_zero(entry, "thickness", _WALL_THICKNESS, positions, path),
                _above_zero(entry, "height", _WALL_HEIGHT, positions, path))


def _start(entry: Any, arena: Arena, positions: Positions, path: Place) -> Start:
    check_keys(entry, _ROBOT_KEYS, ("kind", "position"), positions, path)
    value_of(entry, "kind", str, positions, path, choices=("base",))
    radius = _above_zero(entry, "radius", 0.18, positions, path)
    x, y = numbers(entry["position"], 2, positions, (*path, "position"))
    if arena.clearance(x, y) < radius:
        raise positions.error((*path, "position"), f"the base does not fit there: {_where(x, y)} is "
                                                   f"{max(0.0, arena.clearance(x, y)):.2f} m from a wall, its radius "
                                                   f"is {radius:.2f} m")
    return Start(Pose((x, y, arena.floor), from_yaw(_yaw(entry, positions, path))), radius,
                 value_of(entry, "tray", str, positions, path, default=""))


def _area(name: str, entry: Any, arena: Arena, positions: Positions, domain: Domain) -> WorldObject:
    path = ("areas", name)
    check_keys(entry, _AREA_KEYS, ("position",), positions, path)
    type_ = _type(entry, "area", domain, positions, path)
    x, y = numbers(entry["position"], 2, positions, (*path, "position"))
    width, depth = numbers(entry.get("size", (0.5, 0.5)), 2, positions, (*path, "size"), above=0.0)
    if arena.clearance(x, y) <= 0.0:
        raise positions.error((*path, "position"), f"{_where(x, y)} is outside the arena, which is {arena}")
    return WorldObject(name, type_, "region", (width, depth, _FLAT), _attributes(entry, positions, path),
                       Pose((x, y, arena.floor + _FLAT / 2.0), from_yaw(_yaw(entry, positions, path))), movable=False)


def _obstacles(
    entries: Mapping[str, Any], areas: Mapping[str, WorldObject], arena: Arena, positions: Positions, domain: Domain,
    seed: int
) -> Dict[str, WorldObject]:
    """The obstacles where they stand at first; random ones clear of the base's start and of every area's middle."""
    things: Dict[str, WorldObject] = {}
    spots: Dict[str, RandomSpot] = {}
    for name, entry in entries.items():
        path = ("obstacles", name)
        check_keys(entry, _OBSTACLE_KEYS, ("radius",), positions, path)
        if name in areas:
            raise positions.error(path, f"the name '{name}' is taken by an area")
        radius = _above_zero(entry, "radius", 0.0, positions, path)
        thing = WorldObject(str(name), _type(entry, "obstacle", domain, positions, path), "cylinder",
                            (2 * radius, 2 * radius, _above_zero(entry, "height", 0.4, positions, path)),
                            _attributes(entry, positions, path))
        if ("position" in entry) == ("random" in entry):
            raise positions.error(path, "exactly one of 'position' and 'random' says where it is at first")
        if "random" in entry:
            spots[thing.name] = _spot(entry["random"], radius, arena, positions, (*path, "random"))
        else:
            x, y = numbers(entry["position"], 2, positions, (*path, "position"))
            thing = standing(thing, x, y, 0.0, arena.floor)
        things[thing.name] = thing
    kept_free = {f"start of {name}": standing(_round(f"start of {name}", start.radius), *start.pose.position[:2], 0.0)
                 for name, start in arena.starts.items()}
    kept_free.update((f"middle of {name}", standing(_round(f"middle of {name}", 0.005), *area.pose.position[:2], 0.0))
                     for name, area in areas.items() if area.pose)
    drawn = draw_layout({**kept_free, **things}, spots, seed)
    if drawn is not None:
        drawn.update({name: replace(thing, pose=thing.pose.shifted((0.0, 0.0, arena.floor)))
                      for name, thing in drawn.items() if name in spots and thing.pose is not None})
    if drawn is None:
        raise positions.error(("obstacles",), f"no random layout was found for {', '.join(spots)} with seed {seed}; "
                                              "make a region wider or min_gap smaller")
    return {name: drawn[name] for name in things}


def _check_zones(zones: Sequence[KeepOut], arena: Arena, positions: Positions) -> None:
    """Refuse a base that starts where it must not be: every drive would begin with a violation."""
    for name, start in arena.starts.items():
        zone = overlapped(start.pose, start.radius, zones)
        if zone is not None:
            raise positions.error(("areas", zone.name), f"{name} starts in {zone.name}, which it must not enter; "
                                                        "move one of them")


def _check_obstacles(
    obstacles: Mapping[str, WorldObject], areas: Mapping[str, WorldObject], arena: Arena, positions: Positions
) -> None:
    for thing in obstacles.values():
        if thing.pose is None:
            continue
        path = ("obstacles", thing.name)
        x, y, _ = thing.pose.position
        if arena.clearance(x, y) <= 0.0:
            raise positions.error(path, f"{thing.name} stands at {_where(x, y)}, outside the arena, which is {arena}")
        other = overlapping(thing, obstacles)
        if other:
            raise positions.error(path, f"{thing.name} overlaps {other}; move one of them")
        for name, start in arena.starts.items():
            if math.dist((x, y), start.pose.position[:2]) < start.radius + thing.size[0] / 2.0:
                raise positions.error(path, f"{thing.name} stands where {name} starts; move one of them")
        for area in areas.values():
            if area.pose and footprint(thing, thing.pose).contains(footprint(area, area.pose).centroid):
                raise positions.error(path, f"{area.name} is inside {thing.name}: no base can stand in its middle; "
                                            "move one of them")


def _spot(entry: Any, radius: float, arena: Arena, positions: Positions, path: Place) -> RandomSpot:
    check_keys(entry, ("region", "min_gap"), (), positions, path)
    (x, y), (width, depth) = arena.origin, arena.size
    whole = (x + radius, y + radius, x + width - radius, y + depth - radius)
    x_min, y_min, x_max, y_max = numbers(entry.get("region", whole), 4, positions, (*path, "region"))
    if not (x_min <= x_max and y_min <= y_max):
        raise positions.error((*path, "region"), "x_min, y_min, x_max, y_max were expected, the least values first")
    gap = numbers([entry.get("min_gap", 0.05)], 1, positions, (*path, "min_gap"))[0]
    return RandomSpot((x_min, y_min, x_max, y_max), gap, (0.0, math.inf))


def _round(name: str, radius: float) -> WorldObject:
    return WorldObject(name, "", "cylinder", (2 * radius, 2 * radius, 0.3))


def _type(entry: Mapping[str, Any], default: str, domain: Domain, positions: Positions, path: Place) -> str:
    if default not in domain.types and "type" not in entry:
        raise positions.error(path, f"the domain '{domain.name}' has no type '{default}'; say a 'type' of it")
    return str(value_of(entry, "type", str, positions, path, default=default, choices=domain.types))


def _attributes(entry: Mapping[str, Any], positions: Positions, path: Place) -> Dict[str, str]:
    given = value_of(entry, "attributes", dict, positions, path, default={})
    return {str(key): str(value) for key, value in given.items()}


def _above_zero(entry: Mapping[str, Any], key: str, default: float, positions: Positions, path: Place) -> float:
    return numbers([entry.get(key, default)], 1, positions, (*path, key), above=0.0)[0] if key in entry else default


def _yaw(entry: Mapping[str, Any], positions: Positions, path: Place) -> float:
    return math.radians(numbers([entry.get("yaw", 0.0)], 1, positions, (*path, "yaw"))[0])


def _where(x: float, y: float) -> str:
    return f"({x:.2f}, {y:.2f})"


def check_goal(scene: Scene, pose: Pose) -> Optional[str]:
    """Why a pose is no goal for a base in this scene, as a sentence; ``None`` when it may be one."""
    if scene.arena is None:
        raise ConfigError(f"the scene '{scene.name}' has no arena")
    if not pose.finite:
        return f"The goal is not a finite pose: {pose.position}."
    x, y, _ = pose.position
    return None if scene.arena.clearance(x, y) > 0.0 else \
        f"The goal {_where(x, y)} is outside the map, which is {scene.arena}."

