"""Scenes for mobile bases: an arena with walls, areas to visit, obstacles that no map knows, and where robots
start; metres and degrees.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Tuple

from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass
from typing_extensions import Literal

from hicrisp_core.config.settings import STRICT, keys_of, read_settings
from hicrisp_core.config.yaml_files import Path as Place
from hicrisp_core.config.yaml_files import Positions
from hicrisp_core.domain import Domain, zones_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import KeepOut, Pose, WorldObject
from hicrisp_core.model.geometry import Planar, from_yaw, planar_distance
from hicrisp_core.model.keep_out import footprint, overlapped
from hicrisp_core.ports.kinds import ARM, BASE
from hicrisp_core.scene.floor_plan import Arena, Start, Wall
from hicrisp_core.scene.layout import RandomSpot, draw_layout, overlapping, standing
from hicrisp_core.scene.scene import Heading, Scene, Stand, common_scene

Extent = Tuple[PositiveFloat, PositiveFloat]
ARENA = "arena"
_FLAT = 0.002
"""Height of an area, metres: it is painted on the floor."""
_RADIUS = 0.18
"""Of a base's round footprint where the scene says nothing, metres."""
_KERB, _KERB_HEIGHT = 0.02, 0.1
"""Thickness and height of the walls around a block, which stop a base and over which a lidar looks, metres."""


@dataclass(frozen=True, config=STRICT)
class ArenaEntry:
    """The floor: its corner with the least coordinates, its extents and its height.

    Args:
        origin: the least x and y inside the border, metres.
        size: extents in x and y, metres.
        floor: height of the floor in the world frame, metres.
    """

    origin: Planar
    size: Extent
    floor: float = 0.0


WALL_KEYS = {"start": "from", "end": "to"}


@dataclass(frozen=True, config=STRICT)
class RobotEntry:
    """A robot and where it is at first: an arm at the table, or a base on the floor.

    Args:
        kind: what it is.
        position: where an arm stands, or the middle of a base at first, metres; an arm's is the world's origin by
            default.
        radius: of a base's round footprint, metres; 0.18 by default.
        yaw: its heading at first, degrees.
        tray: name of the object that a base carries objects on; empty for none.
        type: the robot whose files describe it; that of its own name by default. Several robots may be of one type.
    """

    kind: Literal["arm", "base"]
    position: Optional[Planar] = None
    radius: Optional[PositiveFloat] = None
    yaw: float = 0.0
    tray: str = ""
    type: str = ""

    def __post_init__(self) -> None:
        if self.kind == BASE and self.position is None:
            raise ValueError("a base has a 'position'")
        if self.kind == ARM and (self.radius is not None or self.tray):
            raise ValueError("an arm has no 'radius' and no 'tray'")

    @property
    def pose(self) -> Pose:
        """Where it stands in the world's plane."""
        return Pose((*(self.position or (0.0, 0.0)), 0.0), from_yaw(math.radians(self.yaw)))


def stands_of(entries: Mapping[str, Any], positions: Positions) -> Dict[str, Stand]:
    """Read where a scene's arms stand.

    Args:
        entries: what the file says of its robots, by name.
        positions: where each key stands in the file, for error messages.

    Returns:
        The stands of the arms by name; robots of other kinds are left out.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    told = {name: read_settings(RobotEntry, entry, positions, ("robots", name)) for name, entry in entries.items()}
    return {name: Stand(entry.type or name, entry.pose) for name, entry in told.items() if entry.kind == ARM}


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

    position: Planar
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
        if self.region is not None and not (self.region[0] <= self.region[2] and self.region[1] <= self.region[3]):
            raise ValueError("the region is x_min, y_min, x_max, y_max, the least values first")


@dataclass(frozen=True, config=STRICT)
class ObstacleEntry:
    """A round object that no map knows, kilograms; unless a type is given, it has the one that plays the role
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
    position: Optional[Planar] = None
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
        obstacles: objects that no map knows, by name.
    """

    arena: ArenaEntry
    areas: Mapping[str, AreaEntry]
    robots: Mapping[str, Any]
    walls: Mapping[str, Any] = field(default_factory=dict)
    obstacles: Mapping[str, ObstacleEntry] = field(default_factory=dict)


SCENE_KEYS = (*keys_of(Heading, ArenaPart), "faults")


def arena_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """Read a scene with a floor, walls, areas and obstacles, in which bases start.

    Args:
        path: the file that is read; names it in error messages.
        values: content of the scene's file.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: of the random layout.

    Returns:
        The scene.

    Raises:
        ConfigError: with file, line, key and what is valid; also for what lies outside, overlaps, or covers
            an area.
    """
    part = read_settings(ArenaPart, values, positions, others=SCENE_KEYS)
    arena, areas, obstacles, masses = read_arena(part, part.robots, positions, domain, seed)
    return replace(common_scene(path, values, positions, domain, seed), robots=tuple(arena.starts),
                   world=ARENA, arena=arena, objects={**areas, **obstacles}, masses=masses,
                   zones=zones_of(domain, areas.values()))


def read_arena(
    part: ArenaPart, bases: Mapping[str, Any], positions: Positions, domain: Domain, seed: int,
    blocks: Tuple[KeepOut, ...] = (),
) -> Tuple[Arena, Dict[str, WorldObject], Dict[str, WorldObject], Dict[str, float]]:
    """Read the arena of a scene.

    Args:
        part: the arena's keys of the file.
        bases: what the file says of its bases.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: of the random layout.
        blocks: the ground that furniture takes, which the map knows; low walls stand around it.

    Returns:
        The arena, its areas, its obstacles at their initial poses, and their masses (kg).

    Raises:
        ConfigError: with file, line, key and what is valid; also for what lies outside, overlaps, or covers
            an area.
    """
    arena = _arena(part, bases, positions, blocks)
    areas = {}
    for name, entry in part.areas.items():
        type_ = _type(entry.type or domain.roles.area, domain, positions, ("areas", name))
        x, y = entry.position
        if arena.clearance(x, y) <= 0.0:
            raise positions.error(("areas", name, "position"), f"{_where(x, y)} is outside the arena, which is {arena}")
        areas[name] = WorldObject(
            name, type_, "region", (*entry.size, _FLAT), _attributes(entry.attributes),
            Pose((x, y, arena.floor + _FLAT / 2.0), from_yaw(math.radians(entry.yaw))), movable=False)
    zones = zones_of(domain, areas.values())
    for name, start in arena.starts.items():  # From within a zone every drive would begin with a violation.
        zone = overlapped(start.pose, start.radius, zones)
        if zone is not None:
            raise positions.error(("areas", zone.name), f"{name} starts in {zone.name}, which it must not enter; "
                                                        "move one of them")
    obstacles = _obstacles(part.obstacles, areas, arena, positions, domain, seed)
    _check_obstacles(obstacles, areas, arena, positions)
    masses = {name: entry.mass for name, entry in part.obstacles.items()}
    return replace(arena, unknown=frozenset(obstacles)), areas, obstacles, masses


def _arena(part: ArenaPart, bases: Mapping[str, Any], positions: Positions, blocks: Tuple[KeepOut, ...]) -> Arena:
    bounds = part.arena
    walls = {name: read_settings(Wall, entry, positions, ("walls", name), renamed=WALL_KEYS)
             for name, entry in part.walls.items()}
    kerbs = {f"{block.name}_{side}": Wall(corner, block.corners[(side + 1) % len(block.corners)], _KERB, _KERB_HEIGHT)
             for block in blocks for side, corner in enumerate(block.corners)}
    empty = Arena(bounds.origin, bounds.size, {**walls, **kerbs}, {}, bounds.floor, blocks=blocks)
    starts = {}
    for name, told in bases.items():
        path = ("robots", name)
        entry = read_settings(RobotEntry, told, positions, path)
        if entry.kind != BASE:
            raise positions.error((*path, "kind"), "this world has bases alone")
        (x, y, _), radius = entry.pose.position, entry.radius or _RADIUS
        if empty.clearance(x, y) < radius:
            raise positions.error((*path, "position"), f"the base does not fit there: {_where(x, y)} is "
                                                       f"{max(0.0, empty.clearance(x, y)):.2f} m from a wall, "
                                                       f"its radius is {radius:.2f} m")
        starts[name] = Start(entry.pose.shifted((0.0, 0.0, bounds.floor)), radius, entry.tray, entry.type)
    if not starts:
        raise positions.error(("robots",), "a base was expected, got none")
    for (name, one), (other, two) in itertools.combinations(starts.items(), 2):
        if planar_distance(one.pose.position, two.pose.position) < one.radius + two.radius:
            raise positions.error(("robots", other, "position"), f"{other} starts where {name} does; move one of them")
    return replace(empty, starts=starts)


def _obstacles(
    entries: Mapping[str, ObstacleEntry], areas: Mapping[str, WorldObject], arena: Arena, positions: Positions,
    domain: Domain, seed: int,
) -> Dict[str, WorldObject]:
    """Return the obstacles where they stand at first; random ones clear of the base's start and of every area's
    middle.
    """
    objects: Dict[str, WorldObject] = {}
    spots: Dict[str, RandomSpot] = {}
    for name, entry in entries.items():
        path = ("obstacles", name)
        if name in areas:
            raise positions.error(path, f"the name '{name}' is taken by an area")
        type_ = _type(entry.type or domain.roles.obstacle, domain, positions, path)
        item = WorldObject(name, type_, "cylinder", (2 * entry.radius, 2 * entry.radius, entry.height),
                           _attributes(entry.attributes))
        if entry.random is not None:
            (x, y), (width, depth), edge = arena.origin, arena.size, entry.radius
            whole = (x + edge, y + edge, x + width - edge, y + depth - edge)
            spots[name] = RandomSpot(entry.random.region or whole, entry.random.min_gap, (0.0, math.inf))
        elif entry.position is not None:
            item = standing(item, *entry.position, 0.0, arena.floor)
        objects[name] = item
    free = {**{f"start of {name}": (start.pose, start.radius) for name, start in arena.starts.items()},
            **{f"middle of {name}": (area.pose, 0.005) for name, area in areas.items() if area.pose}}
    kept_free = {name: standing(WorldObject(name, "", "cylinder", (2 * radius, 2 * radius, 0.3)),
                                *pose.position[:2], 0.0) for name, (pose, radius) in free.items()}
    drawn = draw_layout({**kept_free, **objects}, spots, seed)
    if drawn is None:
        raise positions.error(("obstacles",), f"no random layout was found for {', '.join(spots)} with seed {seed}; "
                                              "make a region wider or min_gap smaller")
    drawn.update({name: replace(item, pose=item.pose.shifted((0.0, 0.0, arena.floor)))
                  for name, item in drawn.items() if name in spots and item.pose is not None})
    return {name: drawn[name] for name in objects}


def _check_obstacles(
    obstacles: Mapping[str, WorldObject], areas: Mapping[str, WorldObject], arena: Arena, positions: Positions
) -> None:
    for item in obstacles.values():
        if item.pose is None:
            continue
        path = ("obstacles", item.name)
        x, y, _ = item.pose.position
        if arena.clearance(x, y) <= 0.0:
            raise positions.error(path, f"{item.name} stands at {_where(x, y)}, outside the arena, which is "
                                  f"{arena}")
        other = overlapping(item, obstacles)
        if other:
            raise positions.error(path, f"{item.name} overlaps {other}; move one of them")
        for name, start in arena.starts.items():
            if math.dist((x, y), start.pose.position[:2]) < start.radius + item.size[0] / 2.0:
                raise positions.error(path, f"{item.name} stands where {name} starts; move one of them")
        for area in areas.values():
            if area.pose and footprint(item, item.pose).contains(footprint(area, area.pose).centroid):
                raise positions.error(path, f"{area.name} is inside {item.name}: no base can stand in its middle; "
                                            "move one of them")


def _type(said: str, domain: Domain, positions: Positions, path: Place) -> str:
    """Return the type of a place or an obstacle, when the domain has it."""
    if said in domain.types:
        return said
    wrong = f"'{said}' is no type of the domain '{domain.name}'" if said else \
        f"the domain '{domain.name}' has no type for this"
    raise positions.error((*path, "type"), f"{wrong}; say a 'type' of it: {', '.join(sorted(domain.types))}")


def _attributes(given: Mapping[str, Any]) -> Dict[str, str]:
    return {str(key): str(value) for key, value in given.items()}


def _where(x: float, y: float) -> str:
    return f"({x:.2f}, {y:.2f})"


def check_goal(scene: Scene, pose: Pose) -> Optional[str]:
    """Return why a pose cannot be a goal for a base in this scene.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.
        pose: map frame.

    Returns:
        What is wrong, as a sentence; ``None`` if it is valid.

    Raises:
        ConfigError: if the scene has no arena.
    """
    if scene.arena is None:
        raise ConfigError(f"the scene '{scene.name}' has no arena")
    if not pose.finite:
        return f"The goal is not a finite pose: {pose.position}."
    x, y, _ = pose.position
    return None if scene.arena.clearance(x, y) > 0.0 else \
        f"The goal {_where(x, y)} is outside the map, which is {scene.arena}."
