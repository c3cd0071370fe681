"""Scenes whose things stand in a scene graph of VirtualHome's format, which its own executor moves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Mapping, Tuple

from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT, keys_of, read_settings
from hicrisp_core.config.yaml_lines import Positions
from hicrisp_core.domain import Domain
from hicrisp_core.model import WorldObject
from hicrisp_core.scene.common import Heading, common_scene
from hicrisp_core.scene.scene import Scene

VIRTUALHOME = "virtualhome"
_PERSON, _ROOM = "character", "Rooms"


@dataclass(frozen=True, config=STRICT)
class GraphPart:
    """The part of a scene file about a scene graph: the file with it, beside this one, and who acts in it.

    Args:
        graph: JSON file with the graph, beside the scene's.
        robots: who acts in it, by name.
    """

    graph: str
    robots: Tuple[str, ...] = (_PERSON,)


SCENE_KEYS = keys_of(Heading, GraphPart)


def graph_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain,
                seed: int) -> Scene:
    """The things of a graph by name, ``fridge_12`` for the node 12 of class fridge; their facts are the
    executor's.

    Raises:
        ConfigError: with file, line and key; also when the graph cannot be read.
    """
    part = read_settings(GraphPart, values, positions, others=SCENE_KEYS)
    file = path.parent / part.graph
    try:
        nodes = json.loads(file.read_text(encoding="utf-8"))["nodes"]
        objects: Dict[str, WorldObject] = {
            name: WorldObject(name, "room" if node["category"] == _ROOM else "thing",
                              attributes={"class": str(node["class_name"])})
            for node in nodes if node["class_name"] != _PERSON
            for name in [f"{node['class_name']}_{node['id']}"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise positions.error(("graph",), f"{file} holds no scene graph: {error!r}") from error
    return replace(common_scene(path, values, positions, domain, seed), robots=part.robots, objects=objects,
                   world=VIRTUALHOME)
