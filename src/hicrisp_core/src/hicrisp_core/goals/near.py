"""Goals that differ in one fact from another: what a request may mean in its place."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Iterator, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.typed import check_goal, mended
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Goal, Holds, Not, Statement, facts_in


def near_goals(
    goal: Goal, domain: Domain, world: WorldState, settled: AbstractSet[Relation] = frozenset()
) -> Tuple[Goal, ...]:
    """The goals with one fact of the end turned round, or in the place of one that is near it.

    Things may change places; what is on or at a side of a thing may be next to it, and the other way round;
    where one fact is all that is wanted, its thing may be wanted in the hand; where all is so already, the
    contrary may be.

    Args:
        settled: facts that stay as they are.
    """
    found = []
    idle = all(holds(each, world.relations, domain) for each in goal.end)
    for at, statement in enumerate(goal.end):
        if isinstance(statement, Holds) and not set(facts_in(statement)) & settled:
            contrary = [Not(statement)] if idle else []
            for other in (*contrary, *_near(statement.fact, len(goal.end) == 1, domain, world)):
                end = (*goal.end[:at], mended(other, domain, world), *goal.end[at + 1:])
                changed = replace(goal, end=end, said="")
                if end != goal.end and check_goal(changed, domain, world) is None:
                    found.append(changed)
    return tuple(dict.fromkeys(found))


def _near(fact: Relation, alone: bool, domain: Domain, world: WorldState) -> Iterator[Statement]:
    roles = domain.roles
    if not fact.object or fact.predicate == roles.held:
        return
    upon = roles.stands_on if fact.predicate == roles.inside else fact.predicate
    if domain.predicates[fact.predicate].symmetric:
        yield Holds(Relation(fact.subject, roles.stands_on, fact.object))
        yield Holds(Relation(fact.object, roles.stands_on, fact.subject))
    else:
        yield Holds(Relation(fact.object, upon, fact.subject))
        for name, predicate in domain.predicates.items():
            if predicate.symmetric:
                yield Holds(Relation(fact.subject, name, fact.object))
    if alone and roles.held in domain.predicates:
        for hand in domain.objects_of(world, domain.predicates[roles.held].arguments[0]):
            yield Holds(Relation(hand, roles.held, fact.subject))
