"""The verdict on a goal, as the data of a Feedback: what is missing, or what a command would end or did end."""

from __future__ import annotations

from typing import Callable, Iterable, Optional, Tuple

from hicrisp_core.domain.checker import no_picture
from hicrisp_core.domain.schema import Domain, apply_effects
from hicrisp_core.goals.stages import final_conditions
from hicrisp_core.goals.truth import holds, missing, ways_to_say
from hicrisp_core.model import Cause, Command, Feedback, FeedbackKind, Level, Relation, Unmet, WorldState
from hicrisp_core.model.goal import Goal, Statement, facts_in

Doubt = Callable[[Relation, WorldState], Optional[Cause]]
"""Says why a world does not show whether a fact holds."""


def certain(_: Relation, __: WorldState) -> Optional[Cause]:
    """Nothing is in doubt."""
    return None


def missed(goal: Goal, domain: Domain, world: WorldState, doubt: Doubt = certain) -> Optional[Feedback]:
    """The feedback for a goal that is not seen to hold in a world; ``None`` where it is.

    That a fact is not seen says nothing where the thing itself is not: a denial about a thing that is out of
    view is neither missing nor seen. Nor is what the view leaves in doubt.
    """
    wanted = final_conditions(goal, domain)
    lacking = missing(wanted, world.relations, domain)
    if lacking:
        return Feedback(Level.HIGH, FeedbackKind.GOAL_MISSED, subjects=_things(lacking, world),
                        conditions=lacking)
    unseen = tuple(name for name in _things(wanted, world) if world.objects[name].unseen)
    if not unseen:
        return _doubted(wanted, domain, world, doubt)
    doubtful = tuple(each for each in wanted if set(unseen).intersection(_things((each,), world)))
    return Feedback(Level.HIGH, FeedbackKind.GOAL_UNSEEN, subjects=unseen, conditions=doubtful,
                    cause=no_picture(world))


def _doubted(
    wanted: Tuple[Statement, ...], domain: Domain, world: WorldState, doubt: Doubt
) -> Optional[Feedback]:
    """The feedback for a condition that seems to hold, but may not as far as the view shows."""
    for statement in wanted:
        causes = {fact: cause for fact in facts_in(statement)
                  for cause in (doubt(fact, world),) if cause is not None}
        said = frozenset(way for fact in causes for way in ways_to_say(fact, domain))
        if not causes or all(holds(statement, facts, domain)
                             for facts in (world.relations - said, world.relations | said)):
            continue
        cause = next(iter(causes.values()))
        return Feedback(Level.HIGH, FeedbackKind.GOAL_UNSEEN, subjects=cause.names, conditions=(statement,),
                        cause=cause, unmet=tuple(Unmet((fact,)) for fact in causes))
    return None


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
    """The statements that hold before and not after."""
    return tuple(each for each in keep if holds(each, before.relations, domain)
                 and not holds(each, after.relations, domain))


def breaking(command: Command, ended: Tuple[Statement, ...]) -> Optional[Feedback]:
    """The feedback for a command that would end what is to stay so; ``None`` where it ends nothing."""
    return Feedback(Level.HIGH, FeedbackKind.BREAKS_CONDITION, command, conditions=ended) if ended else None
