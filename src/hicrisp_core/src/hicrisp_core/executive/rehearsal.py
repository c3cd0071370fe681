"""What cannot be undone is tried in simulation first: the domain's transition function is the simulator.

BrainBody-LLM (section 6) assumes that every error can be undone and leaves the others open: "incorporating simulators
into the planning loop". Here an irreversible command is carried out on the facts alone before anybody is asked for
leave: it must be able to run, and what it makes of the world must leave a way to each later step of the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import SearchLimits, find_commands, preconditions_of
from hicrisp_core.errors import DomainError
from hicrisp_core.model import Command, Feedback, Level, Status, Step, WorldState


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
        later: the steps after the command; the first that names no action ends the rehearsal, for its command is
            not known yet.
    """
    refusal = check(domain, command, world)
    if refusal is not None:
        return Rehearsal(refusal=refusal)
    after = apply_effects(domain, command, world)
    changes = (*domain.facts_text(after.relations - world.relations),
               *(domain.fact_text(fact, denied=True) for fact in sorted(world.relations - after.relations)))
    return Rehearsal(changes, _barred(domain, command, after, later, limits))


def _barred(
    domain: Domain, command: Command, state: WorldState, later: Sequence[Step], limits: Optional[SearchLimits]
) -> Optional[Feedback]:
    """The feedback for the first later step to which no way is left, if there is one."""
    for step in later:
        try:
            following = domain.ground(step, state, step.robot or command.robot)
        except DomainError:
            return None
        way = find_commands(domain, state, preconditions_of(domain, following), limits)
        if way is None:
            refusal, said = check(domain, following, state), domain.describe(following)
            return Feedback(
                Level.HIGH, Status.PRECONDITION.value,
                f"Cannot {domain.describe(command)}: it cannot be undone, and the plan could not {said} any more.",
                refusal.reason if refusal else "", f"First {said}, or leave it out.")
        for each in (*way, following):
            state = apply_effects(domain, each, state)
    return None
