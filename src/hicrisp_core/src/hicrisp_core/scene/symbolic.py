"""Scenes without geometry: things, robots and the facts that hold at first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Tuple

from hicrisp_core.config.yaml_lines import Positions, check_keys, value_of
from hicrisp_core.domain import Domain
from hicrisp_core.domain.conditions import number_text
from hicrisp_core.model import Relation, WorldObject
from hicrisp_core.scene.common import common_scene
from hicrisp_core.scene.scene import Scene

SYMBOLIC = "symbolic"
SCENE_KEYS = ("scene", "description", "world", "domain", "robots", "task", "objects")


def symbolic_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain,
                   seed: int) -> Scene:
    """A scene whose things have a type, attributes and facts: ``first_glass: {type: glass, at: table, level:
    0}``.

    Every key of a thing but ``type`` and ``attributes`` is a predicate of the domain with the thing as its
    subject; its value is the other thing, a number, a list of such, or ``true`` for a fact about the thing
    alone.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    check_keys(values, SCENE_KEYS, ("scene", "domain", "objects"), positions)
    objects: Dict[str, WorldObject] = {}
    facts: List[Relation] = []
    for name, entry in value_of(values, "objects", dict, positions).items():
        where = ("objects", name)
        check_keys(entry, ("type", "attributes", *domain.predicates), ("type",), positions, where)
        type_ = value_of(entry, "type", str, positions, where, choices=domain.types)
        attributes = value_of(entry, "attributes", dict, positions, where, default={})
        objects[str(name)] = WorldObject(str(name), type_,
                                         attributes={str(k): str(v) for k, v in attributes.items()})
        facts += [fact for key in entry if key in domain.predicates
                  for fact in _facts(str(name), key, entry[key], domain, positions, (*where, key))]
    robots = value_of(values, "robots", list, positions, default=["robot"])
    return replace(common_scene(path, values, positions, domain, seed), robots=tuple(map(str, robots)),
                   objects=objects, world=SYMBOLIC, facts=frozenset(facts))


def _facts(
    name: str, predicate: str, value: Any, domain: Domain, positions: Positions, path: Tuple[Any, ...]
) -> List[Relation]:
    alone = len(domain.predicates[predicate].arguments) == 1
    if alone != isinstance(value, bool):
        wanted = "true or false was" if alone else "a name, a number or a list of such was"
        raise positions.error(path, f"{wanted} expected, got {value!r}")
    if alone:
        return [Relation(name, predicate)] if value else []
    others = value if isinstance(value, list) else [value]
    return [Relation(name, predicate, number_text(other) if isinstance(other, (int, float)) else str(other))
            for other in others]
