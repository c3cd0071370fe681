"""Requests that tell the order of a tower or row: "from the bottom up: red, green, blue", "the can as the
base, the mug on it, the tin on top", "blue on red, and green on blue".

A request is read only where every word of it is known, every phrase fits one thing alone, and its words leave
one order. All else is left to others.
"""

from __future__ import annotations

import itertools
import re
from typing import Sequence, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.contradictions import contradiction
from hicrisp_core.goals.typed import mended
from hicrisp_core.language import lexicon
from hicrisp_core.language.facts import Reading, SaidFact
from hicrisp_core.language.intents import Noun
from hicrisp_core.language.mentions import mentions
from hicrisp_core.language.order_parts import Step, Told
from hicrisp_core.language.order_reader import OrderReader
from hicrisp_core.language.order_words import AXES, FIRST, LAST, MIDDLE, SHORTHAND, UPRIGHT, WORDS
from hicrisp_core.language.spelling import respelled
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, Holds, Not, facts_in

_SHORT = re.compile("|".join(rf"(?<![\w'-]){re.escape(each)}(?![\w'/-])" for each in SHORTHAND),
                    re.IGNORECASE)
_MOST = 6
"""Things in an order: all their orders are tried."""


def told_order(text: str, domain: Domain, world: WorldState) -> Reading:
    """The facts of a tower or row whose order a text tells; where it tells none, the reading is not whole."""
    text = _SHORT.sub(lambda found: SHORTHAND[found.group().lower()], text)
    text = respelled(text, world, WORDS)
    words = [word.text for word in words_in(text)]
    if "?" in words and not lexicon.WISHING & set(words):
        return Reading(unread=text)
    told = OrderReader(words, mentions(text, domain, world), world).read()
    facts = [_sayable(fact, domain, world) for fact in _facts(told)] if told is not None else []
    denied = told.denied if told is not None else []
    if not any(world.objects[fact.object].movable or fact.predicate != UPRIGHT.beyond_one for fact in facts) \
            or not all(fact.predicate in domain.predicates for fact in (*facts, *denied)):
        return Reading(unread=text)
    goal = Goal((*(Holds(fact) for fact in facts), *(Not(Holds(fact)) for fact in denied)))
    if contradiction(goal, domain) is not None:
        return Reading(unread=text)
    return Reading(tuple(
        SaidFact(fact.predicate, (Noun("the", (fact.subject,)),), (Noun("the", (fact.object,)),),
                 denied=is_denied, quote=text)
        for some, is_denied in ((facts, False), (denied, True))
        for each in some for fact in facts_in(mended(Holds(each), domain, world))))


def _facts(told: Told) -> Tuple[Relation, ...]:
    """The facts of the one order that the words leave; none where they leave several or none."""
    placed = bool(told.places or told.ways)
    if not placed and all(step.plain for step in told.steps):
        return _apart(told)
    elsewhere = {link.subject for link in told.links if link.predicate != UPRIGHT.beyond_one}
    elsewhere |= {link.subject for link in told.denied} - told.stepped - set(told.places)
    things = tuple(name for name in told.things if name not in elsewhere)
    if not 2 <= len(things) <= _MOST or any(count != len(things) for count in told.counts):
        return ()
    if set(told.places.values()) - {MIDDLE} and any(
            step.plain and step.axis is not UPRIGHT for step in told.steps):
        return ()  # "The mug right of the tin, and the can on the right": of what?
    axes = [axis for axis in AXES if all(axis in each for each in told.axes)]
    if len(axes) != 1 or len(set(told.ways)) > 1 or elsewhere & (told.stepped | set(told.places)):
        return ()
    orders = [order for order in itertools.permutations(things) if _fits(told, order)]
    if not placed or len(things) == 2 and not told.ways:  # Then each thing must be spoken of.
        orders = [order for order in orders if _spoken_of(told, order) == set(things)]
    if told.listed and told.ways:
        orders = [order for order in orders if order == things[::told.ways[0]]]
    elif told.listed and len(orders) > 1:
        orders = [order for order in orders if order in (things, things[::-1])]
    if len(orders) != 1:
        return ()
    neighbours = zip(orders[0], orders[0][1:])
    return (*(Relation(other, axes[0].beyond_one, one) for one, other in neighbours), *told.links)


def _apart(told: Told) -> Tuple[Relation, ...]:
    """The facts of "blue on red, and green on blue"; they may be of several towers and rows."""
    linked = {name for link in (*told.links, *told.denied) for name in (link.subject, link.object)}
    if set(told.things) - told.stepped - linked or any(count != len(told.things) for count in told.counts):
        return ()
    steps = (_step_fact(step, step.ones[0]) for step in told.steps)
    return (*steps, *told.links)


def _step_fact(step: Step, one: str) -> Relation:
    if step.by > 0:
        return Relation(step.other, step.axis.beyond_one, one)
    back = step.axis.short_of_one
    return Relation(step.other, back, one) if back else Relation(one, step.axis.beyond_one, step.other)


def _sayable(fact: Relation, domain: Domain, world: WorldState) -> Relation:
    """A fact the other way round where its subject is nothing that a hand takes: a bowl in front of a box is
    a box behind it.
    """
    predicate = domain.predicates.get(fact.predicate)
    taken = {action.parameters[action.item_parameter].type for action in domain.actions.values()
             if action.item_parameter}
    type_ = world.types().get(fact.subject, "")
    if predicate is None or not predicate.inverse or any(domain.is_a(type_, each) for each in taken):
        return fact
    return Relation(fact.object, predicate.inverse, fact.subject)


def _spoken_of(told: Told, order: Sequence[str]) -> Set[str]:
    """The things whose places or steps were told, in some order."""
    return {*told.places, *(link.subject for link in told.links),
            *(name for step in told.steps for name in (*step.met(order), step.other))}


def _fits(told: Told, order: Sequence[str]) -> bool:
    """Whether an order is as the places and steps tell."""
    last = len(order) - 1
    for name, place in told.places.items():
        at = order.index(name)
        inner = at not in (0, last) and (last > 2 or at == 1)
        if not {FIRST: at == 0, LAST: at == last, MIDDLE: inner}[place]:
            return False
    return all(step.met(order) for step in told.steps)
