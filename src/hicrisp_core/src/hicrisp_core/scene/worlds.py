"""The worlds of the workspace: how the scene files of each are read, and what launches it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Mapping

from hicrisp_core.config.files import config_file
from hicrisp_core.config.yaml_lines import Positions, check_keys, read_yaml, value_of
from hicrisp_core.domain import Domain
from hicrisp_core.ports.kinds import World
from hicrisp_core.scene import arena, graph, lab, symbolic
from hicrisp_core.scene.arena import arena_scene
from hicrisp_core.scene.common import common_scene
from hicrisp_core.scene.graph import graph_scene
from hicrisp_core.scene.lab import lab_scene
from hicrisp_core.scene.scene import Scene
from hicrisp_core.scene.symbolic import symbolic_scene
from hicrisp_core.scene.table import table_objects

_TABLE_KEYS = ("scene", "description", "world", "domain", "robots", "task", "table", "objects", "tolerances",
               "faults",
               "cameras", "shuffle")
_ARM = "panda_embedded"
"""The file of ``config/robots`` with the arm at the table, where a scene names no robots."""


def table_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain,
                seed: int) -> Scene:
    """A scene with an arm at a table.

    Raises:
        ConfigError: with file, line, key and what is valid; also for things that overlap or leave the table.
    """
    check_keys(values, _TABLE_KEYS, ("scene", "domain", "objects"), positions)
    objects, masses = table_objects(values, positions, domain.types, seed)
    robots = value_of(values, "robots", list, positions, default=[_robot_name(_ARM)])
    return replace(common_scene(path, values, positions, domain, seed), robots=tuple(map(str, robots)),
                   objects=objects, masses=masses)


def _robot_name(file: str) -> str:
    """The name of the robot that a file of ``config/robots`` describes."""
    values, positions = read_yaml(config_file("robots", file))
    return str(value_of(values, "name", str, positions))


EMBEDDED = World(table_scene, "embedded", _TABLE_KEYS)
ARENA = World(arena_scene, "arena", arena.SCENE_KEYS)
LAB = World(lab_scene, "lab", lab.SCENE_KEYS)
SYMBOLIC = World(symbolic_scene, "embedded", symbolic.SCENE_KEYS)
VIRTUALHOME = World(graph_scene, "virtualhome", graph.SCENE_KEYS)
