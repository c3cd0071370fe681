"""The guard of what is to stay so on the way: would a command end it, and did one?"""

from __future__ import annotations

from typing import Iterable, Optional, Tuple

from hicrisp_core.domain.schema import Domain, apply_effects
from hicrisp_core.goals.truth import holds, truth, unknown_in
from hicrisp_core.model import Command, Feedback, FeedbackKind, Level, WorldState
from hicrisp_core.model.goal import Statement


def guard(
    keep: Iterable[Statement], domain: Domain, command: Command, world: WorldState
) -> Optional[Feedback]:
    """Why a command may not run: by the domain's effects it would end what is to stay so; ``None`` where it
    may.

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
