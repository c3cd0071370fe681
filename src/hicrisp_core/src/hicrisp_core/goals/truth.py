"""Does a statement hold, what is missing, and the normal form in which goals that mean the same look the same."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Iterable, List, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Count, Goal, Holds, Not, Stage, Statement, all_of, any_of


def ways_to_say(fact: Relation, domain: Domain) -> Tuple[Relation, ...]:
    """The facts that say the same, the given one first: next to each other, left of and right of."""
    predicate = domain.predicates.get(fact.predicate)
    if predicate is None:
        return (fact,)
    if predicate.symmetric:
        return (fact, Relation(fact.object, fact.predicate, fact.subject))
    return (fact, Relation(fact.object, predicate.inverse, fact.subject)) if predicate.inverse else (fact,)


def holds(statement: Statement, facts: AbstractSet[Relation], domain: Domain) -> bool:
    """Whether a statement holds among the facts; one that is not among them is taken to be false."""
    if isinstance(statement, Holds):
        return any(fact in facts for fact in ways_to_say(statement.fact, domain))
    if isinstance(statement, Not):
        return not holds(statement.part, facts, domain)
    held = sum(holds(part, facts, domain) for part in statement.parts)
    return held >= statement.least and (statement.most is None or held <= statement.most)


def missing(
    statements: Iterable[Statement], facts: AbstractSet[Relation], domain: Domain
) -> Tuple[Statement, ...]:
    """The statements that do not hold; of those that must all hold together, each by itself."""
    return tuple(each for each in conjuncts(statements) if not holds(each, facts, domain))


def conjuncts(statements: Iterable[Statement]) -> Tuple[Statement, ...]:
    """Return statements that all hold, those of several that must all hold taken apart."""
    found: List[Statement] = []
    for each in statements:
        found += conjuncts(each.parts) if isinstance(each, Count) and each.every else [each]
    return tuple(dict.fromkeys(found))


def normal_goal(goal: Goal, domain: Domain) -> Goal:
    """Return the goal with all its conditions in normal form; its stages keep their order."""
    def staged(stages: Tuple[Stage, ...]) -> Tuple[Stage, ...]:
        return tuple(replace(each, conditions=normal_all(each.conditions, domain),
                             when=normal_all(each.when, domain)) for each in stages)

    return replace(goal, stages=staged(goal.stages), otherwise=staged(goal.otherwise),
                   invariants=normal_all(goal.invariants, domain))


def same_goal(one: Goal, other: Goal, domain: Domain) -> bool:
    """Whether two goals mean the same, as far as the normal form tells."""
    return normal_goal(one, domain) == normal_goal(other, domain)


def normal_all(statements: Iterable[Statement], domain: Domain) -> Tuple[Statement, ...]:
    """Statements that all hold: conjunctions taken apart, repeats left out, in a fixed order."""
    return tuple(sorted(conjuncts(normal(each, domain) for each in statements), key=str))


def normal(statement: Statement, domain: Domain, denied: bool = False, chosen: bool = True) -> Statement:
    """One statement, or its denial, with denials before facts alone.

    Args:
        chosen: whether of facts that say the same always the same one is taken.
    """
    if isinstance(statement, Holds):
        fact = Holds(min(ways_to_say(statement.fact, domain))) if chosen else statement
        return Not(fact) if denied else fact
    if isinstance(statement, Not):
        return normal(statement.part, domain, not denied, chosen)
    parts = tuple(sorted({normal(part, domain, chosen=chosen) for part in statement.parts}, key=str))
    least, most = len(parts) if statement.every else statement.least, statement.most
    if not denied:
        return _between(parts, least, most, domain, chosen)
    below = [_between(parts, 0, least - 1, domain, chosen)] if least > 0 else []
    if most is not None and most < len(parts):
        return any_of(*below, _between(parts, most + 1, None, domain, chosen))
    return any_of(*below) if below else Count((), 1)


def _between(
    parts: Tuple[Statement, ...], least: int, most: Optional[int], domain: Domain, chosen: bool
) -> Statement:
    """So many of some statements in their plainest form."""
    if most is not None and most >= len(parts):
        most = None
    if most == 0 and least == 0:
        return all_of(*(normal(part, domain, True, chosen) for part in parts))
    if most is None and least == len(parts) and parts:
        return all_of(*parts)
    if most is None and least == 1 and parts:
        return any_of(*parts)
    return Count(parts, least, most)
