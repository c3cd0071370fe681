"""The world of a task of the benchmark in our words: what its objects are and are called, where they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Callable, Dict, FrozenSet, List, Mapping, Optional, Tuple

from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.validation import mended
from hicrisp_core.model import Pose, Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.goal import Goal, Holds, Stage, facts_in
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.scene.colours import COLOURS
from hicrisp_core.scene.scene import TABLE

from hicrisp_libero.bddl import Fact, Problem, Region
from hicrisp_libero.models import Model

ROBOT = "panda"
_BASE = Pose((-0.66, 0.0, 0.0))
"""Where the benchmark's robot stands, in the frame of its table."""
_TABLE = (1.0, 1.2, 0.04)
_TOP, _REGION, _CONTAINS = "top_side", "region", "contain"
_DRAWER, COMPARTMENT, _SHELF, _SPACE, _CABINET = "drawer", "compartment", "shelf", "space", "cabinet"
_BOX, _ROUND, _CASE = "box", "cylinder", "case"
_SIDES = {"left": "left_of", "right": "right_of", "front": "in_front_of", "back": "behind"}
_WORDS = {"Open": ("open", "closed"), "Close": ("closed", "open"),
          "Turnon": ("switched_on", "switched_off"), "Turnoff": ("switched_off", "switched_on")}
"""What holds of an object after a fact of the benchmark, and what does not."""
Models = Callable[[str], Model]
"""The model of a category."""


@dataclass(frozen=True)
class Place:
    """What an argument of a fact stands for here.

    Args:
        name: the object or part; the table for a region of it.
        side: predicate of a region beside an object; empty for any other place.
        beside: that object.
    """

    name: str
    side: str = ""
    beside: str = ""


@dataclass(frozen=True)
class Translation:
    """A task of the benchmark in our words.

    Args:
        names: what its objects and fixtures are called here, by the benchmark's names.
        places: what the arguments of its facts stand for.
        world: what stands where at first.
        goal: what its judge checks; only for comparisons.
        instruction: its words, as the file writes them.
    """

    names: Mapping[str, str]
    places: Mapping[str, Place]
    world: WorldState
    goal: Goal
    instruction: str = ""


@dataclass
class _Building:
    """The world of one task while it is made."""

    problem: Problem
    domain: Domain
    models: Models
    names: Dict[str, str] = field(default_factory=dict)
    places: Dict[str, Place] = field(default_factory=dict)
    objects: Dict[str, WorldObject] = field(default_factory=dict)


def translated(problem: Problem, domain: Domain, models: Models) -> Translation:
    """Say a task of the benchmark in our words.

    An object is called by its category, with its number if there are several. It is of the domain's kind that its
    name ends with; else it is a box if its model is one, and round if not; a fixture that has parts is a cabinet. Its
    regions are drawers if they slide, compartments if they contain, spaces if nothing of it is below them, or shelves;
    the only one is the fixture itself.

    Args:
        problem: the task.
        domain: the domain ``libero``, or one with its types.
        models: the models of the categories.

    Returns:
        The names, the world in the frame of the table (metres, x away from the robot) and the goal.
    """
    made = _Building(problem, domain, models)
    tables = [name for name, category in problem.fixtures.items() if _is_ground(category)]
    made.names.update(_called({name: category for name, category in problem.categories.items()
                               if name not in tables}))
    made.names.update(dict.fromkeys(tables, TABLE))
    made.objects[TABLE] = WorldObject(TABLE, domain.roles.surface, "surface", _TABLE, movable=False,
                                      pose=Pose((0.0, 0.0, -_TABLE[2] / 2.0)))
    for name in problem.fixtures:
        if name not in tables:
            _add(made, name, fixed=True)
    for name in problem.objects:
        _add(made, name, fixed=False)
    for whole, region in problem.regions.items():
        if region.target in tables:
            made.places[whole] = _beside(made, region)
        elif region.target in made.names:
            made.places.setdefault(whole, Place(made.names[region.target]))
    made.places.update({name: Place(own) for name, own in made.names.items()})
    objects = _stood(made)
    world = WorldState(objects, frozenset(), {ROBOT: RobotState(ROBOT, ARM, _BASE)})
    told = _facts(made, world, problem.init)
    parts = {place.name for whole, place in made.places.items() if whole in problem.regions and not place.side} \
        - {*made.names.values()}
    beside = {each.name for each in domain.predicates.values() if each.symmetric or each.inverse}
    seen = [fact for fact in derive_relations(domain, world)
            if not (fact.predicate in beside and parts & {fact.subject, fact.object})
            and fact.predicate not in (domain.roles.stands_on, domain.roles.inside)]
    goal = tuple(Holds(_fact(made, world, each)) for each in problem.goal)
    return Translation(made.names, made.places, replace(world, relations=frozenset((*seen, *told))),
                       Goal((Stage(goal),)), problem.instruction)


def _is_ground(category: str) -> bool:
    return category.split("_")[-1] in (TABLE, "floor")


def _called(categories: Mapping[str, str]) -> Dict[str, str]:
    """Return the categories as names, with the benchmark's numbers for several of one."""
    kinds = list(categories.values())
    return {name: category if kinds.count(category) == 1 else name for name, category in categories.items()}


def _add(made: _Building, name: str, fixed: bool) -> None:
    """Add an object with its parts, not placed yet."""
    category, own = made.problem.categories[name], made.names[name]
    model = made.models(category)
    regions = {whole: region for whole, region in made.problem.regions.items()
               if region.target == name and region.name != _TOP}
    parts = regions if fixed and len(regions) > 1 else {}
    head = next((each for each in _endings(category) if each in made.domain.types), "")
    if parts and not (head and made.domain.is_a(head, _CASE)):
        kind = _CABINET
    else:
        kind = head or (_CASE if fixed else _BOX if model.plain else _ROUND)
    colour = " ".join(word for word in category.split("_") if word in COLOURS) or model.colour
    attributes = {"colour": colour} if colour else {}
    made.objects[own] = WorldObject(own, kind, "box", model.size, attributes, movable=not fixed)
    for whole, region in parts.items():
        stem = "_".join(word for word in region.name.split("_") if word not in (_REGION, _CONTAINS))
        noun = _DRAWER if region.name in model.sliding else COMPARTMENT if _CONTAINS in region.name else \
            _SPACE if region.name in model.bare else _SHELF
        part = f"{stem}_{noun}"
        part = part if part not in made.objects else f"{own}_{part}"
        told = {"of": own} if kind in own else {"of": own, "case": kind}
        made.objects[part] = WorldObject(part, made.domain.roles.surface if noun == _SPACE else noun, "box", model.size,
                                         told, movable=False)
        made.places[whole] = Place(part)


def _endings(category: str) -> List[str]:
    """Return the words that may tell a category's kind: its last word, and what that ends with."""
    last = category.split("_")[-1]
    return [last[at:] for at in range(len(last) - 2)]


def _beside(made: _Building, region: Region) -> Place:
    """Return a region of a table: beside the object after which it is called, if any."""
    *words, side, _ = ("", *region.name.split("_")) if region.name.endswith(_REGION) else ("", "", "")
    said = "_".join(filter(None, words))
    found = [own for name, own in made.names.items()
             if said and (name.startswith(said) or made.problem.categories[name].endswith(said))]
    return Place(TABLE, _SIDES[side], found[0]) if side in _SIDES and found else Place(TABLE)


def _stood(made: _Building) -> Dict[str, WorldObject]:
    """Return the objects where the facts at the beginning put them."""
    found = dict(made.objects)
    spots: Dict[str, Tuple[float, float, float]] = {}
    below = {fact.arguments[0]: fact.arguments[1] for fact in made.problem.init if len(fact.arguments) == 2}

    def spot(name: str, seen: FrozenSet[str] = frozenset()) -> Optional[Tuple[float, float, float]]:
        if name not in spots and name in below and name not in seen:
            under, region = below[name], made.problem.regions.get(below[name])
            if region is not None and region.ranges:
                spots[name] = (*region.centre, sum(region.yaw) / 2.0)
            else:
                at = spot(region.target if region is not None else under, seen | {name})
                if at is not None:
                    spots[name] = _shifted(made, at, region)
        return spots.get(name)

    for name, own in made.names.items():
        at = spot(name)
        if own in found and own != TABLE and at is not None:
            found[own] = replace(found[own], pose=Pose((at[0], at[1], found[own].size[2] / 2.0), from_yaw(at[2])))
    for whole, place in made.places.items():
        region = made.problem.regions.get(whole)
        at = spots.get(region.target) if region is not None else None
        if region is not None and at is not None and place.name in found and found[place.name].pose is None:
            x, y, yaw = _shifted(made, at, region)
            height = made.models(made.problem.categories[region.target]).sites.get(region.name, (0.0, 0.0, 0.0))[2]
            found[place.name] = replace(found[place.name], pose=Pose((x, y, height), from_yaw(yaw)))
    return found


def _shifted(made: _Building, at: Tuple[float, float, float], region: Optional[Region]) -> Tuple[float, float, float]:
    """Return where a part of what stands somewhere is, in the plane."""
    if region is None:
        return at
    model = made.models(made.problem.categories[region.target])
    x, y, _ = model.sites.get(region.name, (0.0, 0.0, 0.0))
    cos, sin = math.cos(at[2]), math.sin(at[2])
    return at[0] + cos * x - sin * y, at[1] + sin * x + cos * y, at[2]


def _facts(made: _Building, world: WorldState, init: Tuple[Fact, ...]) -> List[Relation]:
    """Return what holds at first; what opens is closed and what switches is off unless the file says otherwise."""
    found = [_fact(made, world, each) for each in init if each.predicate in _WORDS or each.arguments[0] in made.names]
    found = [replaced for each in found for replaced in (
        [each] if not each.object or each.object == TABLE or each.predicate in
        (made.domain.roles.stands_on, made.domain.roles.inside) else [Relation(each.subject, "on", TABLE)])]
    told = {(fact.subject, fact.predicate) for fact in found}
    for usual, other in (("closed", "open"), ("switched_off", "switched_on")):
        kind = made.domain.predicates[usual].arguments[0]
        found += [Relation(name, usual) for name, item in made.objects.items()
                  if made.domain.is_a(item.type, kind) and (name, other) not in told]
    return found


def _fact(made: _Building, world: WorldState, fact: Fact) -> Relation:
    """Return a fact of the benchmark in the domain's own words."""
    place = made.places[fact.arguments[-1]]
    if fact.predicate in _WORDS:
        return Relation(place.name, _WORDS[fact.predicate][0])
    item = made.places[fact.arguments[0]].name
    if place.side:
        return Relation(item, place.side, place.beside)
    on = Holds(Relation(item, made.domain.roles.stands_on, place.name))
    return next(iter(facts_in(mended(on, made.domain, world))))
