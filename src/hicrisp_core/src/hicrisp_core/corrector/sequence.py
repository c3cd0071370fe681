"""The rung ``sequence``: CoPAL's mid-level planner, which inserts, substitutes or leaves out commands (section III-C).

It recovers what the logical checker stops, if the plan can go on afterwards as it was: "possibly get previous object",
"close container" (Table II). If what the repair ends cannot be made again beside what the command makes, as what a full
hand held, or if a motion failed, the model plans anew (Table III).
"""

from __future__ import annotations

from typing import Iterable, Tuple

from hicrisp_core.corrector.ladder import CorrectionContext, Ladder
from hicrisp_core.corrector.rungs import REPAIR
from hicrisp_core.domain import Conditions, Domain, Searcher, apply_effects
from hicrisp_core.goals.planning import conditions_of
from hicrisp_core.model import Command, FeedbackKind, GoalError, Holds, Relation, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.ports.brain import Usage
from hicrisp_core.ports.kinds import RungAnswer, RungKind
from hicrisp_core.time.deadline import Deadline

_LOGICAL = frozenset((FeedbackKind.PRECONDITION, FeedbackKind.OUT_OF_ORDER, FeedbackKind.NOT_DUE, FeedbackKind.UNDONE,
                      FeedbackKind.OMITTED))
"""Failures of the sequence of commands, found without a motion."""


class SequenceRung(RungKind):
    """Repairs the sequence of commands, and leaves everything else to the model."""

    def answer(self, ladder: Ladder, question: CorrectionContext, deadline: Deadline) -> RungAnswer:
        if question.top.feedback.kind not in _LOGICAL:
            return None, Usage()
        found, usage = REPAIR.answer(ladder, question, deadline)
        if found is None or not found.commands:
            return found, usage
        last = found.commands[-1] if found.drop else question.top.command
        before = found.commands[:-1] if found.drop else found.commands
        goes_on = recoverable(question.searcher, question.asked.world, before, last, ladder.policy.search, deadline)
        return (found if goes_on else None), usage


def recoverable(
    searcher: Searcher, world: WorldState, inserted: Tuple[Command, ...], command: Command, limits: SearchLimits,
    deadline: Deadline,
) -> bool:
    """Check whether what inserted commands end can be made again after the command that they are for.

    Args:
        searcher: searches the domain.
        world: observed objects, robots and facts; poses in the world frame.
        inserted: the commands before it.
        command: the command that can run after them.
        limits: how far to look.
        deadline: wall-clock limit of the call.

    Returns:
        True if commands that can be undone make it again and keep what the command makes.
    """
    domain, state = searcher.domain, world
    for each in inserted:
        state = apply_effects(domain, each, state)
    after = apply_effects(domain, command, state)
    ended = world.relations - after.relations - (world.relations - apply_effects(domain, command, world).relations)
    makes = {effect.atom.predicate for action in domain.actions.values() for effect in action.effects
             if not effect.removes}
    again = _conditions((fact for fact in ended if fact.predicate in makes), domain)
    keep = _conditions(after.relations - state.relations, domain)
    return not again or searcher.find(after, again, limits, deadline, undoable=True, keep=keep).found


def _conditions(facts: Iterable[Relation], domain: Domain) -> Conditions:
    found = conditions_of(map(Holds, sorted(facts)), domain)
    return () if isinstance(found, GoalError) else found


SEQUENCE = SequenceRung()
