"""Scenes from YAML, with errors that name the file, the line and what would be valid."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Mapping, Tuple, Union

from hicrisp_core.config.files import config_file, config_folders
from hicrisp_core.config.settings import keys_of, read_settings
from hicrisp_core.config.yaml_files import Positions, read_yaml
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.domain.schema import is_zone
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import Lazy, extensions
from hicrisp_core.ports.kinds import World
from hicrisp_core.scene import arena, lab, symbolic
from hicrisp_core.scene.arena import arena_scene, stands_of
from hicrisp_core.scene.lab import lab_scene
from hicrisp_core.scene.scene import Heading, Scene, Tuning, common_scene
from hicrisp_core.scene.symbolic import facts_beside, graph_scene, symbolic_scene
from hicrisp_core.scene.table import NamedRobots, ObjectEntry, TablePart, table_objects

MOST_OBJECTS = 500
"""Entries of one part of a scene's file, at most."""
_TABLE_KEYS = keys_of(Heading, TablePart, NamedRobots, Tuning)
_ARMS = "embedded_arm"
"""The driver of the arm at the table: where a scene names no robots, a file of ``config/robots`` with this
section says what it is called.
"""


def load_scene(path_or_name: Union[str, Path], seed: int = 0) -> Scene:
    """Load a scene from its file, or by its name in the workspace's ``config/scenes``.

    Args:
        path_or_name: path of a YAML file, or the name of one in ``config/scenes``.
        seed: draws the random layout; the same seed gives the same scene.

    Returns:
        The scene.

    Raises:
        ConfigError: with file, line, key and what is valid; also for objects that overlap or leave the table,
            and for what the scene's world cannot honour.
    """
    path = config_file("scenes", path_or_name)
    values, positions = read_yaml(path)
    for key, value in values.items():  # What no search, planner or picture could cope with.
        if isinstance(value, Mapping) and len(value) > MOST_OBJECTS:
            raise positions.error((key,), f"{len(value)} entries are too many; a scene takes at most {MOST_OBJECTS}")
    heading = read_settings(Heading, values, positions, others=tuple(values))
    try:
        domain_file = config_file("domains", heading.domain, beside=path)
    except ConfigError as error:
        raise positions.error(("domain",), str(error)) from error
    domain = load_domain(domain_file)
    name = heading.world
    if name not in extensions().worlds:
        raise positions.error(("world",), extensions().worlds.unknown(name))
    world: World = extensions().worlds.get(name)
    worlds = extensions().worlds
    for key in values:
        homes = [other for other in worlds if world.keys and key not in world.keys and key in worlds.get(other).keys]
        if homes:  # It would have no effect here.
            raise positions.error((key,), f"the world '{name}' has no '{key}': it is for scenes with world: "
                                          f"{' or '.join(homes)}")
    scene = world.read(path, values, positions, domain, seed)
    if not isinstance(scene, Scene):
        raise ConfigError(f"the world '{name}' reads a {type(scene).__name__} instead of a scene")
    honoured = {zone.name for zone in scene.zones}
    for each, item in scene.objects.items():
        if is_zone(domain, item) and each not in honoured:
            raise positions.error(("objects", each),
                                  f"{each} is a zone ({item.type}), and the world '{name}' cannot honour "
                                  "it among the 'objects': zones are 'areas' of an arena")
    return replace(scene, world=name)


def domain_of(scene: Scene) -> Domain:
    """Load the domain of a scene; it may be next to the scene's file.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        The domain.

    Raises:
        ConfigError: if the domain does not exist or is invalid.
    """
    return load_domain(config_file("domains", scene.domain, beside=scene.source))


def table_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """Read a scene with an arm at a table.

    Args:
        path: the file that is read; names it in error messages.
        values: content of the scene's file.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: of the random layout.

    Returns:
        The scene.

    Raises:
        ConfigError: with file, line, key and what is valid; also for objects that overlap or leave the table.
    """
    described, facts = facts_beside(values.get("objects"), keys_of(ObjectEntry), domain, positions)
    part = read_settings(TablePart, {**values, "objects": described}, positions, others=_TABLE_KEYS)
    objects, masses = table_objects(part, positions, domain, seed)
    begun = replace(common_scene(path, values, positions, domain, seed), objects=objects, masses=masses, facts=facts,
                    undescribed=part.undescribed)
    told = values.get("robots")
    if isinstance(told, Mapping) and told:
        stands = stands_of(told, positions)
        other = next((name for name in told if name not in stands), None)
        if other is not None:
            raise positions.error(("robots", other, "kind"), "this world has arms alone; a base needs world: lab")
        return replace(begun, robots=tuple(stands), stands=stands)
    robots = read_settings(NamedRobots, values, positions, others=_TABLE_KEYS).robots or driven_by(_ARMS)
    if not robots:
        raise positions.error((), "the key 'robots' is missing, and no file of config/robots has a section "
                              f"'{_ARMS}'")
    return replace(begun, robots=robots)


def driven_by(driver: str) -> Tuple[str, ...]:
    """Return the robots whose files in ``config/robots`` have the section of a driver.

    Args:
        driver: the section.

    Returns:
        Their names, sorted.
    """
    files = [file for folder in config_folders("robots") for file in sorted(folder.glob("*.yaml"))]
    names = [str(values.get("name", "")) for values, _ in map(read_yaml, files) if driver in values]
    return tuple(sorted(set(filter(None, names))))


def _read_by(reader: Lazy, *asked: Any) -> Scene:
    """Read a scene by a function of a package above this one, which may be absent."""
    scene: Scene = reader.value(*asked)
    return scene


EMBEDDED = World(table_scene, "embedded", _TABLE_KEYS)
ARENA = World(arena_scene, "arena", arena.SCENE_KEYS)
LAB = World(lab_scene, "lab", lab.SCENE_KEYS)
SYMBOLIC = World(symbolic_scene, "embedded", symbolic.SCENE_KEYS)
VIRTUALHOME = World(graph_scene, "virtualhome", symbolic.GRAPH_KEYS)
LIBERO = World(partial(_read_by, Lazy("hicrisp_libero.description:libero_scene")), "libero", keys_of(Heading, Tuning))
