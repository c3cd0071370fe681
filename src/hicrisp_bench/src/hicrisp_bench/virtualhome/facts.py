"""From VirtualHome's scene graph to a WorldState: only what was named, what that is in or on, and what is
held.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Mapping, Set, Tuple

from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState
from hicrisp_core.scene.symbolic import PROPERTIES, STATES

from hicrisp_bench.virtualhome import package

CHARACTER = "character"
"""The person who acts; the robot of the domain."""
_ALSO: Mapping[str, Tuple[str, ...]] = {
    "grabbable": ("water", "child"), "can_open": ("desk", "window"),
    "recipient": ("hands_both", "sponge", "face"),
    "movable": ("chair", "curtain")}
"""Classes that the executor lets pass without the property."""
_SQUEEZABLE = ("cleaning_solution", "tooth_paste", "shampoo", "food_peanut_butter", "dish_soap", "soap",
               "towel", "rag",
               "paper", "sponge", "food_lemon", "check")


def name_of(node: Any) -> str:
    """A node's name in the domain: its class and its number, ``sofa_352``; the acting person has none."""
    return f"{node.class_name}_{node.id}"


def number_of(name: str) -> int:
    """The node's number of a name."""
    return int(name.rpartition("_")[2])


def is_room(node: Any) -> bool:
    """Whether a node is a room, as the executor sees it."""
    return bool(node.category == "Rooms")


def observe(state: Any, character: int, named: Iterable[int], stamp: float) -> WorldState:
    """The part of a graph's state that matters to some nodes.

    Args:
        state: the package's ``EnvironmentState``.
        character: the number of the person who acts.
        named: numbers of the nodes that are to be seen; with them come what they are in or on, and what is
            held.
    """
    relation = package.part("environment").Relation
    nodes = _seen(state, character, named, relation)
    person = state.get_node(character)
    names = {node.id: name_of(node) for node in nodes}
    facts: Set[Relation] = set(_own([*nodes, person], {**names, character: CHARACTER}))
    facts.update(_between(state, nodes, {**names, character: CHARACTER}, person, relation))
    facts.update(_around(state, nodes, names, person, relation))
    objects = {names[node.id]: WorldObject(
        names[node.id], "room" if is_room(node) else "thing", attributes={"class": node.class_name})
        for node in nodes}
    return WorldState(objects, frozenset(facts), {CHARACTER: RobotState(CHARACTER, "base")}, stamp)


def _seen(state: Any, character: int, named: Iterable[int], relation: Any) -> List[Any]:
    """The nodes of the named numbers, what is held or worn or sat on, and whatever each of them is in or
    on.
    """
    waiting = [number for number in named if number != character]
    for kind in (relation.HOLDS_RH, relation.HOLDS_LH, relation.ON):
        waiting.extend(state.get_node_ids_from(character, kind))
    found: Dict[int, Any] = {}
    while waiting:
        number = waiting.pop()
        node = None if number in found else state.get_node(number)
        if node is None or number == character:
            continue
        found[number] = node
        for kind in (relation.ON, relation.INSIDE):
            waiting.extend(to for to in state.get_node_ids_from(number, kind)
                           if not is_room(state.get_node(to)))
    return [found[number] for number in sorted(found)]


def _own(nodes: Iterable[Any], names: Mapping[int, str]) -> Iterable[Relation]:
    """What each thing is and what it is for."""
    for node in nodes:
        name, kind = names[node.id], node.class_name
        for value in node.states:
            if value.name in STATES:
                yield Relation(name, STATES[value.name])
        own = {value.name.lower() for value in node.properties}
        for use in PROPERTIES:
            if use in own or kind in _ALSO.get(use, ()):
                yield Relation(name, use)
        if "clothes" in own or kind in _SQUEEZABLE:
            yield Relation(name, "squeezable")
        if "has_switch" in own or kind == "keyboard":
            yield Relation(name, "typeable")
        if "knife" in kind:
            yield Relation(name, "knife")


def _between(
    state: Any, nodes: Iterable[Any], names: Mapping[int, str], person: Any, relation: Any
) -> Iterable[Relation]:
    """What is on or inside what."""
    for node in (*nodes, person):
        for kind, predicate in ((relation.ON, "on"), (relation.INSIDE, "inside")):
            for to in state.get_node_ids_from(node.id, kind):
                if to in names and not is_room(state.get_node(to)):
                    yield Relation(names[node.id], predicate, names[to])


def _around(
    state: Any, nodes: Iterable[Any], names: Mapping[int, str], person: Any, relation: Any
) -> Iterable[Relation]:
    """What the person holds, faces and is close to, by the executor's own tests."""
    execution = package.part("execution")
    room = execution._get_room_node(state, person)
    for kind, hand in ((relation.HOLDS_RH, "right_hand"), (relation.HOLDS_LH, "left_hand")):
        for held in state.get_node_ids_from(person.id, kind):
            yield Relation(CHARACTER, "holding", names[held])
            yield Relation(CHARACTER, hand, names[held])
    close = _closeness(state, person, relation)
    for node in nodes:
        own_room = node if is_room(node) else execution._get_room_node(state, node)
        here = room is not None and own_room is not None and room.id == own_room.id
        if here:
            yield Relation(CHARACTER, "same_room", names[node.id])
        if here if is_room(node) else close(node):
            yield Relation(CHARACTER, "close", names[node.id])
        if not is_room(node) and execution._is_character_face_to(state, node, 0):
            yield Relation(CHARACTER, "facing", names[node.id])


def _closeness(state: Any, person: Any, relation: Any) -> Callable[[Any], bool]:
    """The executor's test of closeness for many nodes: close, close to what is close, or on what is close."""
    near: FrozenSet[int] = frozenset(state.get_node_ids_from(person.id, relation.CLOSE))
    second: Set[int] = set(near)
    for number in near:
        second.update(state.get_node_ids_from(number, relation.CLOSE))
    return lambda node: node.id in second or not near.isdisjoint(state.get_node_ids_from(node.id,
                                                                                         relation.ON))
