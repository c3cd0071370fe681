"""Scenes with an arm at a table and a base in an arena around it: one world, one frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Mapping

from hicrisp_core.config.settings import Positions, keys_of, read_settings
from hicrisp_core.domain import Domain
from hicrisp_core.domain.schema import ANYTHING
from hicrisp_core.domain.zones import zones_of
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.scene.arena import ArenaPart, ArmEntry, read_arena
from hicrisp_core.scene.scene import TABLE, Arena, Heading, Scene, Tuning, Wall, common_scene
from hicrisp_core.scene.table import TablePart, table_objects

LAB = "lab"
TRAY_HEIGHT, TRAY_EDGE = 0.25, 0.24
"""Height of a tray's top above the floor, and its edge, metres: the square lies within a base's round
footprint.
"""
SCENE_KEYS = keys_of(Heading, TablePart, ArenaPart, Tuning)
_PEDESTAL = 0.26
"""Edge of the square that the arm's pedestal takes, metres, around the world's origin."""
_LOWEST = 0.06
"""How far below the table's top the floor is at least, metres."""
_KERB, _KERB_HEIGHT = 0.02, 0.1
"""Thickness and height of the walls that stand for the table and the pedestal, metres."""


def lab_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """A scene with both: the keys of a table's scene and of an arena's. The table's top is z = 0, the floor
    lower.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    part = read_settings(ArenaPart, values, positions, others=SCENE_KEYS)
    things, masses = table_objects(read_settings(TablePart, values, positions, others=SCENE_KEYS), positions,
                                   domain, seed)
    arms = [name for name, entry in part.robots.items() if isinstance(entry, dict) and entry.get("kind") == ARM]
    for name in arms:
        read_settings(ArmEntry, part.robots[name], positions, ("robots", name))
    if len(arms) != 1:
        raise positions.error(("robots",), f"one arm was expected, got {len(arms)}: {', '.join(arms) or 'none'}")
    arena, areas, obstacles, weights = read_arena(
        part, {name: entry for name, entry in part.robots.items() if name not in arms}, positions, domain, seed,
        _known(things[TABLE]))
    if not arena.floor < -_LOWEST:
        raise positions.error(("arena", "floor"), f"the table's top is z = 0 and the floor must be lower than "
                                                  f"{-_LOWEST} m, got {arena.floor:g}")
    trays = _trays(arena, domain.roles.tray or ANYTHING)
    taken = sorted(set(things) & (set(areas) | set(obstacles) | set(trays)) | set(areas) & set(trays))
    if taken:
        raise positions.error(("objects",), f"the name '{taken[0]}' stands for two things")
    return replace(
        common_scene(path, values, positions, domain, seed), robots=(*arms, *arena.starts), world=LAB,
        arena=arena, objects={**things, **trays, **areas, **obstacles}, masses={**masses, **weights},
        zones=zones_of(domain, areas.values()))


def tray_in_base(floor_to_top: float = TRAY_HEIGHT) -> Pose:
    """The pose of a tray's object in the frame of its base, whose origin is on the floor."""
    return Pose((0.0, 0.0, floor_to_top / 2.0))


def _trays(arena: Arena, type_: str) -> Dict[str, WorldObject]:
    """Each base with its tray as one box, so that an arm keeps clear of all of it."""
    return {start.tray: WorldObject(start.tray, type_, "box", (TRAY_EDGE, TRAY_EDGE, TRAY_HEIGHT),
                                    pose=start.pose.compose(tray_in_base()), movable=False)
            for start in arena.starts.values() if start.tray}


def _known(table: WorldObject) -> Dict[str, Wall]:
    """What the map of a base knows of the arm's place: the edges of the table and of the pedestal, as low
    walls.
    """
    half = _PEDESTAL / 2.0
    blocks = {"pedestal": (-half, -half, half, half)}
    if table.pose is not None:
        (x, y, _), (width, depth, _) = table.pose.position, table.size
        blocks["table"] = (x - width / 2.0, y - depth / 2.0, x + width / 2.0, y + depth / 2.0)
    walls: Dict[str, Wall] = {}
    for name, (left, low, right, high) in blocks.items():
        corners = [(x, y) for x, y in ((left, low), (right, low), (right, high), (left, high))]
        walls.update({f"{name}_{side}": Wall(corner, corners[(side + 1) % 4], _KERB, _KERB_HEIGHT)
                      for side, corner in enumerate(corners)})
    return walls
