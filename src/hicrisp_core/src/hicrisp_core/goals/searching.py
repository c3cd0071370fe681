"""Goals as the conditions that the search takes."""

from __future__ import annotations

import itertools
from typing import Iterable, List, Tuple, Union

from hicrisp_core.domain.conditions import Atom, Clause, Condition
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.normal import normal
from hicrisp_core.goals.truth import ways_to_say
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Holds, Not, Statement
from hicrisp_core.model.misfit import Misfit, MisfitKind

_MOST_CLAUSES = 400
"""Clauses of one goal; a count of many things has more."""
Literal = Tuple[str, Tuple[str, ...], bool]
"""A predicate with its arguments, and whether it is denied."""
Conjunction = List[Tuple[Literal, ...]]
"""Clauses that all hold; of each one literal does."""


class _TooMany(Exception):
    """A statement has too many clauses."""


def conditions_of(
    statements: Iterable[Statement], domain: Domain, either_way: bool = True
) -> Union[Tuple[Condition, ...], Misfit]:
    """Conditions that all hold just when all the statements do.

    Args:
        either_way: whether a fact may also be made as the one that says the same, so that its object is
            moved; "the fork is left of the plate" first asks for the fork.
    """
    reader = _Clauses(domain, either_way)
    clauses: Conjunction = []
    for statement in statements:
        try:
            clauses += reader.of(normal(statement, domain, chosen=False))
        except _TooMany:
            return Misfit(MisfitKind.LIMIT, f"'{str(statement)[:120]}' counts more cases than are looked at; "
                                            "name the things one by one", str(statement))
    return tuple(Condition(tuple(Clause((Atom(predicate, arguments),), denied)
                                 for predicate, arguments, denied in clause))
                 for clause in dict.fromkeys(clauses))


class _Clauses:
    """Takes statements in normal form apart into clauses of which each has one literal that holds."""

    def __init__(self, domain: Domain, either_way: bool) -> None:
        self._domain = domain
        self._either_way = either_way

    def of(self, statement: Statement) -> Conjunction:
        if isinstance(statement, Holds):
            ways = ways_to_say(statement.fact, self._domain)
            return [tuple(_literal(fact, False) for fact in (ways if self._either_way else ways[:1]))]
        if isinstance(statement, Not):
            if isinstance(statement.part, Holds):
                return [(_literal(fact, True),) for fact in ways_to_say(statement.part.fact, self._domain)]
            return self.of(normal(statement, self._domain, chosen=False))
        found: Conjunction = []
        parts, size = statement.parts, len(statement.parts)
        if statement.least > 0:
            true = [self.of(part) for part in parts]
            for some in itertools.combinations(true, max(0, size - statement.least + 1)):
                found += _either(some, len(found))
        if statement.most is not None and statement.most < size:
            false = [self.of(normal(part, self._domain, True, chosen=False)) for part in parts]
            for some in itertools.combinations(false, statement.most + 1):
                found += _either(some, len(found))
        return found


def _either(parts: Iterable[Conjunction], already: int) -> Conjunction:
    """The clauses that say that one of several conjunctions holds."""
    found: Conjunction = []
    for chosen in itertools.product(*parts):
        found.append(tuple(dict.fromkeys(itertools.chain.from_iterable(chosen))))
        if already + len(found) > _MOST_CLAUSES:
            raise _TooMany
    return found


def _literal(fact: Relation, denied: bool) -> Literal:
    return fact.predicate, tuple(part for part in (fact.subject, fact.object) if part), denied
