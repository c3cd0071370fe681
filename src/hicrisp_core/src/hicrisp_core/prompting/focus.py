"""What a request is told of the world: no object and no place is left out of a prompt because the request does not name
it. Up to 100 objects all are described, with every fact that an action asks for. Of more, those are that the request
names best, what they are in or on and what is on them; of each other one stand its name, its place, its changing states
and what a robot does with it, in one line for all. How objects lie to each other, on which no action depends, is told
where the request is about it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import AbstractSet, Dict, Iterable, List, Set, Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.parsing.names import words_by_name

_WHOLE = 100
"""Up to so many objects all of them are described."""
_FEW = 12
"""Up to so many objects, of which none is named, it is told how any two lie to each other."""
_PLACE = re.compile(r"\{\d\}")
_AUXILIARY = ("is", "ends", "up")
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
        kept &= _touching(set(named[:_WHOLE]), asked, world)
    about = set(named) if named or len(world.objects) > _FEW else kept
    part = replace(world, objects={name: world.objects[name] for name in world.objects if name in kept},
                   relations=frozenset(_facts(text, domain, world, kept, asked, about)))
    changing = asked & {effect.atom.predicate for action in domain.actions.values() for effect in action.effects}
    others: Dict[str, List[str]] = {name: [] for name in sorted(set(world.objects) - kept)}
    for fact in sorted(world.relations):
        if fact.predicate in changing and fact.subject in others:
            others[fact.subject].append(f"{fact.predicate} {fact.object}".strip())
        elif fact.predicate in changing and fact.subject in world.robots and fact.object in others:
            others[fact.object].append(f"{fact.subject} {fact.predicate} it")
    return part, tuple(f"{name} ({', '.join(others[name])})" if others[name] else name
                       for name in sorted(others, key=lambda name: not others[name]))


def _named(text: str, names: AbstractSet[str], world: WorldState) -> List[str]:
    """The objects and robots that matter anyway, and those that a request calls by a word of theirs, which is not a
    number; those with the most such words first.
    """
    said = {form for word in _WORD.findall(text.lower()) for form in (word, word[:-1], word[:-2])
            if form == word or word.endswith("s") and len(form) > 2}
    called: Dict[str, Tuple[bool, int]] = {}
    for name, words in words_by_name(world).items():
        own = said & {part for each in words for part in (each.lower(), *each.lower().split("_"))}
        if name in names or not all(map(str.isdigit, own)):
            called[name] = (name in names, len(own))
    return sorted(called, key=lambda name: called[name], reverse=True)


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


def _facts(
    text: str, domain: Domain, world: WorldState, kept: AbstractSet[str], asked: AbstractSet[str],
    about: AbstractSet[str],
) -> Iterable[Relation]:
    """The facts among the kept objects, each once; of how objects lie to each other those of two that the request is
    about, and of one where it has the words for it: "what is left of the plate".
    """
    told, names = {*kept, *world.robots}, world.types()
    said: Set[Relation] = set()
    for fact in sorted(world.relations):
        predicate = domain.predicates.get(fact.predicate)
        objects = [name for name in (fact.subject, fact.object) if name in names]
        if not told.issuperset(objects):
            continue
        if predicate is not None and fact.predicate not in asked and len(objects) > 1:
            concerned = len(about & set(objects))
            if not concerned or concerned == 1 and not _worded(predicate, domain, text):
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
