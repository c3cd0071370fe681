"""Does a statement hold, what is missing, what a command would end, and the normal form of goals that mean the same."""

from __future__ import annotations

from dataclasses import replace
from typing import AbstractSet, Callable, Iterable, List, Optional, Tuple

from hicrisp_core.domain import Domain, apply_effects
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Relation, WorldState
from hicrisp_core.model.goal import Count, Goal, Holds, Not, Stage, Statement, all_of, any_of


def ways_to_say(fact: Relation, domain: Domain) -> Tuple[Relation, ...]:
    """The facts that say the same, the given one first: next to each other, left of and right of."""
    predicate = domain.predicates.get(fact.predicate)
    turned = "" if predicate is None else fact.predicate if predicate.symmetric else predicate.inverse
    return (fact, Relation(fact.object, turned, fact.subject)) if turned else (fact,)


Unknown = Callable[[Relation], bool]
"""Says of a fact that nobody knows whether it holds."""


def all_known(_: Relation) -> bool:
    """Whatever is not among the facts is false."""
    return False


def unknown_in(world: WorldState, domain: Domain) -> Unknown:
    """What nobody knows in a world: facts that are not seen, about objects that are not."""
    unseen = {name for each in world.unseen for name in (each.name, each.joint.fixture if each.joint else each.name)}
    return lambda fact: not unseen.isdisjoint((fact.subject, fact.object)) and not any(
        way in world.relations for way in ways_to_say(fact, domain))


def truth(
    statement: Statement, facts: AbstractSet[Relation], domain: Domain, unknown: Unknown = all_known
) -> Optional[bool]:
    """Return whether a statement holds, in Kleene's logic; ``None`` where that depends on what nobody knows."""
    if isinstance(statement, Holds):
        ways = ways_to_say(statement.fact, domain)
        return None if unknown(statement.fact) else any(fact in facts for fact in ways)
    if isinstance(statement, Not):
        found = truth(statement.part, facts, domain, unknown)
        return None if found is None else not found
    parts = [truth(part, facts, domain, unknown) for part in statement.parts]
    sure, possible = parts.count(True), len(parts) - parts.count(False)
    most = len(parts) if statement.most is None else statement.most
    if statement.least <= sure and possible <= most:
        return True
    return False if possible < statement.least or most < sure else None


def holds(statement: Statement, facts: AbstractSet[Relation], domain: Domain) -> bool:
    """Whether a statement holds among the facts; one that is not among them is taken to be false."""
    return truth(statement, facts, domain) is True


def missing(
    statements: Iterable[Statement], facts: AbstractSet[Relation], domain: Domain, unknown: Unknown = all_known
) -> Tuple[Statement, ...]:
    """The statements that are not known to hold; of those that must all hold together, each by itself."""
    return tuple(each for each in conjuncts(statements) if not truth(each, facts, domain, unknown))


def conjuncts(statements: Iterable[Statement]) -> Tuple[Statement, ...]:
    """Return statements that all hold, those of several that must all hold taken apart."""
    found: List[Statement] = []
    for each in statements:
        found += conjuncts(each.parts) if isinstance(each, Count) and each.every else [each]
    return tuple(dict.fromkeys(found))


def guard(keep: Iterable[Statement], domain: Domain, command: Command, world: WorldState) -> Optional[Feedback]:
    """Why a command may not run: by the domain's effects it would end what is to stay so; ``None`` where it may.

    What does not hold now cannot be ended; that it holds in the end is the goal's matter.
    """
    kept = tuple(keep)
    if not kept or command.action not in domain.actions:
        return None
    return breaking(command, ended_by(kept, domain, world, apply_effects(domain, command, world)))


def ended_by(keep: Iterable[Statement], domain: Domain, before: WorldState, after: WorldState) -> Tuple[Statement, ...]:
    """The statements that hold before and are false after; what is not seen any more is not false."""
    return tuple(each for each in keep if holds(each, before.relations, domain)
                 and truth(each, after.relations, domain, unknown_in(after, domain)) is False)


def breaking(command: Command, ended: Tuple[Statement, ...]) -> Optional[Feedback]:
    """The feedback for a command that would end what is to stay so; ``None`` where it ends nothing."""
    return Feedback(Level.HIGH, FeedbackKind.BREAKS_CONDITION, command, conditions=ended) if ended else None


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


def _between(parts: Tuple[Statement, ...], least: int, most: Optional[int], domain: Domain, chosen: bool) -> Statement:
    """So many of some statements in their plainest form."""
    if most is not None and most >= len(parts):
        most = None
    if most == 0 and least == 0:
        return all_of(*(normal(part, domain, True, chosen) for part in parts))
    return parts[0] if most is None and least == len(parts) == 1 else Count(parts, least, most)
