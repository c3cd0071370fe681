"""The order of a goal: what is left of its stages in a world, and what holds at its end."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import AbstractSet, Callable, FrozenSet, List, Optional, Set, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.validation import at_once
from hicrisp_core.model import Relation
from hicrisp_core.model.goal import Count, Goal, Holds, Stage, Statement, all_of, facts_in


def applies(stage: Stage, facts: AbstractSet[Relation], domain: Domain) -> bool:
    """Check whether a stage's ``when`` holds among the facts."""
    return all(holds(each, facts, domain) for each in stage.when)


def chosen(goal: Goal, facts: AbstractSet[Relation], domain: Domain) -> Goal:
    """Return the goal without alternatives, as the facts at the task's beginning decide them."""
    if not goal.otherwise:
        return goal
    stages = goal.stages if goal.stages and applies(goal.stages[0], facts, domain) else goal.otherwise
    return replace(goal, stages=stages, otherwise=())


def final_conditions(goal: Goal, domain: Domain) -> Tuple[Statement, ...]:
    """Return what holds at the end: the last stage's conditions, those of earlier stages that no later stage
    changes, and the invariants.

    A condition is not kept if its predicates are transient, if a later one contradicts it, or if a later one
    brings its object elsewhere. Optional stages and those with a ``when`` are left out: whether they apply is
    known only once they are reached (:func:`rest_of`).
    """
    found: List[Statement] = []
    certain = [stage for stage in goal.stages if not stage.optional and not stage.when]
    last = goal.stages[-1] if goal.stages else None
    for stage in certain:
        found = [each for each in found if not any(_supersedes(later, each, domain) for later in stage.conditions)]
        found += [each for each in stage.conditions if stage is last or not _transient(each, domain)]
    return tuple(dict.fromkeys((*found, *goal.invariants)))


def rest_of(goal: Goal, reached: int, made: Tuple[Stage, ...], domain: Domain) -> Goal:
    """Return what is left of a goal after its first stages.

    Args:
        reached: how many stages were reached or do not apply.
        made: those that were reached, in their order.

    Returns:
        The goal of the stages that are left; what was made and is to stay is a condition of the last one.
    """
    left = goal.stages[reached:]
    stays = final_conditions(Goal(tuple(Stage(each.conditions) for each in made)), domain)
    if not left:
        return replace(goal, stages=(Stage(stays),) if stays else ())
    kept = tuple(each for each in stays if not _transient(each, domain) and each not in left[-1].conditions
                 and not any(_supersedes(later, each, domain) for stage in left for later in stage.conditions))
    if kept and (left[-1].when or left[-1].optional):
        return replace(goal, stages=(*left, Stage(kept)))
    return replace(goal, stages=(*left[:-1], replace(left[-1], conditions=(*kept, *left[-1].conditions))))


class Leave(Enum):
    """How a goal does without what cannot be met."""

    CONDITIONS = "conditions"
    """The conditions go, and stages without any."""
    CHOICES = "choices"
    """Only choices do without it, each part as a whole, if enough others are left."""
    AND_AFTER = "and_after"
    """The conditions go, and the stages after the first that lost one, as they wait for it."""


def about(names: AbstractSet[str]) -> Callable[[Statement], bool]:
    """Return the test whether a statement speaks of one of some objects."""
    return lambda statement: any({fact.subject, fact.object} & names for fact in facts_in(statement))


def without(goal: Goal, gone: Callable[[Statement], bool], leave: Leave = Leave.CONDITIONS) -> Goal:
    """Return a goal without what cannot be met.

    Args:
        gone: whether a fact, or a denial, cannot be met.
        leave: what goes with it.
    """
    def concerned(statement: Statement) -> bool:
        return any(map(concerned, statement.parts)) if isinstance(statement, Count) else gone(statement)

    def left(statement: Statement) -> Optional[Statement]:
        if not concerned(statement):
            return statement
        if not isinstance(statement, Count):
            return statement if leave is Leave.CHOICES else None
        parts = tuple(each for each in map(left, statement.parts) if each is not None)
        if leave is Leave.CHOICES:
            others = tuple(each for each in parts if not concerned(each))
            enough = statement.least <= len(others) and statement.least < len(parts)
            return replace(statement, parts=others if enough else parts)
        if statement.every:
            return all_of(*parts) if parts else None
        return replace(statement, parts=parts) if statement.least <= len(parts) else None

    def kept(statements: Tuple[Statement, ...]) -> Tuple[Statement, ...]:
        return tuple(each for each in map(left, statements) if each is not None)

    def staged(stages: Tuple[Stage, ...]) -> Tuple[Stage, ...]:
        return tuple(each for each in (replace(stage, conditions=kept(stage.conditions)) for stage in stages)
                     if each.conditions)

    if leave is Leave.AND_AFTER:
        first = next((at for at, stage in enumerate(goal.stages) if staged((stage,)) != (stage,)), len(goal.stages))
        return replace(goal, stages=staged(goal.stages[:first + 1]))
    return replace(goal, stages=staged(goal.stages), otherwise=staged(goal.otherwise),
                   invariants=kept(goal.invariants))


def _transient(statement: Statement, domain: Domain) -> bool:
    """Check whether a condition speaks of nothing that lasts."""
    predicates = [domain.predicates.get(fact.predicate) for fact in facts_in(statement)]
    return bool(predicates) and all(each is not None and each.transient for each in predicates)


def _supersedes(later: Statement, earlier: Statement, domain: Domain) -> bool:
    """Check whether a later condition changes what an earlier one made."""
    if later == earlier:
        return False
    if isinstance(later, Holds) and isinstance(earlier, Holds):
        placed = _placed(later.fact, domain)
        if placed and placed == _placed(earlier.fact, domain):
            return True
        if later.fact.predicate in undoing(earlier.fact.predicate, domain) \
                and later.fact.subject == earlier.fact.subject:
            return True
    return at_once((earlier, later), domain) is not None


def _placed(fact: Relation, domain: Domain) -> str:
    """Return what a fact says the place of: it is in a hand, or an action brings its item there; empty for others."""
    if fact.predicate == domain.roles.held:
        return fact.object
    brings = any(not effect.removes and effect.atom.predicate == fact.predicate and len(effect.atom.arguments) == 2
                 and effect.atom.arguments[0] == action.item_parameter
                 for action in domain.actions.values() for effect in action.effects)
    return fact.subject if brings else ""


def undoing(predicate: str, domain: Domain) -> FrozenSet[str]:
    """Return the predicates of one argument that an action makes as it removes this one of the same object."""
    found: Set[str] = set()
    for action in domain.actions.values():
        for removed in action.effects:
            if removed.removes and removed.atom.predicate == predicate and len(removed.atom.arguments) == 1:
                found.update(made.atom.predicate for made in action.effects
                             if not made.removes and made.atom.arguments == removed.atom.arguments)
    return frozenset(found)
