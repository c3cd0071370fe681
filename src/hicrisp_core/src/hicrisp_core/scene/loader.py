"""Scenes from YAML, with errors that name the file, the line and what would be valid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Mapping, Union

from hicrisp_core.config.files import config_file
from hicrisp_core.config.settings import read_settings
from hicrisp_core.config.yaml_lines import Positions, read_yaml
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.domain.zones import is_zone
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.ports.kinds import World
from hicrisp_core.scene.common import Heading
from hicrisp_core.scene.scene import Scene

MOST_THINGS = 500
"""Entries of one part of a scene's file, at most."""


def load_scene(path_or_name: Union[str, Path], seed: int = 0) -> Scene:
    """A scene from its file, or by its name in the workspace's ``config/scenes``.

    Args:
        seed: draws the random layout; the same seed gives the same scene.

    Raises:
        ConfigError: with file, line, key and what is valid; also for things that overlap or leave the table,
            and for what the scene's world cannot honour.
    """
    path = config_file("scenes", path_or_name)
    values, positions = read_yaml(path)
    _check_size(values, positions)
    heading = read_settings(Heading, values, positions, others=tuple(values))
    domain = _domain(path, heading.domain, positions)
    name = heading.world
    if name not in extensions().worlds:
        raise positions.error(("world",), extensions().worlds.unknown(name))
    world: World = extensions().worlds.get(name)
    _check_keys(values, name, world, positions)
    scene = world.read(path, values, positions, domain, seed)
    if not isinstance(scene, Scene):
        raise ConfigError(f"the world '{name}' reads a {type(scene).__name__} instead of a scene")
    _check_zones(scene, name, domain, positions)
    return replace(scene, world=name)


def _check_size(values: Mapping[str, Any], positions: Positions) -> None:
    """Refuse what no search, planner or picture could cope with, before anything is made of it."""
    for key, value in values.items():
        if isinstance(value, Mapping) and len(value) > MOST_THINGS:
            raise positions.error((key,), f"{len(value)} entries are too many; a scene takes at most "
                                          f"{MOST_THINGS}")


def _check_keys(values: Mapping[str, Any], name: str, world: World, positions: Positions) -> None:
    """Refuse a key that is another world's: nobody would do here what it asks for."""
    worlds = extensions().worlds
    for key in values:
        homes = [other for other in worlds if world.keys and key not in world.keys
                 and key in worlds.get(other).keys]
        if homes:
            raise positions.error((key,), f"the world '{name}' has no '{key}': it is for scenes with world: "
                                          f"{' or '.join(homes)}")


def _check_zones(scene: Scene, world: str, domain: Domain, positions: Positions) -> None:
    """Refuse a zone that nobody would keep out of."""
    honoured = {zone.name for zone in scene.zones}
    for name, thing in scene.objects.items():
        if is_zone(domain, thing) and name not in honoured:
            raise positions.error(("objects", name),
                                  f"{name} is a zone ({thing.type}), and the world '{world}' cannot honour "
                                  "it among the 'objects': zones are 'areas' of an arena")


def _domain(path: Path, domain: str, positions: Positions) -> Domain:
    try:
        file = config_file("domains", domain, beside=path)
    except ConfigError as error:
        raise positions.error(("domain",), str(error)) from error
    return load_domain(file)
