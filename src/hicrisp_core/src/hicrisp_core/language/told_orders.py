"""Requests that tell the order of a tower or row: "from the bottom up: red, green, blue", "the can as the
base, the mug on it, the tin on top", "blue on red, and green on blue".

A request is read only where every word of it is known, every phrase fits one thing alone, and its words leave
one order. All else is left to others.
"""

from __future__ import annotations

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.contradictions import contradiction
from hicrisp_core.goals.typed import mended
from hicrisp_core.language import lexicon
from hicrisp_core.language.facts import Reading, SaidFact
from hicrisp_core.language.intents import Noun
from hicrisp_core.language.mentions import mentions
from hicrisp_core.language.order_facts import facts_of
from hicrisp_core.language.order_reader import OrderReader
from hicrisp_core.language.order_words import UPRIGHT, WORDS
from hicrisp_core.language.spelling import respelled, written_out
from hicrisp_core.language.tokens import words_in
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, Holds, Not, facts_in


def told_order(text: str, domain: Domain, world: WorldState) -> Reading:
    """The facts of a tower or row whose order a text tells; where it tells none, the reading is not whole."""
    text = respelled(written_out(text), world, WORDS)
    words = [word.text for word in words_in(text)]
    if "?" in words and not lexicon.WISHING & set(words):
        return Reading(unread=text)
    told = OrderReader(words, mentions(text, domain, world), world).read()
    facts = [_sayable(fact, domain, world) for fact in facts_of(told)] if told is not None else []
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
