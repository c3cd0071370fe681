"""What cannot be undone is tried in simulation first: the domain's transition function is the simulator.

BrainBody-LLM (section 6) assumes that every error can be undone and leaves the others open: "incorporating
simulators into the planning loop". Here an irreversible command is carried out on the facts alone before
anybody is asked for leave: it must be able to run, and it must not take the way to a later step of the plan
that there is without it. Ways to later steps use only actions that can be undone, as every repair does:
nobody asked for others.

A rehearsal that runs out of time refuses nothing, for nothing speaks against the command; but nor does
anything show that the plan can go on after it. A person decides that: the request for approval says what is
not known, and it is made under full autonomy too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple, Union

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.search import Ending, Searcher, preconditions_of
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Step, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class Rehearsal:
    """What a command made of the facts, as sentences, or why it should not be carried out.

    Args:
        doubt: what is not known of it because time ran out, as a sentence; empty if all later steps were
            followed.
    """

    changes: Tuple[str, ...] = ()
    refusal: Optional[Feedback] = None
    doubt: str = ""


def rehearse(
    searcher: Searcher, command: Command, world: WorldState, later: Sequence[Step],
    limits: SearchLimits, deadline: Deadline,
) -> Rehearsal:
    """Apply a command and then the plan's later steps to the facts; nothing moves.

    Args:
        searcher: searches the domain.
        command: the action with its arguments and constraints.
        world: observed objects, robots and facts; poses in the world frame.
        later: the steps after the command; the first one in free words ends the rehearsal, since its command is
            not known yet.
        limits: of each search on the way; its seconds cover the whole rehearsal.
        deadline: wall-clock limit of the call.

    Returns:
        The changes as sentences, or the refusal; with a doubt if time ran out.
    """
    domain = searcher.domain
    refusal = check(domain, command, world)
    if refusal is not None:
        return Rehearsal(refusal=refusal)
    after = apply_effects(domain, command, world)
    changes = (*domain.facts_text(after.relations - world.relations),
               *(domain.fact_text(fact, denied=True) for fact in sorted(world.relations - after.relations)))
    barred = _barred(searcher, command, after, world, later, limits, limits.deadline(deadline))
    return Rehearsal(changes, doubt=barred) if isinstance(barred, str) else Rehearsal(changes, barred)


def _barred(
    searcher: Searcher, command: Command, with_: WorldState, without: WorldState, later: Sequence[Step],
    limits: SearchLimits, deadline: Deadline,
) -> Union[Feedback, str, None]:
    """Return the feedback for the first later step that the command takes the way to, if there is one; or the
    doubt.

    The later steps are followed with the command and without it: a step that has no way in either is wrong by
    itself, and is refused when its turn comes.
    """
    domain = searcher.domain
    for step in later:
        try:
            following = domain.ground(step, with_, step.robot or command.robot)
        except DomainError:
            if not step.action:
                return None
            continue
        after = _after(searcher, following, with_, limits, deadline)
        otherwise = _after(searcher, following, without, limits, deadline)
        if Ending.OUT_OF_TIME in (after, otherwise):
            return f"It is not known whether the robot can still {domain.describe(following)} afterwards: " \
                   f"the search ran out of time."
        if after is Ending.NO_WAY and isinstance(otherwise, WorldState):
            refusal = check(domain, following, with_)
            later_step = Step(step.text, following.action, following.arguments, following.robot)
            return Feedback(Level.HIGH, FeedbackKind.BARS_LATER_STEP, command, later_step,
                            unmet=refusal.unmet if refusal is not None else ())
        with_ = after if isinstance(after, WorldState) else with_
        without = otherwise if isinstance(otherwise, WorldState) else without
    return None


def _after(
    searcher: Searcher, command: Command, state: WorldState, limits: SearchLimits, deadline: Deadline
) -> Union[WorldState, Ending]:
    """Return the facts after a command and what must come before it, or why there are none."""
    before = searcher.find(state, preconditions_of(searcher.domain, command), limits, deadline, undoable=True)
    if not before.found:
        return before.ending
    for each in (*before.commands, command):
        state = apply_effects(searcher.domain, each, state)
    return state
