"""Facts in the words of a domain: "open" is "not closed" where the domain has only that."""

from __future__ import annotations

from dataclasses import replace
from typing import Mapping, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.understanding.written.sayings import Condition, Line, Queried, SaidGoal, SaidStage

_SAME: Mapping[str, Tuple[Tuple[str, bool], ...]] = {
    "open": (("closed", False),), "closed": (("open", False),),
    "switched_on": (("powered", True), ("switched_off", False)), "switched_off": (("powered", False),),
    "powered": (("switched_on", True), ("plugged_in", True)), "plugged_out": (("plugged_in", False),),
    "dirty": (("clean", False),), "clean": (("dirty", False),)}
"""Predicates that say the same, or (``False``) the contrary."""


def in_words_of(domain: Domain, line: Line) -> Line:
    """Return a line whose predicates are the domain's own, as far as others say the same."""
    if isinstance(line, SaidGoal):
        return SaidGoal(tuple(_stage(domain, each) for each in line.stages),
                        tuple(_stage(domain, each) for each in line.otherwise), _all(domain, line.invariants))
    return replace(line, conditions=_all(domain, line.conditions)) if isinstance(line, Queried) else line


def _stage(domain: Domain, stage: SaidStage) -> SaidStage:
    return replace(stage, conditions=_all(domain, stage.conditions), when=_all(domain, stage.when))


def _all(domain: Domain, conditions: Tuple[Condition, ...]) -> Tuple[Condition, ...]:
    return tuple(_condition(domain, each) for each in conditions)


def _condition(domain: Domain, condition: Condition) -> Condition:
    """The condition with another predicate; one of several facts stays as it is."""
    fact = condition.facts[0]
    if len(condition.facts) > 1 or fact.predicate in domain.predicates:
        return condition
    other = next((each for each in _SAME.get(fact.predicate, ()) if each[0] in domain.predicates), None)
    if other is None:
        return condition
    return Condition((replace(fact, predicate=other[0]),), condition.holds == other[1])
