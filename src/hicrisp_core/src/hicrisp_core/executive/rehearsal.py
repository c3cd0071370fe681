"""What cannot be undone is tried in simulation first: the domain's transition function is the simulator.

BrainBody-LLM (section 6) assumes that every error can be undone and leaves the others open: "incorporating simulators
into the planning loop". Here an irreversible command is carried out on the facts alone before anybody is asked for
leave: it must be able to run, and it must not take the way to a later step of the plan that there is without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import find_commands, preconditions_of
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, Step, WorldState
from hicrisp_core.policy.search_limits import SearchLimits


@dataclass(frozen=True)
class Rehearsal:
    """What a command made of the facts, as sentences, or why it should not be carried out."""

    changes: Tuple[str, ...] = ()
    refusal: Optional[Feedback] = None


def rehearse(
    domain: Domain, command: Command, world: WorldState, later: Sequence[Step] = (),
    limits: Optional[SearchLimits] = None,
) -> Rehearsal:
    """Carry out a command and then the plan's later steps on the facts; nothing moves.

    Args:
        later: the steps after the command; the first that is only words ends the rehearsal, for its command is not
            known yet.
    """
    refusal = check(domain, command, world)
    if refusal is not None:
        return Rehearsal(refusal=refusal)
    after = apply_effects(domain, command, world)
    changes = (*domain.facts_text(after.relations - world.relations),
               *(domain.fact_text(fact, denied=True) for fact in sorted(world.relations - after.relations)))
    return Rehearsal(changes, _barred(domain, command, after, world, later, limits))


def _barred(
    domain: Domain, command: Command, with_: WorldState, without: WorldState, later: Sequence[Step],
    limits: Optional[SearchLimits],
) -> Optional[Feedback]:
    """The feedback for the first later step that the command takes the way to, if there is one.

    The later steps are followed with the command and without it: a step that has no way in either is wrong by itself,
    and is refused when its turn comes.
    """
    for step in later:
        try:
            following = domain.ground(step, with_, step.robot or command.robot)
        except DomainError:
            if not step.action:
                return None
            continue
        after = _after(domain, following, with_, limits)
        if after is None and _after(domain, following, without, limits) is not None:
            refusal = check(domain, following, with_)
            later_step = Step(step.text, following.action, following.arguments, following.robot)
            return Feedback(Level.HIGH, FeedbackKind.BARS_LATER_STEP, command, later_step,
                            unmet=refusal.unmet if refusal is not None else ())
        with_ = after or with_
        without = _after(domain, following, without, limits) or without
    return None


def _after(
    domain: Domain, command: Command, state: WorldState, limits: Optional[SearchLimits]
) -> Optional[WorldState]:
    """The facts after a command and what must come before it; nothing when there is no way to it."""
    before = find_commands(domain, state, preconditions_of(domain, command), limits)
    if before is None:
        return None
    for each in (*before, command):
        state = apply_effects(domain, each, state)
    return state
