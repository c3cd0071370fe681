"""What the files of several kinds of scenes say: texts, tolerances, faults and cameras."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Tuple

from hicrisp_core.config.yaml_lines import Positions, check_keys, numbers, value_of
from hicrisp_core.domain import Domain
from hicrisp_core.scene.scene import Camera, Scene, SceneFault


def common_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """A scene without robots and things, as far as its file says what is not of one kind of scene alone.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    return Scene(
        name=value_of(values, "scene", str, positions), domain=domain.name, robots=(), objects={},
        description=value_of(values, "description", str, positions, default=""),
        task=value_of(values, "task", str, positions, default=""),
        tolerances={str(key): value_of(values["tolerances"], key, float, positions, ("tolerances",))
                    for key in value_of(values, "tolerances", dict, positions, default={})},
        faults=tuple(_fault(entry, positions, ("faults", index))
                     for index, entry in enumerate(value_of(values, "faults", list, positions, default=[]))),
        cameras={str(name): _camera(entry, positions, ("cameras", name))
                 for name, entry in value_of(values, "cameras", dict, positions, default={}).items()},
        seed=seed, source=str(path))


def _fault(entry: Any, positions: Positions, path: Tuple[Any, ...]) -> SceneFault:
    check_keys(entry, ("kind", "target", "magnitude", "count"), ("kind",), positions, path)
    magnitude = entry.get("magnitude", [])
    listed = magnitude if isinstance(magnitude, list) else [magnitude]
    return SceneFault(
        value_of(entry, "kind", str, positions, path), value_of(entry, "target", str, positions, path, default=""),
        tuple(numbers(listed, None, positions, (*path, "magnitude"))),
        value_of(entry, "count", int, positions, path, default=0))


def _camera(entry: Any, positions: Positions, path: Tuple[Any, ...]) -> Camera:
    check_keys(entry, ("position", "target", "opening"), ("position", "target"), positions, path)
    at = numbers(entry["position"], 3, positions, (*path, "position"))
    to = numbers(entry["target"], 3, positions, (*path, "target"))
    return Camera((at[0], at[1], at[2]), (to[0], to[1], to[2]),
                  value_of(entry, "opening", float, positions, path, default=45.0))
