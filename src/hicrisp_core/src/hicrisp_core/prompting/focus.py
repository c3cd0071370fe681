"""What matters to a request: all of a small scene; of a large one the objects it is about and what touches them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import AbstractSet, FrozenSet, Iterable, Set, Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.parsing.names import words_by_name

_SMALL = 12
"""Up to so many objects all of them are told."""
_PLACE = re.compile(r"\{\d\}")
_AUXILIARY = ("is", "ends", "up")
_WORD = re.compile(r"[^\W_]+")


def focus(text: str, names: Iterable[str], domain: Domain, world: WorldState) -> Tuple[WorldState, Tuple[str, ...]]:
    """Return the part of a world that matters: its objects, the facts that a planner needs of them, all robots; and the
    names of its other objects.

    Args:
        text: the request; of what it calls by a word of the name, type or attributes, nothing is left out.
        names: of objects that matter whatever the request says.
    """
    named = _named(text, names, world)
    everything = len(world.objects) <= _SMALL or not named & set(world.objects)
    kept = frozenset(world.objects) if everything else frozenset(named | _touching(named, domain, world))
    facts = frozenset(_facts(text, domain, world, kept, named or kept))
    part = replace(world, objects={name: world.objects[name] for name in world.objects if name in kept},
                   relations=facts)
    return part, tuple(sorted(set(world.objects) - kept))


def _named(text: str, names: Iterable[str], world: WorldState) -> FrozenSet[str]:
    """The objects and robots that a request calls by a word of theirs, and those that matter anyway."""
    said = {form for word in _WORD.findall(text.lower()) for form in (word, word[:-1], word[:-2])
            if form == word or word.endswith("s") and len(form) > 2}
    words = words_by_name(world)
    called = {name for name in words if said & {part for each in words[name]
                                                for part in (each.lower(), *each.lower().split("_"))}}
    return frozenset(called | set(words) & set(names))


def _touching(named: AbstractSet[str], domain: Domain, world: WorldState) -> Set[str]:
    """What the named objects stand on or lie in, and what stands on them or lies in them where they move."""
    touching = {domain.roles.stands_on, domain.roles.inside, domain.roles.aboard, domain.roles.located,
                domain.roles.held} - {""}
    found: Set[str] = set()
    fringe = set(named)
    while fringe:
        below = {fact.object for fact in world.relations if fact.predicate in touching and fact.subject in fringe}
        above = {fact.subject for fact in world.relations if fact.predicate in touching and fact.object in fringe
                 and fact.object in world.objects and world.objects[fact.object].movable}
        fringe = ((below | above) & set(world.objects)) - found - named
        found |= fringe
    return found


def _facts(
    text: str, domain: Domain, world: WorldState, kept: FrozenSet[str], named: AbstractSet[str]
) -> Iterable[Relation]:
    """The facts among the kept objects, each once; not that objects stand where everything else does, too.

    How objects lie to each other, on which no action depends, is told of two that are named, and of one where
    the request has the words for it: "what is left of the plate".
    """
    roles = domain.roles
    telling = {atom.predicate for action in domain.actions.values() for each in action.preconditions
               for clause in each.condition.clauses for atom in clause.atoms}
    telling |= {roles.stands_on, roles.inside, roles.held, roles.aboard, roles.located, roles.docked}
    told = kept | set(world.robots)
    below = {fact.object for fact in world.relations if fact.predicate == roles.stands_on
             and fact.object in world.objects and not world.objects[fact.object].movable}
    said: Set[Relation] = set()
    for fact in sorted(world.relations):
        predicate = domain.predicates.get(fact.predicate)
        objects = [name for name in (fact.subject, fact.object) if name in world.types()]
        if not told.issuperset(objects) or fact.predicate == roles.stands_on and below == {fact.object}:
            continue
        if predicate is not None and fact.predicate not in telling and len(objects) > 1:
            about = len(named & set(objects))
            if not about or about == 1 and not _worded(predicate, domain, text):
                continue
        turned = "" if predicate is None else predicate.name if predicate.symmetric else predicate.inverse
        if turned and Relation(fact.object, turned, fact.subject) in said:
            continue
        said.add(fact)
        yield fact


def _worded(predicate: Predicate, domain: Domain, text: str) -> bool:
    """Whether a request has the words of a predicate or of its inverse: "left of"."""
    both = (predicate, domain.predicates.get(predicate.inverse, predicate))
    phrases = {part.strip() for each in both for said in (each.text, each.goal_text)
               for part in _PLACE.split(said) if part.strip()}
    bare = {" ".join(word for word in phrase.split() if word not in _AUXILIARY) for phrase in phrases}
    return any(phrase and phrase in text.lower() for phrase in bare)
