"""What a request is told of the world: no object and no place is left out of a prompt because the request does not name
it. Up to 100 objects all are described, with every fact that an action asks for. Of more, those are that the request
names best, what they are in or on and what is on them; of each other one stand its name, its place, its changing states
and what a robot does with it, in one line for all. Of how objects lie to each other, on which no action depends, the
facts that the request is most about are told.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from typing import AbstractSet, Dict, Iterable, List, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.parsing.names import words_by_name

_WHOLE = 100
"""Up to so many objects all of them are described."""
_MOST_LYING = 150
"""Up to so many facts about how objects lie to each other are told."""
_WORD = re.compile(r"[^\W_]+")


def focus(text: str, names: Iterable[str], domain: Domain, world: WorldState) -> Tuple[WorldState, Tuple[str, ...]]:
    """Return the part of a world that is described: objects, their facts, all robots; and the other objects, each with
    its place and states in brackets, those with nothing to tell last.

    Args:
        text: the request.
        names: of objects that matter whatever the request says.
    """
    asked = {atom.predicate for action in domain.actions.values() for each in action.preconditions
             for clause in each.condition.clauses for atom in clause.atoms}
    roles = domain.roles
    asked |= {roles.stands_on, roles.inside, roles.held, roles.aboard, roles.located, roles.docked} - {""}
    named = _named(text, set(names), world)
    kept = set(world.objects)
    if len(kept) > _WHOLE:
        kept &= _touching(set(list(named)[:_WHOLE]), asked, world)
    facts = _facts(domain, world, {*kept, *world.robots})
    lying = {fact for fact in facts if fact.predicate in domain.predicates and fact.predicate not in asked
             and {fact.subject, fact.object} <= kept}
    near = sorted((-named.get(fact.subject, 0) - named.get(fact.object, 0), fact) for fact in lying)
    told = facts - lying | {fact for rank, fact in near[:_MOST_LYING] if rank or not named}
    part = replace(world, objects={name: world.objects[name] for name in world.objects if name in kept},
                   relations=frozenset(told))
    changing = asked & {effect.atom.predicate for action in domain.actions.values() for effect in action.effects}
    others: Dict[str, List[str]] = {name: [] for name in sorted(set(world.objects) - kept)}
    for fact in sorted(world.relations):
        if fact.predicate in changing and fact.subject in others:
            others[fact.subject].append(f"{fact.predicate} {fact.object}".strip())
        elif fact.predicate in changing and fact.subject in world.robots and fact.object in others:
            others[fact.object].append(f"{fact.subject} {fact.predicate} it")
    return part, tuple(f"{name} ({', '.join(others[name])})" if others[name] else name
                       for name in sorted(others, key=lambda name: not others[name]))


def _named(text: str, names: AbstractSet[str], world: WorldState) -> Dict[str, float]:
    """The objects and robots that matter anyway, and those that a request calls by a word of theirs, which is not a
    number; the best named first: a word counts the more, the fewer have it.
    """
    said = {form for word in _WORD.findall(text.lower()) for form in (word, word[:-1], word[:-2])
            if form == word or word.endswith("s") and len(form) > 2}
    own = {name: said & {part for each in words for part in (each.lower(), *each.lower().split("_"))}
           for name, words in words_by_name(world).items()}
    shared = Counter(word for words in own.values() for word in words)
    rank = {name: math.fsum(1 / shared[word] for word in words) + _WHOLE * (name in names)
            for name, words in own.items() if name in names or not all(map(str.isdigit, words))}
    return dict(sorted(rank.items(), key=lambda each: -each[1]))


def _touching(start: AbstractSet[str], asked: AbstractSet[str], world: WorldState) -> Set[str]:
    """Some objects, what they are in or on, and what is on or in those of them that move."""
    found: Set[str] = set()
    fringe = set(start)
    while fringe:
        found |= fringe
        below = {fact.object for fact in world.relations if fact.predicate in asked and fact.subject in fringe}
        above = {fact.subject for fact in world.relations if fact.predicate in asked and fact.object in fringe
                 and fact.object in world.objects and world.objects[fact.object].movable}
        fringe = ((below | above) & set(world.objects)) - found
    return found


def _facts(domain: Domain, world: WorldState, told: AbstractSet[str]) -> Set[Relation]:
    """The facts among some objects and robots; one that has an inverse once."""
    names = set(world.types())
    facts: Set[Relation] = set()
    for fact in sorted(world.relations):
        predicate = domain.predicates.get(fact.predicate)
        turned = "" if predicate is None else predicate.name if predicate.symmetric else predicate.inverse
        if {fact.subject, fact.object} & names <= told and Relation(fact.object, turned, fact.subject) not in facts:
            facts.add(fact)
    return facts
