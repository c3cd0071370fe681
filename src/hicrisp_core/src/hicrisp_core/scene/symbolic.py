"""Scenes without geometry: objects, robots and the facts that hold at first, from the file itself or from a scene graph
of VirtualHome, whose own executor moves its objects.
"""

from __future__ import annotations

import json
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Collection, Dict, FrozenSet, Iterator, List, Mapping, Sequence, Tuple

from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT, keys_of, read_settings
from hicrisp_core.config.yaml_files import Positions
from hicrisp_core.domain import Domain
from hicrisp_core.domain.conditions import number_text
from hicrisp_core.model import Relation, WorldObject
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.scene.scene import Heading, Scene, common_scene

SYMBOLIC = "symbolic"
VIRTUALHOME = "virtualhome"
_PERSON, _ROOM = "character", "Rooms"
STATES = {"OPEN": "open", "CLOSED": "closed", "ON": "switched_on", "OFF": "switched_off",
          "PLUGGED_IN": "plugged_in", "PLUGGED_OUT": "plugged_out", "CLEAN": "clean", "DIRTY": "dirty",
          "SITTING": "sitting", "LYING": "lying"}
"""The predicates of a node's states."""
PROPERTIES = ("grabbable", "sittable", "lieable", "drinkable", "eatable", "recipient", "cuttable", "pourable",
              "can_open", "has_switch", "has_plug", "readable", "lookable", "clothes", "movable", "person",
              "body_part")
"""The properties of nodes that are predicates, too."""
_EDGES = {"ON": "on", "INSIDE": "inside", "CLOSE": "close", "FACING": "facing"}
_OF_PERSON = ("close", "facing")


@dataclass(frozen=True, config=STRICT)
class SymbolicPart:
    """The part of a scene file about objects without poses; what is said of each is read one by one.

    Args:
        objects: the objects by name.
        robots: the robots by name.
    """

    objects: Mapping[str, Any]
    robots: Tuple[str, ...] = ("robot",)


@dataclass(frozen=True, config=STRICT)
class SymbolicObject:
    """What is said of an object besides its facts.

    Args:
        type: a type of the domain.
        attributes: words by which language may call it.
    """

    type: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


SCENE_KEYS = keys_of(Heading, SymbolicPart)


def symbolic_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """Read a scene whose objects have a type, attributes and facts: ``first_glass: {type: glass, at: table,
    level: 0}``.

    Every key of an object but ``type`` and ``attributes`` is a predicate of the domain with the object as its
    subject; its value is the other object, a number, a list of such, or ``true`` for a fact about the object
    alone.

    Args:
        path: the file that is read; names it in error messages.
        values: content of the scene's file.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: recorded with the scene; its initial state is not random.

    Returns:
        The scene.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    part = read_settings(SymbolicPart, values, positions, others=SCENE_KEYS)
    objects: Dict[str, WorldObject] = {}
    facts: List[Relation] = []
    for name, entry in part.objects.items():
        where = ("objects", name)
        item = read_settings(SymbolicObject, entry, positions, where, others=domain.predicates)
        if item.type not in domain.types:
            raise positions.error((*where, "type"), f"'{item.type}' is not one of: {', '.join(sorted(domain.types))}")
        objects[name] = WorldObject(name, item.type, attributes={k: str(v) for k, v in item.attributes.items()})
        facts += [fact for key in entry if key in domain.predicates
                  for fact in _facts(name, key, entry[key], domain, positions, (*where, key))]
    return replace(common_scene(path, values, positions, domain, seed), robots=part.robots, objects=objects,
                   world=SYMBOLIC, facts=frozenset(facts))


def facts_beside(
    objects: Any, others: Collection[str], domain: Domain, positions: Positions
) -> Tuple[Any, FrozenSet[Relation]]:
    """Separate the facts that a scene with poses says of its objects from what else it says of them.

    Args:
        objects: what the file says of its objects, by name.
        others: the keys that are no facts, though a predicate may have such a name.
        domain: its predicates that no pose shows are keys.
        positions: where each key stands in the file, for error messages.

    Returns:
        The objects without these keys, and the facts.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    if not isinstance(objects, dict):
        return objects, frozenset()
    keys = {name for name, each in domain.predicates.items() if not each.detect and name not in others}
    facts = [fact for name, entry in objects.items() if isinstance(entry, dict) for key in entry if key in keys
             for fact in _facts(name, key, entry[key], domain, positions, ("objects", name, key))]
    return {name: {key: value for key, value in entry.items() if key not in keys} if isinstance(entry, dict) else entry
            for name, entry in objects.items()}, frozenset(facts)


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


@dataclass(frozen=True, config=STRICT)
class GraphPart:
    """The part of a scene file about a scene graph: the file with it, beside this one, and who acts in it.

    Args:
        graph: JSON file with the graph, beside the scene's.
        robots: who acts in it, by name.
    """

    graph: str
    robots: Tuple[str, ...] = (_PERSON,)


GRAPH_KEYS = keys_of(Heading, GraphPart)


def graph_scene(path: Path, values: Mapping[str, Any], positions: Positions, domain: Domain, seed: int) -> Scene:
    """Read a scene from a graph.

    An object's name joins class and id: ``fridge_12`` is node 12 of class fridge. The graph gives the initial
    facts; after that the executor maintains them.

    Args:
        path: the file that is read; names it in error messages.
        values: content of the scene's file.
        positions: where each key stands in the file, for error messages.
        domain: types, predicates and actions of the application.
        seed: recorded with the scene; its initial state is not random.

    Returns:
        The scene.

    Raises:
        ConfigError: with file, line and key; also when the graph cannot be read.
    """
    part = read_settings(GraphPart, values, positions, others=GRAPH_KEYS)
    file = path.parent / part.graph
    try:
        graph = json.loads(file.read_text(encoding="utf-8"))
        nodes = graph["nodes"]
        names = {node["id"]: str(node["class_name"]) for node in nodes if node["category"] == _ROOM}
        rooms = {edge["from_id"]: {"room": names[edge["to_id"]]} for edge in graph["edges"]
                 if edge["relation_type"] == "INSIDE" and edge["to_id"] in names}
        objects: Dict[str, WorldObject] = {
            name: WorldObject(name, type_in_home(str(node["class_name"]), node["category"], domain),
                              attributes={"class": str(node["class_name"]), **rooms.get(node["id"], {})})
            for node in nodes if node["class_name"] != _PERSON
            for name in [f"{node['class_name']}_{node['id']}"]}
        facts = frozenset(_graph_facts(nodes, graph["edges"], part.robots[0]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise positions.error(("graph",), f"{file} holds no scene graph: {error!r}") from error
    return replace(common_scene(path, values, positions, domain, seed), robots=part.robots, objects=objects,
                   facts=facts, kind=BASE, world=VIRTUALHOME)


def type_in_home(class_name: str, category: str, domain: Domain) -> str:
    """Return the type of a node of a scene graph: its class, if the domain knows that, a room or a thing."""
    return "room" if category == _ROOM else class_name if class_name in domain.types else "thing"


def _graph_facts(
    nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]], person: str
) -> Iterator[Relation]:
    """Yield what objects are and are for, what is on or inside what, and what the person is close to or faces."""
    names = {node["id"]: person if node["class_name"] == _PERSON else f"{node['class_name']}_{node['id']}"
             for node in nodes}
    rooms = {node["id"] for node in nodes if node["category"] == _ROOM}
    for node in nodes:
        yield from (Relation(names[node["id"]], STATES[each]) for each in node["states"] if each in STATES)
        own = {each.lower() for each in node["properties"]}
        yield from (Relation(names[node["id"]], each) for each in PROPERTIES if each in own)
    for edge in edges:
        predicate = _EDGES.get(edge["relation_type"], "")
        from_person = names[edge["from_id"]] == person
        if predicate and edge["to_id"] not in rooms and (from_person or predicate not in _OF_PERSON):
            yield Relation(names[edge["from_id"]], predicate, names[edge["to_id"]])
        elif predicate == "inside" and from_person:
            yield Relation(person, "close", names[edge["to_id"]])
