"""The verifier of goals: what no robot here can bring about is found before anything is planned.

It looks at the goal alone, never at the user's words.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional, Tuple

from hicrisp_core.domain import Domain, sentence
from hicrisp_core.goals.stages import chosen
from hicrisp_core.goals.truth import holds
from hicrisp_core.goals.validation import check_goal
from hicrisp_core.model import Reason, Refusal, Relation, WorldState
from hicrisp_core.model.goal import Goal, GoalError, GoalErrorKind, Holds, Not, Statement

_REASONS = {GoalErrorKind.NAME: Reason.UNKNOWN_OBJECT, GoalErrorKind.EMPTY: Reason.NOTHING_TO_DO}


class Made(NamedTuple):
    """A fact that an action makes, by the types of what it is said of; empty for any."""

    predicate: str
    types: Tuple[str, ...]

    def fits(self, fact: Relation, domain: Domain, world: WorldState) -> bool:
        """Check whether the action may make a fact of these objects."""
        known = world.types()
        return self.predicate == fact.predicate and all(
            not type_ or name not in known or domain.is_a(known[name], type_)
            for name, type_ in zip((fact.subject, fact.object), self.types))


def refusal_of(misfit: GoalError) -> Refusal:
    """Return the refusal of a goal that does not fit."""
    return Refusal(_REASONS.get(misfit.kind, Reason.IMPOSSIBLE), sentence(str(misfit)))


def verify(goal: Goal, domain: Domain, world: WorldState) -> Optional[GoalError]:
    """Check names, types, robots, contradictions, and that an action leads to each fact that does not hold: with such
    objects, as far as their types tell.

    Returns:
        What is wrong first; ``None`` if nothing is.
    """
    misfit = check_goal(goal, domain, world)
    if misfit is not None:
        return misfit
    made = tuple(_made(domain))
    asked = (each for stage in chosen(goal, world.relations, domain).stages if not stage.optional
             for each in stage.conditions)
    never = next(filter(None, (_never(each, made, domain, world) for each in asked)), None)
    return GoalError(GoalErrorKind.PREDICATE, f"no action here makes '{never}' true", str(never)) if never else None


def _made(domain: Domain) -> Iterator[Made]:
    for action in domain.actions.values():
        for atom in (effect.atom for effect in action.effects if not effect.removes):
            types = tuple(action.parameters[each].type if each in action.parameters else "" for each in atom.arguments)
            yield Made(atom.predicate, types)
            known = domain.predicates.get(atom.predicate)
            if known is not None and known.inverse:
                yield Made(known.inverse, types[::-1])


def _never(statement: Statement, made: Tuple[Made, ...], domain: Domain, world: WorldState) -> Optional[Statement]:
    """The part that no action makes; ``None`` if there is none or there is a choice."""
    if holds(statement, world.relations, domain) or isinstance(statement, Not):
        return None
    if isinstance(statement, Holds):
        return None if any(each.fits(statement.fact, domain, world) for each in made) else statement
    vain = [never for part in statement.parts for never in (_never(part, made, domain, world),) if never]
    return vain[0] if vain and len(statement.parts) - len(vain) < statement.least else None
