"""Scenes with an arm at a table and a base in an arena around it: one world, one frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Mapping

from hicrisp_core.config.settings import keys_of, read_settings
from hicrisp_core.config.yaml_files import Positions
from hicrisp_core.domain import ANYTHING, Domain, zones_of
from hicrisp_core.model import KeepOut, Pose, WorldObject
from hicrisp_core.scene.arena import ArenaPart, read_arena, stands_of
from hicrisp_core.scene.scene import (
    PEDESTAL_WIDTH,
    TABLE,
    Heading,
    Scene,
    Tuning,
    common_scene,
)
from hicrisp_core.scene.table import TablePart, table_objects

LAB = "lab"
TRAY_HEIGHT, TRAY_EDGE = 0.25, 0.24
"""Height of a tray's top above the floor, and its edge, metres: the square lies within a base's round
footprint.
"""
SCENE_KEYS = keys_of(Heading, TablePart, ArenaPart, Tuning)
_LOWEST = 0.06
"""How far below the table's top the floor is at least, metres."""


def lab_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """Read a scene with a table and an arena. The table's top is z = 0, the floor is lower.

    Args:
        path: the file that is read; names it in error messages.
        values: content of the scene's file.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: of the random layout.

    Returns:
        The scene.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    part = read_settings(ArenaPart, values, positions, others=SCENE_KEYS)
    table_part = read_settings(TablePart, values, positions, others=SCENE_KEYS)
    objects, masses = table_objects(table_part, positions, domain, seed)
    begun = replace(common_scene(path, values, positions, domain, seed), stands=stands_of(part.robots, positions),
                    undescribed=table_part.undescribed)
    if not begun.stands:
        raise positions.error(("robots",), "at least one arm was expected, got none")
    # The ground that table and pedestals occupy: a base cannot pass under or through them.
    table = objects[TABLE]
    taken_up = [("pedestal" + (f"_{number}" if number else ""), middle, (PEDESTAL_WIDTH, PEDESTAL_WIDTH))
                for number, middle in enumerate(begun.pedestals)]
    if table.pose is not None:
        taken_up.append(("table", table.pose.position[:2], table.size[:2]))
    blocks = tuple(KeepOut(tuple((x + a * width / 2.0, y + b * depth / 2.0)
                                 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))), name=name)
                   for name, (x, y), (width, depth) in taken_up)
    arena, areas, obstacles, weights = read_arena(
        part, {name: entry for name, entry in part.robots.items() if name not in begun.stands}, positions, domain, seed,
        blocks)
    if len(arena.starts) != 1:
        raise positions.error(("robots",), f"a lab has one base, got {', '.join(arena.starts)}")
    if not arena.floor < -_LOWEST:
        raise positions.error(("arena", "floor"), f"the table's top is z = 0 and the floor must be lower than "
                                                  f"{-_LOWEST} m, got {arena.floor:g}")
    trays = {start.tray: WorldObject(  # A base with its tray as one box, so that an arm keeps clear of all of it.
        start.tray, domain.roles.tray or ANYTHING, "box", (TRAY_EDGE, TRAY_EDGE, TRAY_HEIGHT),
        pose=start.pose.compose(tray_in_base()), movable=False) for start in arena.starts.values() if start.tray}
    taken = sorted(set(objects) & (set(areas) | set(obstacles) | set(trays)) | set(areas) & set(trays))
    if taken:
        raise positions.error(("objects",), f"the name '{taken[0]}' stands for two objects")
    return replace(
        begun, robots=(*begun.stands, *arena.starts), world=LAB,
        arena=arena, objects={**objects, **trays, **areas, **obstacles}, masses={**masses, **weights},
        zones=zones_of(domain, areas.values()))


def tray_in_base() -> Pose:
    """Return the pose of a tray's object in the frame of its base, whose origin is on the floor."""
    return Pose((0.0, 0.0, TRAY_HEIGHT / 2.0))
