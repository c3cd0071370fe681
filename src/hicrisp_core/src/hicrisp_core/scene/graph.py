"""Scenes whose things stand in a scene graph of VirtualHome's format, which its own executor moves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Mapping

from hicrisp_core.config.yaml_lines import Positions, check_keys, value_of
from hicrisp_core.domain import Domain
from hicrisp_core.model import WorldObject
from hicrisp_core.scene.common import common_scene
from hicrisp_core.scene.scene import Scene

VIRTUALHOME = "virtualhome"
SCENE_KEYS = ("scene", "description", "world", "domain", "robots", "task", "graph")
_PERSON, _ROOM = "character", "Rooms"


def graph_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain,
                seed: int) -> Scene:
    """The things of a graph by name, ``fridge_12`` for the node 12 of class fridge; their facts are the
    executor's.

    Raises:
        ConfigError: with file, line and key; also when the graph cannot be read.
    """
    check_keys(values, SCENE_KEYS, ("scene", "domain", "graph"), positions)
    file = path.parent / value_of(values, "graph", str, positions)
    try:
        nodes = json.loads(file.read_text(encoding="utf-8"))["nodes"]
        objects: Dict[str, WorldObject] = {
            name: WorldObject(name, "room" if node["category"] == _ROOM else "thing",
                              attributes={"class": str(node["class_name"])})
            for node in nodes if node["class_name"] != _PERSON
            for name in [f"{node['class_name']}_{node['id']}"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise positions.error(("graph",), f"{file} holds no scene graph: {error!r}") from error
    robots = value_of(values, "robots", list, positions, default=[_PERSON])
    return replace(common_scene(path, values, positions, domain, seed), robots=tuple(map(str, robots)),
                   objects=objects, world=VIRTUALHOME)
