"""VirtualHome as a world: from its scene graph to a WorldState (only what was named, what that is in or on, and
what is held), and its executor as a robot.
"""

from __future__ import annotations

from threading import Event
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from hicrisp_core.domain import Domain, expected_facts
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Relation, RobotState, Status, WorldObject, WorldState
from hicrisp_core.ports.robot import Progress
from hicrisp_core.scene.symbolic import PROPERTIES, STATES, type_in_home
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.parts import plain

_SHOWN = frozenset((*STATES.values(), *PROPERTIES, "squeezable", "typeable", "knife", "on", "inside", "holding",
                    "right_hand", "left_hand", "same_room", "close", "facing"))
"""The predicates that a graph shows; of others, such as ``watched``, the executor's word for a command counts."""
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


def observe(state: Any, character: int, named: Iterable[int], stamp: float, domain: Domain) -> WorldState:
    """The part of a graph's state that matters to some nodes.

    Args:
        state: the package's ``EnvironmentState``.
        character: the number of the person who acts.
        named: numbers of the nodes that are to be seen; with them come what they are in or on, and what is held.
        domain: the classes that are types of their own.
    """
    relation = package.part("environment").Relation
    nodes = _seen(state, character, named, relation)
    person = state.get_node(character)
    names = {node.id: name_of(node) for node in nodes}
    facts: Set[Relation] = set(_own([*nodes, person], {**names, character: CHARACTER}))
    facts.update(_between(state, nodes, {**names, character: CHARACTER}, person, relation))
    facts.update(_around(state, nodes, names, person, relation))
    objects = {names[node.id]: WorldObject(
        names[node.id], type_in_home(node.class_name, node.category, domain), attributes={"class": node.class_name})
        for node in nodes}
    return WorldState(objects, frozenset(facts), {CHARACTER: RobotState(CHARACTER, "base")}, stamp)


def _seen(state: Any, character: int, named: Iterable[int], relation: Any) -> List[Any]:
    """The nodes of the named numbers, what is held or worn or sat on, and whatever each of them is in or on."""
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
            waiting.extend(to for to in state.get_node_ids_from(number, kind) if not is_room(state.get_node(to)))
    return [found[number] for number in sorted(found)]


def _own(nodes: Iterable[Any], names: Mapping[int, str]) -> Iterable[Relation]:
    """What each object is and what it is for."""
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
    return lambda node: node.id in second or not near.isdisjoint(state.get_node_ids_from(node.id, relation.ON))


class VirtualHome:
    """Robot and eyes in one over a scene graph, which itself is never changed.

    Args:
        domain: its actions are the executor's, in lower case.
        graph: the package's ``EnvironmentGraph``; any number of worlds may share it.
        character: the number of the person who acts.
        named: numbers of the nodes that are looked at; what a plan names is enough for the plan.
    """

    name = CHARACTER

    def __init__(self, domain: Domain, graph: Any, character: int, named: Iterable[int]) -> None:
        self._domain = domain
        self._character = character
        self._named: Set[int] = set(named)
        self._execution = package.part("execution")
        self._scripts = package.part("scripts")
        self._failures = (package.part("common").Error, AssertionError, AttributeError, LookupError)
        self._stamp = 0.0
        self._last: Optional[WorldState] = None
        self._deeds: FrozenSet[Relation] = frozenset()
        self.state = package.part("environment").EnvironmentState(graph, {}, instance_selection=True)
        self.carried_out: List[str] = []
        """The commands that the executor carried out, in its notation."""

    def capabilities(self) -> Sequence[str]:
        """Every action of the domain."""
        return tuple(self._domain.actions)

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Ask the executor; its refusal is the outcome's message, with the domain's names."""
        if cancel.is_set() or deadline.passed:
            canceled = cancel.is_set()
            return Outcome(Status.CANCELED if canceled else Status.TIMEOUT,
                           cause=Cause(CauseKind.CANCELED if canceled else CauseKind.OUT_OF_TIME))
        line = notation(self._domain, command)
        told = self._execution.ExecutionInfo(eval_mode=True)
        try:
            script = self._scripts.Script([self._scripts.parse_script_line(line, 1)])
            after = next(self._execution.ScriptExecutor.call_action_method(script, self.state, told, 0), None)
        except self._failures as error:
            return Outcome.because(CauseKind.REFUSED, Status.INVALID, f"the executor cannot do this: {error}")
        if after is None:
            return Outcome.because(
                CauseKind.REFUSED, Status.PRECONDITION,
                plain(told.get_error_string()) or "the executor refuses without a word")
        self.state = after
        self._last = None
        self._deeds |= {fact for fact in expected_facts(self._domain, command)[0] if fact.predicate not in _SHOWN}
        self._stamp += 1.0
        self.carried_out.append(line)
        if progress is not None:
            progress(command.action, 1.0)
        return Outcome(Status.SUCCESS)

    def observe(self, deadline: Deadline) -> WorldState:
        """The facts about what is named, held, or around either."""
        del deadline  # Nothing to wait for.
        if self._last is None:
            seen = observe(self.state, self._character, self._named, self._stamp, self._domain)
            self._last = seen.with_relations(seen.relations | self._deeds)
        return self._last

    def stop(self, deadline: Deadline) -> Outcome:
        """Nothing moves."""
        del deadline
        return Outcome(Status.SUCCESS)

    def reset(self) -> None:
        """Nothing to forget."""


def notation(domain: Domain, command: Command) -> str:
    """A command in the executor's notation, ``[PUTBACK] <cup> (12) <table> (34)``."""
    objects = [command.argument(name) for name, parameter in domain.actions[command.action].parameters.items()
              if parameter.type != "base"]
    return " ".join([f"[{command.action.upper()}]",
                     *(f"<{name.rpartition('_')[0]}> ({number_of(name)})" for name in objects)])
