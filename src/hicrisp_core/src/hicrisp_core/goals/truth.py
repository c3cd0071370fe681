"""Does a statement hold, and what is missing: over facts, with what the domain says is the same."""

from __future__ import annotations

from typing import AbstractSet, Callable, Iterable, List, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.model.goal import Count, Holds, Not, Statement


def ways_to_say(fact: Relation, domain: Domain) -> Tuple[Relation, ...]:
    """The facts that say the same, the given one first: next to each other, left of and right of."""
    predicate = domain.predicates.get(fact.predicate)
    if predicate is None:
        return (fact,)
    if predicate.symmetric:
        return (fact, Relation(fact.object, fact.predicate, fact.subject))
    return (fact, Relation(fact.object, predicate.inverse, fact.subject)) if predicate.inverse else (fact,)


Unknown = Callable[[Relation], bool]
"""Says of a fact that nobody knows whether it holds."""


def all_known(_: Relation) -> bool:
    """Whatever is not among the facts is false."""
    return False


def unknown_in(world: WorldState, domain: Domain) -> Unknown:
    """What nobody knows in a world: facts that are not seen, about objects that are not."""
    unseen = {each.name for each in world.unseen}
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
    found: List[Statement] = []
    for statement in statements:
        if truth(statement, facts, domain, unknown):
            continue
        if isinstance(statement, Count) and statement.most is None and statement.least == len(statement.parts):
            found += missing(statement.parts, facts, domain, unknown)
        else:
            found.append(statement)
    return tuple(dict.fromkeys(found))
