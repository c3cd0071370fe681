"""What matters to a request: all of a small scene; of a large one the things it is about and what touches
them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import FrozenSet, Iterable, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.names import words_by_name
from hicrisp_core.model import Relation, WorldState

_SMALL = 12
"""Up to so many things all of them are told."""
_MOST_OTHERS = 100
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Focus:
    """The part of a world that matters to a request.

    Args:
        world: the things that matter, the facts that a planner needs of them, all robots.
        others: the names of the other things.
        more: how many other things there are beyond those.
    """

    world: WorldState
    others: Tuple[str, ...] = ()
    more: int = 0


def focus(text: str, names: Iterable[str], domain: Domain, world: WorldState) -> Focus:
    """The part of a world that matters.

    Args:
        text: the request; of what it calls by a word of the name, type or attributes, nothing is left out.
        names: of things that matter whatever the request says.
    """
    kept = _kept(text, names, domain, world)
    facts = frozenset(_facts(domain, world, kept))
    part = replace(world, objects={name: world.objects[name] for name in world.objects if name in kept},
                   relations=facts)
    others = sorted(set(world.objects) - kept)
    return Focus(part, tuple(others[:_MOST_OTHERS]), max(0, len(others) - _MOST_OTHERS))


def _kept(text: str, names: Iterable[str], domain: Domain, world: WorldState) -> FrozenSet[str]:
    """The things that are told; all of them where the scene is small or nothing of it is named."""
    everything = frozenset(world.objects)
    if len(everything) <= _SMALL:
        return everything
    said = {form for word in _WORD.findall(text.lower()) for form in (word, word[:-1], word[:-2])
            if form == word or word.endswith("s") and len(form) > 2}
    words = words_by_name(world)
    named = {name for name in everything if said & {part for each in words[name]
                                                    for part in (each.lower(), *each.lower().split("_"))}}
    named |= everything & set(names)
    if not named:
        return everything
    return frozenset(named | _touching(named, domain, world))


def _touching(named: Set[str], domain: Domain, world: WorldState) -> Set[str]:
    """What the named things stand on or lie in, and what stands on them or lies in them where they move."""
    touching = {domain.roles.stands_on, domain.roles.inside, domain.roles.aboard, domain.roles.located,
                domain.roles.held} - {""}
    found: Set[str] = set()
    fringe = set(named)
    while fringe:
        below = {fact.object for fact in world.relations
                 if fact.predicate in touching and fact.subject in fringe}
        above = {fact.subject for fact in world.relations if fact.predicate in touching
                 and fact.object in fringe and fact.object in world.objects
                 and world.objects[fact.object].movable}
        fringe = ((below | above) & set(world.objects)) - found - named
        found |= fringe
    return found


def _facts(domain: Domain, world: WorldState, kept: FrozenSet[str]) -> Iterable[Relation]:
    """The facts among the kept things, each once; not that things stand where everything else does, too."""
    told = kept | set(world.robots)
    below = {fact.object for fact in world.relations
             if fact.predicate == domain.roles.stands_on and _fixed(fact.object, world)}
    said: Set[Relation] = set()
    for fact in sorted(world.relations):
        predicate = domain.predicates.get(fact.predicate)
        named = [name for name in (fact.subject, fact.object) if name in world.types()]
        if not told.issuperset(named):
            continue
        if fact.predicate == domain.roles.stands_on and below == {fact.object}:
            continue
        turned = "" if predicate is None else predicate.name if predicate.symmetric else predicate.inverse
        if turned and Relation(fact.object, turned, fact.subject) in said:
            continue
        said.add(fact)
        yield fact


def _fixed(name: str, world: WorldState) -> bool:
    return name in world.objects and not world.objects[name].movable
