"""The bar's counter between two arms that face each other: what a drink needs as bodies, in a row by a seed; metres."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Collection, Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.model import Pose, Relation, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar, from_yaw
from hicrisp_core.model.liquids import CONTAINS, LEVEL, VOLUME
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.scene import Scene, load_scene
from hicrisp_core.scene.layout import standing
from hicrisp_core.scene.scene import Stand

HANDS = ("hand_left", "hand_right")
SHAKER, TABLE, TRAY = "electric_shaker", "table", "tray"
SUPPLIES = "supplies"
_APART = 0.94
"""Between the stands of the arms."""
_MIDDLE, _LENGTH, _PITCH, _ASIDE = _APART / 2.0, 0.91, 0.18, 0.03
"""The row: where it is, its length at most, the space of a place in it, and how far the places lie beside its line."""
_MOST, _SPARE = 2, 2
"""Bottles that stand in the row, more stand where one arm alone reaches them; and free spots of a fridge."""
_ALONE = tuple((x, y) for y in (0.52, -0.52) for x in (0.20, _APART - 0.20))
_BEFORE = tuple((x, y) for y in (0.36, -0.36) for x in (0.24, _APART - 0.24))
"""More such spots, before either arm, and those where dishes stand."""
_DISHES = tuple((_MIDDLE + side * 0.19, y) for side in (1.0, -1.0) for y in (-0.24, -0.08, 0.08, 0.24))
_JITTER = 0.01
_PLENTY, _ASUNDER = 2, 0.016
"""How many pieces a dish has, and how far each lies from its middle, metres."""
MEETINGS = tuple((_MIDDLE, y, 0.30) for y in (0.0, 0.15, -0.15))
"""Where the hands meet in the air."""
_BODIES = {
    "bottle": ("bottle", "vessel", (0.06, 0.06, 0.18), 0.3, 500, 400),
    "glass": ("glass", "tumbler", (0.066, 0.066, 0.10), 0.2, 250, 0),
    "mixing_container": ("vessel", "tumbler", (0.066, 0.066, 0.14), 0.3, 450, 0),
    "bowl": ("vessel", "dish", (0.13, 0.13, 0.03), 0.12, 0, 0),
    "ingredient": ("box", "ice", (0.022, 0.022, 0.022), 0.02, 0, 0)}
"""By the kitchen's types: the counter's type, shape, size, kilograms, and millilitres that it takes and holds."""


def ingredient_of(piece: str) -> str:
    """Return what a piece is.

    Args:
        piece: name of its body.

    Returns:
        Name of the ingredient in the kitchen.
    """
    return piece.split("#")[0]


def lay_out(
    config: Path, state: WorldState, names: Collection[str], seed: int
) -> Tuple[Scene, Dict[str, List[Planar]]]:
    """Stand on the counter what a drink needs.

    Args:
        config: the folder with the scene ``bar``, whose arms these are.
        state: the kitchen's first facts, which say where bottles stand.
        names: of what is needed; what the kitchen does not know is left out.
        seed: draws the order and the places.

    Returns:
        The scene, and the spots of each place where something can stand.
    """
    dice = Random(f"counter {seed}")
    dish_of = {fact.object: fact.subject for fact in state.relations if fact.predicate == SUPPLIES}
    names = {*names, *(each for pair in dish_of.items() if {*names} & {*pair} for each in pair)}
    kinds = {name: item.type for name, item in state.objects.items() if name in names and item.type in _BODIES}
    at = {fact.subject: fact.object for fact in state.relations if fact.predicate == "at"}
    dishes = {dish_of[name]: name for name, kind in sorted(kinds.items()) if kind == "ingredient"}
    bottles = sorted((name for name, kind in kinds.items() if kind == "bottle"), key=lambda name: (at[name], name))
    others = [name for name, kind in kinds.items() if kind in ("glass", "mixing_container")]
    shelf = dice.sample(bottles, len(bottles))
    shelf, beyond = shelf[:_MOST], shelf[_MOST:]
    shelf.sort(key=lambda name: at[name] != "shelf")
    places = [TRAY, TABLE]
    middle = dice.sample([*others, *places], len(others) + len(places))
    ends = sum(at[name] == "shelf" for name in shelf)
    row = [*shelf[:ends], *middle, *shelf[ends:]]
    if dice.random() < 0.5:
        row.reverse()
    pitch = min(_PITCH, _LENGTH / (len(row) - 1))
    where = {name: (_MIDDLE + _ASIDE * (1.0 if number % 2 else -1.0) + dice.uniform(-_JITTER, _JITTER),
                    pitch * (number - (len(row) - 1) / 2.0) + dice.uniform(-_JITTER, _JITTER))
             for number, name in enumerate(row)}
    lone = dice.sample(_ALONE + _BEFORE, len(_ALONE + _BEFORE))
    where.update(zip(beyond, lone))
    spare = len(beyond) + (_SPARE if "fridge" in names else 0)
    spots: Dict[str, List[Planar]] = {}
    for name, spot in where.items():
        spots.setdefault(name if name in places else at[name], []).append(spot)
    for spot in lone[len(beyond):spare]:
        spots.setdefault("fridge", []).append(spot)
    spots[TABLE] += (*_DISHES, *lone[spare:])
    fill_dishes(kinds, where, dishes, dice.sample(_DISHES, len(dishes)))
    return _scene(config, kinds, where, contents_of(state), seed), spots


def fill_dishes(
    kinds: Dict[str, str], where: Dict[str, Planar], dishes: Mapping[str, str], spots: Sequence[Planar]
) -> None:
    """Stand dishes on the counter, with some pieces in each.

    Args:
        kinds: the kitchen's type of each body by its name; gets the pieces.
        where: its place by its name, metres; gets those of dishes and pieces.
        dishes: what is in each dish.
        spots: where the dishes stand, metres.
    """
    for (dish, piece), (x, y) in zip(dishes.items(), spots):
        where[dish] = (x, y)
        for number in range(_PLENTY):
            name = f"{piece}#{number}" if number else piece
            kinds[name], where[name] = kinds[piece], (x + _ASUNDER * (1.0 if number % 2 else -1.0), y)


def contents_of(state: WorldState) -> Mapping[str, str]:
    """Return what is in each vessel, by the vessel."""
    return {fact.subject: fact.object for fact in state.relations if fact.predicate == CONTAINS}


def _scene(
    config: Path, kinds: Mapping[str, str], where: Mapping[str, Planar], contents: Mapping[str, str], seed: int
) -> Scene:
    bar = load_scene(config / "scenes" / "bar.yaml", seed)
    table = replace(bar.table, size=(0.8, 1.4, bar.table.size[2]), pose=Pose((_MIDDLE, 0.0, -bar.table.size[2] / 2.0)))
    stands = {HANDS[0]: Stand("panda", Pose((0.0, 0.0, 0.0))),
              HANDS[1]: Stand("panda", Pose((_APART, 0.0, 0.0), from_yaw(math.pi)))}
    empty = replace(bar, name="bar_arms", robots=HANDS, stands=stands, objects={table.name: table}, masses={},
                    facts=frozenset(), seed=seed)
    return filled(empty, kinds, where, contents)


def filled(scene: Scene, kinds: Mapping[str, str], where: Mapping[str, Planar], contents: Mapping[str, str]) -> Scene:
    """Add bottles, glasses and pieces to a scene.

    Args:
        scene: gets them besides what it has.
        kinds: the kitchen's type of each by its name.
        where: its place by its name, metres.
        contents: what is in the vessels.

    Returns:
        The scene.
    """
    objects, masses, facts = dict(scene.objects), dict(scene.masses), set(scene.facts)
    for name, kind in kinds.items():
        type_, shape, size, masses[name], takes, holds = _BODIES[kind]
        objects[name] = standing(WorldObject(name, type_, shape, size), *where[name], 0.0,
                                 BOWL_WALL if kind == "ingredient" else 0.0)
        if takes:
            facts |= {Relation(name, VOLUME, str(takes)), Relation(name, LEVEL, str(holds))}
        if holds:
            facts.add(Relation(name, CONTAINS, contents[name]))
    return replace(scene, objects=objects, masses=masses, facts=frozenset(facts))
