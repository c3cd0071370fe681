"""What nobody can tell is not so for those who look for commands: they make it anew, where it is seen."""

from __future__ import annotations

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import ways_to_say
from hicrisp_core.model import Feedback, FeedbackKind, WorldState

_DOUBTS = (FeedbackKind.CANNOT_TELL, FeedbackKind.GOAL_UNSEEN)


def without_doubtful(world: WorldState, failed: Feedback, domain: Domain) -> WorldState:
    """The world without the facts of which a failure says that the view does not show them."""
    if failed.kind not in _DOUBTS:
        return world
    doubtful = {way for unmet in failed.unmet if not unmet.negated
                for fact in unmet.facts for way in ways_to_say(fact, domain)}
    return world.with_relations(world.relations - doubtful)
