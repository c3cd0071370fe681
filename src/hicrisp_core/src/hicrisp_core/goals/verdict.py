"""The verdict on a goal, as the data of a Feedback: what is missing, or what a command would end."""

from __future__ import annotations

from typing import Iterable, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import Feedback, FeedbackKind, Level, WorldState
from hicrisp_core.model.goal import Goal, Statement, facts_in


def missed(goal: Goal, domain: Domain, world: WorldState) -> Optional[Feedback]:
    """The feedback for a goal that is not seen to hold in a world; ``None`` where it is.

    That a fact is not seen says nothing where the thing itself is not: a denial about a thing that is out of
    view is neither missing nor seen.
    """
    wanted = (*goal.end, *goal.keep)
    lacking = missing(wanted, world.relations, domain)
    if lacking:
        return Feedback(Level.HIGH, FeedbackKind.GOAL_MISSED, subjects=_things(lacking, world),
                        conditions=lacking)
    unseen = tuple(name for name in _things(wanted, world) if world.objects[name].unseen)
    if not unseen:
        return None
    doubtful = tuple(each for each in wanted if set(unseen).intersection(_things((each,), world)))
    return Feedback(Level.HIGH, FeedbackKind.GOAL_UNSEEN, subjects=unseen, conditions=doubtful)


def _things(statements: Iterable[Statement], world: WorldState) -> Tuple[str, ...]:
    """The things that statements are about, without repeats; those that nobody sees first."""
    named = dict.fromkeys(name for each in statements for fact in facts_in(each)
                          for name in (fact.subject, fact.object) if name in world.objects)
    return tuple(sorted(named, key=lambda name: not world.objects[name].unseen))
