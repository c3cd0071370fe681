"""Scenes from YAML, with errors that name the file, the line and what would be valid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Union

from hicrisp_core.config.files import config_file
from hicrisp_core.config.yaml_lines import Positions, check_keys, read_yaml, value_of
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene.arena import ARENA, arena_scene
from hicrisp_core.scene.common import common_scene
from hicrisp_core.scene.graph import VIRTUALHOME, graph_scene
from hicrisp_core.scene.lab import LAB, lab_scene
from hicrisp_core.scene.scene import EMBEDDED, Scene
from hicrisp_core.scene.symbolic import SYMBOLIC, symbolic_scene
from hicrisp_core.scene.table import table_objects

_OTHER_WORLDS = {ARENA: arena_scene, LAB: lab_scene, SYMBOLIC: symbolic_scene, VIRTUALHOME: graph_scene}
_SCENE_KEYS = ("scene", "description", "world", "domain", "robots", "task", "table", "objects", "tolerances", "faults",
               "cameras", "shuffle")


def load_scene(path_or_name: Union[str, Path], seed: int = 0) -> Scene:
    """A scene from its file, or by its name in the workspace's ``config/scenes``.

    Args:
        seed: draws the random layout; the same seed gives the same scene.

    Raises:
        ConfigError: with file, line, key and what is valid; also for things that overlap or leave the table.
    """
    path = config_file("scenes", path_or_name)
    values, positions = read_yaml(path)
    domain = _domain(path, value_of(values, "domain", str, positions), positions)
    world = value_of(values, "world", str, positions, default=EMBEDDED, choices=(EMBEDDED, *_OTHER_WORLDS))
    if world != EMBEDDED:
        return _OTHER_WORLDS[world](path, values, positions, domain, seed)
    check_keys(values, _SCENE_KEYS, ("scene", "domain", "objects"), positions)
    objects, masses = table_objects(values, positions, domain.types, seed)
    robots = value_of(values, "robots", list, positions, default=["panda"])
    return replace(common_scene(path, values, positions, domain, seed), robots=tuple(map(str, robots)),
                   objects=objects, masses=masses)


def _domain(path: Path, domain: str, positions: Positions) -> Domain:
    try:
        file = config_file("domains", domain, beside=path)
    except ConfigError as error:
        raise positions.error(("domain",), str(error)) from error
    return load_domain(file)
