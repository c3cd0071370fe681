"""Random questions in worlds of facts: what a failed command needs, and goals that can be reached, in states that
commands led to; table tops and towers, bars, a home, a lab.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, Optional, Set, Tuple

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.conditions import Atom, Clause, Condition, parse_condition
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Conditions, Searcher, preconditions_of
from hicrisp_core.goals.planning import GOAL_LIMITS
from hicrisp_core.model import Command, Relation, RobotState, Value, WorldObject, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.symbolic import STATES

_ARM = "arm"
_TABLE = WorldObject("table", "surface", "surface", movable=False)
_BETWEEN = {"ON": "on", "INSIDE": "inside"}
_WALK = SearchLimits(depth=12, states=400, seconds=5.0)
_TRIES = 60


@dataclass(frozen=True)
class Setting:
    """A kind of world: its domain, and a random first state."""

    name: str
    domain: Domain
    state: Callable[[Random], WorldState]


def settings(config: Path) -> List[Setting]:
    """All kinds of worlds."""
    domains = {name: load_domain(config / "domains" / f"{name}.yaml")
               for name in ("tabletop", "blocks", "kitchen", "virtualhome", "lab")}
    bar, pizza = (load_scene(config / "scenes" / f"{name}.yaml").first_state() for name in ("barman", "pizza"))
    home = json.loads((config / "scenes" / "household.json").read_text(encoding="utf-8"))
    return [
        Setting("tabletop, 10 things", domains["tabletop"], table_top),
        Setting("blocks, 3 to 5", domains["blocks"], lambda dice: towers(dice, dice.randint(3, 5))),
        Setting("blocks, 6 to 12", domains["blocks"], lambda dice: towers(dice, dice.randint(6, 12))),
        Setting("barman", domains["kitchen"], lambda _: bar),
        Setting("pizza", domains["kitchen"], lambda _: pizza),
        Setting("household", domains["virtualhome"], lambda _: household(home, 1)),
        Setting("household, four times as large", domains["virtualhome"], lambda _: household(home, 4)),
        Setting("lab, arm and vehicle", domains["lab"], lab),
    ]


def table_top(dice: Random) -> WorldState:
    """Ten objects on a table, some on others, some in a bowl, one perhaps in the hand."""
    kinds = ["bowl", *("box" for _ in range(dice.randint(4, 6)))]
    kinds += ["cylinder"] * (10 - len(kinds))
    objects = {f"{kind}_{index}": WorldObject(f"{kind}_{index}", kind) for index, kind in enumerate(kinds)}
    facts: Set[Relation] = set()
    free: List[str] = []
    for name, item in objects.items():
        place = dice.choice(("table", "table", "table", "stack", "bowl"))
        if item.type != "bowl" and place == "bowl":
            facts.add(Relation(name, "in", "bowl_0"))
            continue
        below = (free.pop(dice.randrange(len(free))) if free and place == "stack" and item.type != "bowl" else "table")
        facts.add(Relation(name, "on", below))
        if item.type != "bowl":
            free.append(name)
    if dice.random() < 0.4 and free:
        held = dice.choice(free)
        facts = {fact for fact in facts if fact.subject != held} | {Relation(_ARM, "holding", held)}
    return WorldState({**objects, "table": _TABLE}, frozenset(facts), {_ARM: RobotState(_ARM)})


def towers(dice: Random, count: int) -> WorldState:
    """Blocks in random towers."""
    names = [f"block_{index}" for index in range(count)]
    objects = {name: WorldObject(name, "block") for name in names}
    return WorldState({**objects, "table": _TABLE}, random_towers(dice, names), {_ARM: RobotState(_ARM)})


def random_towers(dice: Random, names: List[str]) -> FrozenSet[Relation]:
    """Where each block stands: on the table, or on one that carries none yet."""
    tops: List[str] = []
    facts = []
    for name in dice.sample(names, len(names)):
        place = dice.randrange(len(tops) + 1)
        facts.append(Relation(name, "on", tops.pop(place) if place < len(tops) else "table"))
        tops.append(name)
    return frozenset(facts)


def lab(dice: Random) -> WorldState:
    """An arm at a table with four boxes, a vehicle with a tray somewhere, sometimes with a box aboard."""
    names = ("box", "red_box", "blue_box", "green_box")
    areas = ("area_1", "area_2", "area_3")
    objects = {name: WorldObject(name, "box") for name in names}
    objects.update({name: WorldObject(name, "area", "region", movable=False) for name in areas})
    objects.update(dock=WorldObject("dock", "station", "region", movable=False), table=_TABLE,
                   tray=WorldObject("tray", "tray", movable=False))
    facts = {Relation("tray", "aboard", "agv"),
             Relation("agv", "docked", "dock") if dice.random() < 0.3
             else Relation("agv", "at", dice.choice(areas))}
    for name in names:
        if dice.random() < 0.2:
            facts |= {Relation(name, "on", "tray"), Relation(name, "aboard", "agv")}
        else:
            facts.add(Relation(name, "on", "table"))
    return WorldState(objects, frozenset(facts), {_ARM: RobotState(_ARM), "agv": RobotState("agv", "base")})


def household(graph: Mapping[str, Any], times: int) -> WorldState:
    """The scene's home as facts, or several of them side by side: hundreds of objects."""
    objects: Dict[str, WorldObject] = {}
    facts: Set[Relation] = set()
    person = next(node["id"] for node in graph["nodes"] if node["class_name"] == "character")
    for copy in range(times):
        names = {node["id"]: f"{node['class_name']}_{node['id'] + 1000 * copy}" for node in graph["nodes"]}
        rooms = {node["id"] for node in graph["nodes"] if node["category"] == "Rooms"}
        for node in graph["nodes"]:
            if node["id"] != person:
                name = names[node["id"]]
                objects[name] = WorldObject(name, "room" if node["id"] in rooms else "thing")
                facts |= {Relation(name, value.lower()) for value in node["properties"]
                          if value not in ("SURFACES", "CONTAINERS")}
                facts |= {Relation(name, STATES[value]) for value in node["states"]}
        for edge in graph["edges"]:
            ends = (edge["from_id"], edge["to_id"])
            if edge["relation_type"] in _BETWEEN and person not in ends and edge["to_id"] not in rooms:
                facts.add(Relation(names[ends[0]], _BETWEEN[edge["relation_type"]], names[ends[1]]))
    return WorldState(objects, frozenset(facts), {"character": RobotState("character", "base")})


@dataclass(frozen=True)
class Question:
    """A state, what is to hold, and how far to look.

    Args:
        kind: ``repair``, what a command needs; ``goal``, facts that a random course of commands made, or a tower.
    """

    kind: str
    state: WorldState
    goal: Conditions
    limits: SearchLimits


def questions(setting: Setting, count: int, seed: int) -> Iterator[Question]:
    """Questions about a kind of world; half of them are repairs. A repair may have no answer, a goal always
    has one."""
    for index in range(count):
        dice = Random(f"{setting.name} {seed} {index}")
        state = setting.state(dice)
        if index % 2:
            yield _goal(setting, state, dice)
            continue
        for command in _course(setting.domain, state, dice.randint(0, 4), dice):
            state = apply_effects(setting.domain, command, state)
        failed = next(each for each in (_command(setting.domain, state, dice) for _ in range(10_000))
                      if each is not None and check(setting.domain, each, state) is not None)
        yield Question("repair", state, preconditions_of(setting.domain, failed), SearchLimits())


def _goal(setting: Setting, state: WorldState, dice: Random) -> Question:
    if setting.domain.name == "blocks":
        names = sorted(name for name, item in state.objects.items() if item.type == "block")
        facts = sorted(random_towers(dice, names))
        return Question("goal", state, tuple(map(_condition, facts)), GOAL_LIMITS)
    end = state
    for command in _course(setting.domain, state, dice.randint(1, 4), dice):
        end = apply_effects(setting.domain, command, end)
    made = sorted(end.relations - state.relations)
    chosen = dice.sample(made, min(len(made), dice.randint(1, 4)))
    return Question("goal", state, tuple(map(_condition, sorted(chosen))) or (parse_condition("same(a, a)"),),
                    GOAL_LIMITS)


def _course(domain: Domain, state: WorldState, count: int, dice: Random) -> Tuple[Command, ...]:
    """Random commands with what each of them needs before it."""
    searcher = Searcher(domain)
    found: List[Command] = []
    for _ in range(_TRIES):
        command = _command(domain, state, dice)
        if count <= 0 or command is None:
            continue
        before = searcher.find(state, preconditions_of(domain, command), _WALK, undoable=True)
        if before.found:
            for each in (*before.commands, command):
                state = apply_effects(domain, each, state)
                found.append(each)
            count -= 1
    return tuple(found)


def _command(domain: Domain, state: WorldState, dice: Random) -> Optional[Command]:
    """A random command that can be undone and changes something."""
    action = dice.choice([each for each in domain.actions.values() if each.reversible and each.effects])
    arguments: Dict[str, Value] = {}
    for parameter in action.parameters.values():
        if parameter.optional:
            continue
        if parameter.type == "number":
            arguments[parameter.name] = parameter.default or 0.0
            continue
        objects = domain.objects_of(state, parameter.type)
        if not objects:
            return None
        arguments[parameter.name] = dice.choice(objects)
    if len(set(map(str, arguments.values()))) < len(arguments):
        return None
    robot = str(arguments.get(action.robot_parameter, next(iter(state.robots), "")))
    return Command(action.name, arguments, robot, time_limit=action.time_limit)


def _condition(fact: Relation) -> Condition:
    arguments = tuple(each for each in (fact.subject, fact.object) if each)
    return Condition((Clause((Atom(fact.predicate, arguments),)),))
