"""Scenes from YAML, with errors that name the file, the line and what would be valid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Mapping, Tuple, Union

from hicrisp_core.config.files import config_file
from hicrisp_core.config.yaml_lines import Positions, check_keys, read_yaml, value_of
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.domain.zones import is_zone
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import arena, graph, lab, symbolic
from hicrisp_core.scene.arena import ARENA
from hicrisp_core.scene.common import common_scene
from hicrisp_core.scene.graph import VIRTUALHOME
from hicrisp_core.scene.lab import LAB
from hicrisp_core.scene.scene import EMBEDDED, Scene
from hicrisp_core.scene.symbolic import SYMBOLIC
from hicrisp_core.scene.table import table_objects

_TABLE_KEYS = ("scene", "description", "world", "domain", "robots", "task", "table", "objects", "tolerances", "faults",
               "cameras", "shuffle")


def _table_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """A table with things on it."""
    check_keys(values, _TABLE_KEYS, ("scene", "domain", "objects"), positions)
    objects, masses = table_objects(values, positions, domain.types, seed)
    robots = value_of(values, "robots", list, positions, default=["panda"])
    return replace(common_scene(path, values, positions, domain, seed), robots=tuple(map(str, robots)),
                   objects=objects, masses=masses)


_Reader = Callable[[Path, Mapping[str, Any], Positions, Domain, int], Scene]
_WORLDS: Mapping[str, Tuple[Tuple[str, ...], _Reader]] = {
    EMBEDDED: (_TABLE_KEYS, _table_scene),
    ARENA: (arena.SCENE_KEYS, arena.arena_scene),
    LAB: (lab.SCENE_KEYS, lab.lab_scene),
    SYMBOLIC: (symbolic.SCENE_KEYS, symbolic.symbolic_scene),
    VIRTUALHOME: (graph.SCENE_KEYS, graph.graph_scene),
}
"""The keys that a world's scenes may have, and who reads them."""


def load_scene(path_or_name: Union[str, Path], seed: int = 0) -> Scene:
    """A scene from its file, or by its name in the workspace's ``config/scenes``.

    Args:
        seed: draws the random layout; the same seed gives the same scene.

    Raises:
        ConfigError: with file, line, key and what is valid; also for things that overlap or leave the table, and for
            what the scene's world cannot honour.
    """
    path = config_file("scenes", path_or_name)
    values, positions = read_yaml(path)
    domain = _domain(path, value_of(values, "domain", str, positions), positions)
    world = value_of(values, "world", str, positions, default=EMBEDDED, choices=_WORLDS)
    keys, read = _WORLDS[world]
    for key in values:
        homes = [name for name, (theirs, _) in _WORLDS.items() if key in theirs]
        if key not in keys and homes:
            raise positions.error((key,), f"the world '{world}' has no '{key}': it is for scenes with world: "
                                          f"{' or '.join(homes)}")
    scene = read(path, values, positions, domain, seed)
    _check_zones(scene, domain, positions)
    return scene


def _check_zones(scene: Scene, domain: Domain, positions: Positions) -> None:
    """Refuse a zone that nobody would keep out of."""
    honoured = {zone.name for zone in scene.zones}
    for name, thing in scene.objects.items():
        if is_zone(domain, thing) and name not in honoured:
            raise positions.error(("objects", name), f"{name} is a zone ({thing.type}); among the 'objects' the world "
                                                     f"'{scene.world}' cannot honour it: zones are 'areas' of scenes "
                                                     f"with world: {ARENA} or {LAB}")


def _domain(path: Path, domain: str, positions: Positions) -> Domain:
    try:
        file = config_file("domains", domain, beside=path)
    except ConfigError as error:
        raise positions.error(("domain",), str(error)) from error
    return load_domain(file)
