"""Goals as the conditions that the search takes."""

from __future__ import annotations

import itertools
from typing import Iterable, List, Tuple, Union

from hicrisp_core.domain.conditions import Atom, Clause, Condition
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.misfit import Misfit, MisfitKind
from hicrisp_core.goals.normal import normal
from hicrisp_core.goals.truth import ways_to_say
from hicrisp_core.model.goal import Holds, Not, Statement

_MOST_CLAUSES = 400
"""Clauses of one goal; a count of many things has more."""
_Literal = Tuple[str, Tuple[str, ...], bool]
_Clauses = List[Tuple[_Literal, ...]]


class _TooMany(Exception):
    """A statement has too many clauses."""


def conditions_of(statements: Iterable[Statement], domain: Domain) -> Union[Tuple[Condition, ...], Misfit]:
    """Conditions that all hold just when all the statements do."""
    clauses: _Clauses = []
    for statement in statements:
        try:
            clauses += _clauses(normal(statement, domain), domain)
        except _TooMany:
            return Misfit(MisfitKind.LIMIT, f"'{str(statement)[:120]}' counts more cases than are looked at; "
                                            "name the things one by one", str(statement))
    return tuple(Condition(tuple(Clause((Atom(predicate, arguments),), denied)
                                 for predicate, arguments, denied in clause))
                 for clause in dict.fromkeys(clauses))


def _clauses(statement: Statement, domain: Domain) -> _Clauses:
    """The statement, in normal form, as clauses of which each has one literal that holds."""
    if isinstance(statement, Holds):
        return [tuple(_literals(statement, domain, False))]
    if isinstance(statement, Not):
        if isinstance(statement.part, Holds):
            return [(literal,) for literal in _literals(statement.part, domain, True)]
        return _clauses(normal(statement, domain), domain)
    found: _Clauses = []
    parts, size = statement.parts, len(statement.parts)
    if statement.least > 0:
        true = [_clauses(part, domain) for part in parts]
        for chosen in itertools.combinations(true, max(0, size - statement.least + 1)):
            found += _either(chosen, len(found))
    if statement.most is not None and statement.most < size:
        false = [_clauses(normal(part, domain, denied=True), domain) for part in parts]
        for chosen in itertools.combinations(false, statement.most + 1):
            found += _either(chosen, len(found))
    return found


def _either(parts: Iterable[_Clauses], already: int) -> _Clauses:
    """The clauses that say that one of several conjunctions holds."""
    found: _Clauses = []
    for chosen in itertools.product(*parts):
        found.append(tuple(dict.fromkeys(itertools.chain.from_iterable(chosen))))
        if already + len(found) > _MOST_CLAUSES:
            raise _TooMany
    return found


def _literals(statement: Holds, domain: Domain, denied: bool) -> Iterable[_Literal]:
    for fact in ways_to_say(statement.fact, domain):
        arguments = tuple(part for part in (fact.subject, fact.object) if part)
        yield fact.predicate, arguments, denied
