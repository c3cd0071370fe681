"""The facts of the one order that the words of a request leave; none where they leave several or none."""

from __future__ import annotations

import itertools
from typing import Dict, List, Sequence, Set, Tuple

from hicrisp_core.language.order_parts import Step, Told
from hicrisp_core.language.order_words import AXES, DEEP, FIRST, LAST, LEVEL, MIDDLE, UPRIGHT, Axis
from hicrisp_core.model import Relation

_MOST = 6
"""Things in an order: all their orders are tried."""


def facts_of(told: Told) -> Tuple[Relation, ...]:
    """What must hold for all that was told."""
    if any(not whole <= set(told.row) for whole in told.wholes) or told.grouped and not told.turns:
        return ()
    placed = bool(told.places or told.ways or told.turns)
    listed_from = told.listed and bool(told.begun & set(told.row[:1])) and not told.steps
    if told.towers or not placed and not listed_from and all(step.plain for step in told.steps):
        return _apart(told) if not placed else ()
    elsewhere = {link.subject for link in told.links if link.predicate != UPRIGHT.beyond_one}
    elsewhere |= {link.subject for link in told.denied} - told.stepped - set(told.places)
    things = tuple(name for name in told.things if name not in elsewhere)
    if not 2 <= len(things) <= _MOST or any(count != len(things) for count in told.counts):
        return ()
    if set(told.places.values()) - {MIDDLE} and any(
            step.plain and step.axis is not UPRIGHT for step in told.steps):
        return ()  # "The mug right of the tin, and the can on the right": of what?
    axes = [axis for axis in AXES if all(axis in each for each in told.axes)]
    if elsewhere & (told.stepped | set(told.places) | set(told.turns)):
        return ()
    if not axes:
        around = _around(told, things)
        return (*around, *told.links) if around else ()
    if len(axes) != 1 or len(set(told.ways)) > 1:
        return ()
    order = _order(told, things, axes[0])
    return (*(Relation(other, axes[0].beyond_one, one) for one, other in zip(order, order[1:])),
            *told.links) if order else ()


def _order(told: Told, things: Tuple[str, ...], axis: Axis) -> Tuple[str, ...]:
    """The things from the first place to the last; empty where that is open."""
    steps = _stacked(told) if told.turns else told.steps
    stacked = steps is not told.steps
    open_ = not stacked and bool(told.turns) and (
        bool(set(told.turns) & told.stepped) or all(step.plain for step in steps)
        and not (told.shaped or told.places or told.ways))  # "Red on blue, and green goes last": in what?
    if stacked and told.ways:
        return ()
    way = told.ways[0] if told.ways else 0 if axis is LEVEL else 1
    orders = [order for order in itertools.permutations(things)
              if _placed(told, order) and all(step.met(order) for step in steps)]
    if open_ and len(orders) > 1:
        return ()
    orders = [order for order in orders if _turned(told.turns, order[stacked:], way)]
    if not (told.places or told.ways or told.turns) or len(things) == 2 and not told.ways:
        # Then each thing must be spoken of.
        orders = [order for order in orders if _spoken_of(told, order) == set(things)]
    row = tuple(name for name in told.row if name in things)
    if told.ordered and (told.scattered or len(row) != len(things)):
        return ()
    if (told.listed or told.ordered) and told.ways:
        orders = [order for order in orders if order == row[::told.ways[0]]]
    elif told.ordered or told.listed and len(orders) > 1:
        orders = [order for order in orders if order in (row, row[::-1])]
    if len(orders) > 1 and axis is UPRIGHT:
        orders = [order for order in orders if order[0 if way > 0 else -1] in told.begun]
    return orders[0] if len(orders) == 1 else ()


def _apart(told: Told) -> Tuple[Relation, ...]:
    """The facts of "blue on red, and green on blue"; they may be of several towers and rows."""
    linked = {name for link in (*told.links, *told.denied) for name in (link.subject, link.object)}
    if set(told.things) - told.stepped - linked or any(count != len(told.things) for count in told.counts):
        return ()
    if told.towers and not _so_many(told):
        return ()
    steps = (_step_fact(step, step.ones[0]) for step in told.steps)
    return (*steps, *told.links)


def _so_many(told: Told) -> bool:
    """Whether the steps make as many towers or rows as there shall be, each of so many things."""
    chains: List[Set[str]] = []
    for step in told.steps:
        joined = {step.ones[0], step.other}
        apart = [chain for chain in chains if not chain & joined]
        chains = [*apart, joined.union(*(chain for chain in chains if chain & joined))]
    axes = all(step.axis in each for step in told.steps for each in told.axes)
    return axes and not told.links and not told.denied and len(chains) == told.towers \
        and all(len(chain) == (told.each or len(chain)) for chain in chains)


def _step_fact(step: Step, one: str) -> Relation:
    if step.by > 0:
        return Relation(step.other, step.axis.beyond_one, one)
    back = step.axis.short_of_one
    return Relation(step.other, back, one) if back else Relation(one, step.axis.beyond_one, step.other)


def _stacked(told: Told) -> List[Step]:
    """The steps, where all are of "the two blue blocks on the can" and turns tell their order: each block is
    above the can.
    """
    grouped = {step.other for step in told.steps if step.shared}
    alike = len({(step.ones, step.axis.beyond_one, step.by) for step in told.steps}) == 1
    if not alike or told.steps[0].axis is not UPRIGHT or not set(told.turns) <= grouped == {
            step.other for step in told.steps}:
        return told.steps
    return [step._replace(near=False, shared=False) for step in told.steps]


def _around(told: Told, things: Sequence[str]) -> Tuple[Relation, ...]:
    """"White in the middle, red to its left, green behind it": each thing but the one in the middle is on a
    side of its own.
    """
    middle = [name for name, place in told.places.items() if place == MIDDLE]
    if len(middle) != 1 or middle != told.row[:1] or told.ways or told.turns or told.ordered:
        return ()
    sides: Dict[str, str] = {}
    for name, (axes, place) in told.sides.items():
        if name != middle[0]:
            level = [axis for axis in axes if axis in (LEVEL, DEEP)]
            if len(level) != 1:
                return ()
            sides[name] = level[0].beyond_one if place == LAST else level[0].short_of_one
    for step in told.steps:
        alone = not step.near and step.axis is DEEP  # "And green behind".
        side = step.axis.beyond_one if step.by > 0 else step.axis.short_of_one
        if step.axis is UPRIGHT or not alone and middle[0] not in step.ones \
                or sides.setdefault(step.other, side) != side:
            return ()
    if set(sides) != set(things) - set(middle) or len(set(sides.values())) != len(sides):
        return ()
    return tuple(Relation(name, side, middle[0]) for name, side in sides.items())


def _spoken_of(told: Told, order: Sequence[str]) -> Set[str]:
    """The things whose places or steps were told, in some order."""
    listed = set(order) if told.listed and told.begun and not told.steps else set()
    return {*listed, *told.places, *told.turns, *(link.subject for link in told.links),
            *(name for step in told.steps for name in (*step.met(order), step.other))}


def _placed(told: Told, order: Sequence[str]) -> bool:
    """Whether an order has the places that were told."""
    last = len(order) - 1
    for name, place in told.places.items():
        at = order.index(name)
        inner = at not in (0, last) and (last > 2 or at == 1)
        if not {FIRST: at == 0, LAST: at == last, MIDDLE: inner}[place]:
            return False
    return True


def _turned(turns: Dict[str, int], order: Sequence[str], way: int) -> bool:
    """Whether an order has the turns that were told.

    Args:
        way: 1 or -1 where they go along or against the order; 0 where they may go either way.
    """
    ends = [order[::each] for each in ((way,) if way else (1, -1))]
    return any(all(end[place] == name for name, place in turns.items()) for end in ends)
