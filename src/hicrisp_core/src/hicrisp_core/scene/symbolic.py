"""Scenes without geometry: things, robots and the facts that hold at first."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Tuple

from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT, keys_of, read_settings
from hicrisp_core.config.yaml_lines import Positions
from hicrisp_core.domain import Domain
from hicrisp_core.domain.conditions import number_text
from hicrisp_core.model import Relation, WorldObject
from hicrisp_core.scene.common import Heading, common_scene
from hicrisp_core.scene.scene import Scene

SYMBOLIC = "symbolic"


@dataclass(frozen=True, config=STRICT)
class SymbolicPart:
    """The part of a scene file about things without poses; what is said of each is read one by one.

    Args:
        objects: the things by name.
        robots: the robots by name.
    """

    objects: Mapping[str, Any]
    robots: Tuple[str, ...] = ("robot",)


@dataclass(frozen=True, config=STRICT)
class SymbolicThing:
    """What is said of a thing besides its facts.

    Args:
        type: a type of the domain.
        attributes: words by which language may call it.
    """

    type: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


SCENE_KEYS = keys_of(Heading, SymbolicPart)


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
    part = read_settings(SymbolicPart, values, positions, others=SCENE_KEYS)
    objects: Dict[str, WorldObject] = {}
    facts: List[Relation] = []
    for name, entry in part.objects.items():
        where = ("objects", name)
        thing = read_settings(SymbolicThing, entry, positions, where, others=domain.predicates)
        if thing.type not in domain.types:
            raise positions.error((*where, "type"),
                                  f"'{thing.type}' is not one of: {', '.join(sorted(domain.types))}")
        objects[name] = WorldObject(name, thing.type,
                                    attributes={k: str(v) for k, v in thing.attributes.items()})
        facts += [fact for key in entry if key in domain.predicates
                  for fact in _facts(name, key, entry[key], domain, positions, (*where, key))]
    return replace(common_scene(path, values, positions, domain, seed), robots=part.robots, objects=objects,
                   world=SYMBOLIC, facts=frozenset(facts))


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
