"""The check of a goal before anything is planned: does it fit the domain and the world, and can it hold at all?"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Dict, Iterable, Iterator, List, Optional, Set, Tuple

from hicrisp_core.domain import ANYTHING, Domain, Predicate, listed
from hicrisp_core.errors import did_you_mean
from hicrisp_core.goals.truth import conjuncts, normal_all, ways_to_say
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Count, Goal, GoalError, GoalErrorKind, Holds, Not, Statement

_MOST_NAMES = 60
"""Names that a message lists."""


def check_goal(goal: Goal, domain: Domain, world: WorldState) -> Optional[GoalError]:
    """What is wrong with a goal in this world; ``None`` where nothing is."""
    if goal.empty:
        return GoalError(GoalErrorKind.EMPTY, "the goal asks for nothing")
    robots = tuple(sorted(world.robots))
    for robot in goal.robots:
        if robot not in robots:
            known = listed(robots, _MOST_NAMES, "none")
            return GoalError(GoalErrorKind.NAME, f"no robot is '{robot}'; there are: {known}", robot, robots)
    found = (check_statement(each, domain, world) for each in goal.statements)
    return next(filter(None, found), None) or contradiction(goal, domain)


def check_statement(statement: Statement, domain: Domain, world: WorldState) -> Optional[GoalError]:
    """What is wrong with one statement: an unknown word, an object of the wrong type, a count of too many."""
    if isinstance(statement, Count) and statement.least > len(statement.parts):
        return GoalError(GoalErrorKind.COUNT, f"'{statement}' asks for {statement.least} of {len(statement.parts)}",
                      str(statement))
    if isinstance(statement, Holds):
        return _check_fact(statement.fact, domain, world)
    parts = (statement.part,) if isinstance(statement, Not) else statement.parts
    return next(filter(None, (check_statement(part, domain, world) for part in parts)), None)


def mended(statement: Statement, domain: Domain, world: WorldState) -> Statement:
    """The statement with the predicate that the domain has for a type: an object goes into a bowl, not onto it."""
    if isinstance(statement, Not):
        return Not(mended(statement.part, domain, world))
    if isinstance(statement, Count):
        return replace(statement, parts=tuple(mended(part, domain, world) for part in statement.parts))
    better = _instead(statement.fact, domain, world)
    if not better:
        return statement
    meant = Holds(statement.fact._replace(predicate=better))
    return meant if _check_fact(meant.fact, domain, world) is None else statement


def without_implied(goal: Goal, domain: Domain) -> Goal:
    """Return a goal without what follows from the rest of a stage: what stands on something that goes into a container
    is in there as well, and in the facts in one place only.
    """
    return replace(goal, stages=tuple(replace(stage, conditions=_without_implied(stage.conditions, domain))
                                      for stage in goal.stages))


def _without_implied(conditions: Tuple[Statement, ...], domain: Domain) -> Tuple[Statement, ...]:
    literals = conjuncts(conditions)
    places = {each.fact for each in literals if isinstance(each, Holds)
              and each.fact.predicate in (domain.roles.stands_on, domain.roles.inside)}

    def implied(fact: Relation) -> bool:
        carriers = [place.object for place in places - {fact} if place.subject == fact.subject]
        for carrier in carriers:
            carriers += [place.object for place in places if place.subject == carrier and place.object not in carriers]
        return fact.predicate == domain.roles.inside and fact in places and fact.object in carriers

    return tuple(each for each in literals if not (isinstance(each, Holds) and implied(each.fact)))


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


def _check_fact(fact: Relation, domain: Domain, world: WorldState) -> Optional[GoalError]:
    predicate, types = domain.predicates.get(fact.predicate), world.types()
    quote = str(Holds(fact))
    if predicate is None:
        known = tuple(sorted(domain.predicates))
        return GoalError(GoalErrorKind.PREDICATE, f"there is no predicate '{fact.predicate}'"
                      f"{did_you_mean(fact.predicate, known)}; there are: {listed(known, _MOST_NAMES, 'none')}",
                         quote, known)
    arguments = [name for name in (fact.subject, fact.object) if name]
    if len(arguments) != len(predicate.arguments):
        form = f"{predicate.name}({','.join(predicate.arguments)})"
        return GoalError(GoalErrorKind.PREDICATE, f"'{quote}' has {len(arguments)} arguments; write {form}", quote)
    for at, (name, type_) in enumerate(zip(arguments, predicate.arguments)):
        if type_ == "number":
            if not name.replace(".", "", 1).lstrip("+-").isdigit():
                return GoalError(GoalErrorKind.TYPE, f"in '{quote}' a number is needed, not '{name}'", quote)
            continue
        valid = names_for(predicate, at, domain, world)
        if name not in valid and name not in types:
            return GoalError(GoalErrorKind.NAME, f"there is no '{name}'{did_you_mean(name, valid)}; "
                          f"there are: {listed(valid, _MOST_NAMES, 'none')}", quote, valid)
        if name not in valid:
            return GoalError(GoalErrorKind.TYPE, f"in '{quote}' {name} is a {types[name]}, where a {type_} is needed; "
                          f"there are: {listed(valid, _MOST_NAMES, 'none')}", quote, valid)
    if len(arguments) > 1 and arguments[0] == arguments[1]:
        return GoalError(GoalErrorKind.CONTRADICTION, f"'{quote}' says something of a thing and itself", quote)
    better = _instead(fact, domain, world)
    if better:
        valid = tuple(name for name in names_for(predicate, len(predicate.arguments) - 1, domain, world)
                      if not any(domain.is_a(types.get(name, ANYTHING), other) for other in predicate.instead))
        return GoalError(GoalErrorKind.TYPE, f"'{quote}' does not go with a {types[fact.object]}; "
                      f"use {better}({fact.subject},{fact.object})", quote, valid)
    return None


def _instead(fact: Relation, domain: Domain, world: WorldState) -> str:
    """The predicate to use in place of a fact's, by the type of its last argument, if its first one fits; empty for its
    own.
    """
    predicate = domain.predicates.get(fact.predicate)
    instead = predicate.instead if predicate is not None else {}
    types = world.types()
    own, first = (types.get(name, "") for name in (fact.object or fact.subject, fact.subject))
    return next((other for type_, other in instead.items() if domain.is_a(own, type_)
                 and domain.is_a(first, domain.predicates[other].arguments[0])), "")


def contradiction(goal: Goal, domain: Domain) -> Optional[GoalError]:
    """Return why the conditions of a stage (with the invariants) cannot hold at once; ``None`` if they may.

    Only what must hold for certain is checked; what is left to choose is the search's to find out.
    """
    if not goal.stages:
        return at_once(goal.invariants, domain)
    found = (at_once((*stage.conditions, *goal.invariants), domain) for stage in (*goal.stages, *goal.otherwise))
    return next(filter(None, found), None)


def at_once(conditions: Iterable[Statement], domain: Domain) -> Optional[GoalError]:
    """Return why conditions cannot hold at once; ``None`` if they may."""
    literals = normal_all(conditions, domain)
    wanted = [each.fact for each in literals if isinstance(each, Holds)]
    denied = {each.part.fact for each in literals if isinstance(each, Not) and isinstance(each.part, Holds)}
    clash = next(_clashes(wanted, denied, domain), None)
    if clash is None:
        return None
    return GoalError(GoalErrorKind.CONTRADICTION, clash[0], " and ".join(str(Holds(fact)) for fact in clash[1]))


_Clash = Tuple[str, Tuple[Relation, ...]]


def _clashes(wanted: List[Relation], denied: Set[Relation], domain: Domain) -> Iterator[_Clash]:
    """Yield what cannot be: of a fact and its denial, of one hand and of one object in two places, of a ring."""
    roles = domain.roles
    yield from ((f"'{Holds(fact)}' is to hold and not to hold", (fact,)) for fact in wanted if fact in denied)
    held = [fact for fact in wanted if fact.predicate == roles.held]
    yield from ((f"{one.subject} holds one thing at a time, not {one.object} and {other.object}", (one, other))
                for one, other in combinations(held, 2) if one.subject == other.subject)
    yield from ((f"{one.object} can be in one hand only", (one, other))
                for one, other in combinations(held, 2) if one.object == other.object)
    yield from ((f"{one.object} cannot be in the hand and '{Holds(fact)}' hold as well", (one, fact))
                for fact in wanted for one in held if one.object in (fact.subject, fact.object) and fact.object
                and fact.predicate != roles.held)
    for places in ((roles.stands_on, roles.inside), (roles.located, roles.docked)):
        placed = [fact for fact in wanted if fact.predicate in places]
        yield from ((f"{one.subject} can be in one place only, not '{Holds(one)}' and '{Holds(other)}'", (one, other))
                    for one, other in combinations(placed, 2) if one.subject == other.subject)
    yield from _rings(wanted, domain)


def _rings(wanted: Iterable[Relation], domain: Domain) -> Iterator[_Clash]:
    """Neither what carries nor what lies in a direction can come back to itself."""
    orders: Dict[str, List[Relation]] = {}
    for fact in wanted:
        if fact.predicate in (domain.roles.stands_on, domain.roles.inside):
            orders.setdefault("", []).append(fact)
        for said in ways_to_say(fact, domain):
            predicate = domain.predicates.get(said.predicate)
            if predicate is not None and predicate.inverse and said.predicate < predicate.inverse:
                orders.setdefault(said.predicate, []).append(said)
    for facts in orders.values():
        ring = _back_to_itself(facts)
        if ring:
            together = " and ".join(f"'{Holds(fact)}'" for fact in ring)
            yield f"{together} cannot hold at once: they lead from {ring[0].subject} back to itself", ring


def _back_to_itself(facts: List[Relation]) -> Tuple[Relation, ...]:
    """Return facts that lead from an object over others back to it; none if no facts do."""
    while any(each.object not in {other.subject for other in facts} for each in facts):
        facts = [each for each in facts if each.object in {other.subject for other in facts}]
    onward = {each.subject: each for each in reversed(facts)}
    way: List[Relation] = []
    name = min(onward, default="")
    while onward and name not in [each.subject for each in way]:
        way.append(onward[name])
        name = way[-1].object
    return tuple(way[[each.subject for each in way].index(name):]) if way else ()
