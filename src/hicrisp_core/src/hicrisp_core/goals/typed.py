"""The typed check: does a goal fit the domain and the world, and can it hold at all?"""

from __future__ import annotations

from dataclasses import replace
from typing import Iterable, Optional, Tuple

from hicrisp_core.domain.schema import ANYTHING, Domain, Predicate, did_you_mean
from hicrisp_core.goals.contradictions import contradiction
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Count, Goal, Holds, Not, Statement
from hicrisp_core.model.misfit import Misfit, MisfitKind

_MOST_NAMES = 60
"""Names that a message lists."""


def check_goal(goal: Goal, domain: Domain, world: WorldState) -> Optional[Misfit]:
    """What is wrong with a goal in this world; ``None`` where nothing is."""
    if goal.empty:
        return Misfit(MisfitKind.EMPTY, "the goal asks for nothing")
    robots = tuple(sorted(world.robots))
    for robot in goal.robots:
        if robot not in robots:
            return Misfit(MisfitKind.NAME, f"there is no robot '{robot}'; there are: {_listed(robots)}", robot,
                          robots)
    for statement in goal.statements:
        found = check_statement(statement, domain, world)
        if found is not None:
            return found
    return contradiction(goal, domain)


def check_statement(statement: Statement, domain: Domain, world: WorldState) -> Optional[Misfit]:
    """What is wrong with one statement: an unknown word, a thing of the wrong type, a count of too many."""
    if isinstance(statement, Count) and statement.least > len(statement.parts):
        return Misfit(MisfitKind.COUNT, f"'{statement}' asks for {statement.least} of {len(statement.parts)}",
                      str(statement))
    if isinstance(statement, Holds):
        return _check_fact(statement.fact, domain, world)
    for part in (statement.part,) if isinstance(statement, Not) else statement.parts:
        found = check_statement(part, domain, world)
        if found is not None:
            return found
    return None


def mended(statement: Statement, domain: Domain, world: WorldState) -> Statement:
    """The statement with the predicate that the domain has for a type: a thing goes into a bowl, not onto
    it.
    """
    if isinstance(statement, Not):
        return Not(mended(statement.part, domain, world))
    if isinstance(statement, Count):
        return replace(statement, parts=tuple(mended(part, domain, world) for part in statement.parts))
    better = _instead(statement.fact, domain, world)
    if not better:
        return statement
    meant = Holds(statement.fact._replace(predicate=better))
    return meant if _check_fact(meant.fact, domain, world) is None else statement


def names_for(predicate: Predicate, at: int, domain: Domain, world: WorldState) -> Tuple[str, ...]:
    """Return the names that may stand at a place of a predicate: objects and robots of its type, and what
    only facts name, such as the rum that a bottle contains.
    """
    names = domain.objects_of(world, predicate.arguments[at])
    if predicate.arguments[at] != ANYTHING or at == 0:
        return names
    types = world.types()
    told = {fact.object for fact in world.relations if fact.predicate == predicate.name} - set(types) - {""}
    return tuple(sorted((*names, *told)))


def _valid_last(predicate: Predicate, domain: Domain, world: WorldState) -> Tuple[str, ...]:
    """The names for the last argument of a predicate, without those that another predicate takes."""
    types = world.types()
    return tuple(name for name in names_for(predicate, len(predicate.arguments) - 1, domain, world)
                 if not any(domain.is_a(types.get(name, ANYTHING), other) for other in predicate.instead))


def _check_fact(fact: Relation, domain: Domain, world: WorldState) -> Optional[Misfit]:
    predicate = domain.predicates.get(fact.predicate)
    quote = str(Holds(fact))
    if predicate is None:
        known = tuple(sorted(domain.predicates))
        return Misfit(MisfitKind.PREDICATE,
                      f"there is no predicate '{fact.predicate}'{did_you_mean(fact.predicate, known)}; "
                                            f"there are: {_listed(known)}", quote, known)
    arguments = [name for name in (fact.subject, fact.object) if name]
    if len(arguments) != len(predicate.arguments):
        form = f"{predicate.name}({','.join(predicate.arguments)})"
        return Misfit(MisfitKind.PREDICATE, f"'{quote}' has {len(arguments)} arguments; the form is {form}",
                      quote)
    for at, name in enumerate(arguments):
        found = _check_name(name, predicate, at, quote, domain, world)
        if found is not None:
            return found
    if len(arguments) > 1 and arguments[0] == arguments[1]:
        return Misfit(MisfitKind.CONTRADICTION, f"'{quote}' says something of a thing and itself", quote)
    better = _instead(fact, domain, world)
    if better:
        own = world.types()[fact.object]
        valid = _valid_last(predicate, domain, world)
        return Misfit(MisfitKind.TYPE,
                      f"'{quote}' does not go with a {own}; use {better}({fact.subject},{fact.object})",
                      quote,
                      valid)
    return None


def _check_name(
    name: str, predicate: Predicate, at: int, quote: str, domain: Domain, world: WorldState
) -> Optional[Misfit]:
    type_ = predicate.arguments[at]
    if type_ == "number":
        number = name.replace(".", "", 1).lstrip("+-").isdigit()
        return None if number else Misfit(MisfitKind.TYPE, f"in '{quote}' a number is needed, not '{name}'",
                                          quote)
    valid, types = names_for(predicate, at, domain, world), world.types()
    if name in valid:
        return None
    if name not in types:
        return Misfit(MisfitKind.NAME,
                      f"there is no '{name}'{did_you_mean(name, valid)}; there are: {_listed(valid)}",
                      quote, valid)
    return Misfit(MisfitKind.TYPE, f"in '{quote}' {name} is a {types[name]}, where a {type_} is needed; "
                                   f"there are: {_listed(valid)}", quote, valid)


def _instead(fact: Relation, domain: Domain, world: WorldState) -> str:
    """The predicate to use in place of a fact's, by the type of its last argument; empty for its own."""
    predicate = domain.predicates.get(fact.predicate)
    own = world.types().get(fact.object or fact.subject, "")
    if predicate is None:
        return ""
    return next((other for type_, other in predicate.instead.items() if domain.is_a(own, type_)), "")


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return (", ".join(found[:_MOST_NAMES]) or "none") + more
