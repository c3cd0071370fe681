"""Does a statement hold, and what is missing: over facts, with what the domain says is the same."""

from __future__ import annotations

from typing import AbstractSet, Iterable, List, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Count, Holds, Not, Statement


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
    found: List[Statement] = []
    for statement in statements:
        if holds(statement, facts, domain):
            continue
        if isinstance(statement,
                      Count) and statement.most is None and statement.least == len(statement.parts):
            found += missing(statement.parts, facts, domain)
        else:
            found.append(statement)
    return tuple(dict.fromkeys(found))
