"""The worlds in which questions are asked, as facts: random table tops and towers, bars, a home, a lab."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Set, Tuple

from hicrisp_core.domain.loader import load_domain
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState
from hicrisp_core.scene import load_scene

_ARM = "arm"
_TABLE = WorldObject("table", "surface", "surface", movable=False)
_ABOUT_A_NODE = {"OPEN": "open", "CLOSED": "closed", "ON": "switched_on", "OFF": "switched_off",
                 "PLUGGED_IN": "plugged_in", "PLUGGED_OUT": "plugged_out", "CLEAN": "clean", "DIRTY": "dirty"}
_BETWEEN = {"ON": "on", "INSIDE": "inside"}


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
    bar, pizza = (load_scene(config / "scenes" / f"{name}.yaml").first_state()
                  for name in ("barman", "pizza"))
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
    """Ten things on a table, some on others, some in a bowl, one perhaps in the hand."""
    kinds = ["bowl", *("box" for _ in range(dice.randint(4, 6)))]
    kinds += ["cylinder"] * (10 - len(kinds))
    objects = {f"{kind}_{index}": WorldObject(f"{kind}_{index}", kind) for index, kind in enumerate(kinds)}
    facts: Set[Relation] = set()
    free: List[str] = []
    for name, thing in objects.items():
        place = dice.choice(("table", "table", "table", "stack", "bowl"))
        if thing.type != "bowl" and place == "bowl":
            facts.add(Relation(name, "in", "bowl_0"))
            continue
        below = (free.pop(dice.randrange(len(free))) if free and place == "stack" and thing.type != "bowl"
                 else "table")
        facts.add(Relation(name, "on", below))
        if thing.type != "bowl":
            free.append(name)
    if dice.random() < 0.4 and free:
        held = dice.choice(free)
        facts = {fact for fact in facts if fact.subject != held} | {Relation(_ARM, "holding", held)}
    return WorldState({**objects, "table": _TABLE}, frozenset(facts), {_ARM: RobotState(_ARM)})


def towers(dice: Random, count: int) -> WorldState:
    """Blocks in random towers."""
    names = [f"block_{index}" for index in range(count)]
    objects = {name: WorldObject(name, "block") for name in names}
    return WorldState({**objects, "table": _TABLE}, random_towers(dice, names),
                      {_ARM: RobotState(_ARM)})


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
    return WorldState(objects, frozenset(facts),
                      {_ARM: RobotState(_ARM), "agv": RobotState("agv", "base")})


def household(graph: Mapping[str, Any], times: int) -> WorldState:
    """The scene's home as facts, or several of them side by side: hundreds of things."""
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
                facts |= _about(name, node)
        for edge in graph["edges"]:
            ends = (edge["from_id"], edge["to_id"])
            if edge["relation_type"] in _BETWEEN and person not in ends and edge["to_id"] not in rooms:
                facts.add(Relation(names[ends[0]], _BETWEEN[edge["relation_type"]], names[ends[1]]))
    return WorldState(objects, frozenset(facts), {"character": RobotState("character", "base")})


def _about(name: str, node: Mapping[str, Any]) -> Set[Relation]:
    found = {Relation(name, value.lower()) for value in node["properties"]
             if value not in ("SURFACES", "CONTAINERS")}
    return found | {Relation(name, _ABOUT_A_NODE[value]) for value in node["states"]}


def kinds(config: Path) -> Tuple[str, ...]:
    """The names of all kinds of worlds."""
    return tuple(setting.name for setting in settings(config))
