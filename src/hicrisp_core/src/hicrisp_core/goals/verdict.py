"""The verdict on a goal, as the data of a Feedback: what is missing, or what a command would end or did end."""

from __future__ import annotations

from typing import Callable, Iterable, Optional, Tuple

from hicrisp_core.domain.checker import no_picture
from hicrisp_core.domain.schema import Domain, apply_effects
from hicrisp_core.goals.stages import final_conditions
from hicrisp_core.goals.truth import holds, missing, truth, unknown_in
from hicrisp_core.model import Cause, Command, Feedback, FeedbackKind, Level, Relation, Unmet, WorldState
from hicrisp_core.model.goal import Goal, Statement, facts_in

Doubt = Callable[[Relation, WorldState], Optional[Cause]]
"""Says why a world does not show whether a fact holds."""


def certain(_: Relation, __: WorldState) -> Optional[Cause]:
    """Nothing is in doubt."""
    return None


def missed(goal: Goal, domain: Domain, world: WorldState, doubt: Doubt = certain) -> Optional[Feedback]:
    """The feedback for a goal that is not seen to hold in a world; ``None`` where it is.

    That a fact is not seen says nothing where the thing itself is not: a condition that depends on what is out of
    view, or what the view leaves in doubt, is neither missing nor seen.
    """
    unseen = {each.name for each in world.unseen}

    def unknown(fact: Relation) -> bool:
        return not unseen.isdisjoint((fact.subject, fact.object)) or doubt(fact, world) is not None

    lacking = missing(final_conditions(goal, domain), world.relations, domain, unknown)
    false = tuple(each for each in lacking if truth(each, world.relations, domain, unknown) is False)
    if false or not lacking:
        return Feedback(Level.HIGH, FeedbackKind.GOAL_MISSED, subjects=_things(false, world),
                        conditions=false) if false else None
    lost = tuple(name for name in _things(lacking, world) if name in unseen)
    if lost:
        return Feedback(Level.HIGH, FeedbackKind.GOAL_UNSEEN, subjects=lost, conditions=lacking,
                        cause=no_picture(world))
    causes = {fact: cause for fact in facts_in(lacking[0]) for cause in (doubt(fact, world),) if cause is not None}
    cause = next(iter(causes.values()))
    return Feedback(Level.HIGH, FeedbackKind.GOAL_UNSEEN, subjects=cause.names or _things(lacking[:1], world),
                    conditions=lacking[:1], cause=cause,
                    unmet=tuple(Unmet((fact,)) for fact in causes))


def _things(statements: Iterable[Statement], world: WorldState) -> Tuple[str, ...]:
    """The things that statements are about, without repeats; those that nobody sees first."""
    named = dict.fromkeys(name for each in statements for fact in facts_in(each)
                          for name in (fact.subject, fact.object) if name in world.objects)
    return tuple(sorted(named, key=lambda name: not world.objects[name].unseen))


def guard(
    keep: Iterable[Statement], domain: Domain, command: Command, world: WorldState
) -> Optional[Feedback]:
    """Why a command may not run: by the domain's effects it would end what is to stay so; ``None`` where it may.

    What does not hold now cannot be ended; that it holds in the end is the goal's matter.
    """
    kept = tuple(keep)
    if not kept or command.action not in domain.actions:
        return None
    return breaking(command, ended_by(kept, domain, world, apply_effects(domain, command, world)))


def ended_by(
    keep: Iterable[Statement], domain: Domain, before: WorldState, after: WorldState
) -> Tuple[Statement, ...]:
    """The statements that hold before and are false after; what is not seen any more is not false."""
    return tuple(each for each in keep if holds(each, before.relations, domain)
                 and truth(each, after.relations, domain, unknown_in(after, domain)) is False)


def breaking(command: Command, ended: Tuple[Statement, ...]) -> Optional[Feedback]:
    """The feedback for a command that would end what is to stay so; ``None`` where it ends nothing."""
    return Feedback(Level.HIGH, FeedbackKind.BREAKS_CONDITION, command, conditions=ended) if ended else None
