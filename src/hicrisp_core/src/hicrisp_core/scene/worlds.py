"""The worlds of the workspace: how the scene files of each are read, and what launches it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Mapping, Tuple

from hicrisp_core.config.files import config_folders
from hicrisp_core.config.settings import keys_of, read_settings
from hicrisp_core.config.yaml_lines import Positions, read_yaml
from hicrisp_core.domain import Domain
from hicrisp_core.ports.kinds import World
from hicrisp_core.scene import arena, graph, lab, symbolic
from hicrisp_core.scene.arena import arena_scene
from hicrisp_core.scene.common import Heading, Tuning, common_scene
from hicrisp_core.scene.graph import graph_scene
from hicrisp_core.scene.lab import lab_scene
from hicrisp_core.scene.scene import Scene
from hicrisp_core.scene.symbolic import symbolic_scene
from hicrisp_core.scene.table import table_objects
from hicrisp_core.scene.table_entries import NamedRobots, TablePart

_TABLE_KEYS = keys_of(Heading, TablePart, NamedRobots, Tuning)
_ARMS = "embedded_arm"
"""The driver of the arm at the table: where a scene names no robots, a file of ``config/robots`` with this
section says what it is called.
"""


def table_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain,
                seed: int) -> Scene:
    """A scene with an arm at a table.

    Raises:
        ConfigError: with file, line, key and what is valid; also for things that overlap or leave the table.
    """
    part = read_settings(TablePart, values, positions, others=_TABLE_KEYS)
    objects, masses = table_objects(part, positions, domain, seed)
    robots = read_settings(NamedRobots, values, positions, others=_TABLE_KEYS).robots or driven_by(_ARMS)
    if not robots:
        raise positions.error((),
                              "the key 'robots' is missing, and no file of config/robots has a section "
                              f"'{_ARMS}'")
    return replace(common_scene(path, values, positions, domain, seed), robots=robots, objects=objects,
                   masses=masses)


def driven_by(driver: str) -> Tuple[str, ...]:
    """The names of the robots whose files in ``config/robots`` have the section of a driver."""
    files = [file for folder in config_folders("robots") for file in sorted(folder.glob("*.yaml"))]
    names = [str(values.get("name", "")) for values, _ in map(read_yaml, files) if driver in values]
    return tuple(sorted(set(filter(None, names))))


EMBEDDED = World(table_scene, "embedded", _TABLE_KEYS)
ARENA = World(arena_scene, "arena", arena.SCENE_KEYS)
LAB = World(lab_scene, "lab", lab.SCENE_KEYS)
SYMBOLIC = World(symbolic_scene, "embedded", symbolic.SCENE_KEYS)
VIRTUALHOME = World(graph_scene, "virtualhome", graph.SCENE_KEYS)
