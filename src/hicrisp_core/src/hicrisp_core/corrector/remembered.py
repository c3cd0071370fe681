"""The rung ``memory``: a correction that worked in an earlier run, where it fits this failure, too.

A remembered correction is only a proposal, whatever its source. It is rehearsed on the facts first: the logical
checker must let each command pass, all of them must be undoable, the failed command must be possible after
them, and nothing that the task has made or wants kept may be gone in the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple

from hicrisp_core.domain import Domain, apply_effects, check
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.truth import guard
from hicrisp_core.model import Command, Correction, KnownWay, Maker, MakerKind, Rung, WorldState
from hicrisp_core.ports.brain import Usage
from hicrisp_core.ports.corrector import CorrectorRequest
from hicrisp_core.ports.kinds import RungAnswer, RungKind
from hicrisp_core.time.deadline import Deadline

if TYPE_CHECKING:
    from hicrisp_core.corrector.ladder import CorrectionContext, Ladder


def fitting(way: KnownWay, request: CorrectorRequest, domain: Domain) -> Optional[Tuple[Command, ...]]:
    """Apply a remembered correction to the current failure.

    Args:
        way: the remembered steps.
        request: the feedback stack and the world.
        domain: types, predicates and actions of the application.

    Returns:
        Its commands; ``None`` if they do not fit.
    """
    failed = request.stack[-1].command
    if failed.action not in domain.actions or not way.steps:
        return None
    commands: List[Command] = []
    state = request.world
    for step in way.steps:
        try:
            command = domain.ground(step, state, failed.robot)
        except DomainError:
            return None
        if not domain.actions[command.action].reversible or not _may_run(command, state, request, domain):
            return None
        commands.append(command)
        state = apply_effects(domain, command, state)
    if not way.instead:
        if not _may_run(failed, state, request, domain):
            return None
        state = apply_effects(domain, failed, state)
    else:  # The last command must do what the failed one should, with another object only where any will do.
        instead, action = commands[-1], domain.actions[failed.action]
        fixed = [name for name, parameter in action.parameters.items() if not parameter.any]
        if instead.action != failed.action or any(instead.argument(name) != failed.argument(name) for name in fixed):
            return None
    passing = {name for name, predicate in domain.predicates.items() if predicate.transient}
    lost = (request.made & request.world.relations) - state.relations  # Of what the finished steps made.
    return None if any(fact.predicate not in passing for fact in lost) else tuple(commands)


def _may_run(command: Command, state: WorldState, request: CorrectorRequest, domain: Domain) -> bool:
    kept = () if request.goal is None else request.goal.invariants
    return check(domain, command, state) is None and guard(kept, domain, command, state) is None


class MemoryRung(RungKind):
    """Proposes what worked in an earlier run, where it fits this failure."""

    def answer(self, ladder: "Ladder", question: "CorrectionContext", _: Deadline) -> RungAnswer:
        for way in question.asked.known:
            commands = fitting(way, question.asked, ladder.domain)
            if commands is not None:
                times = "once" if way.times == 1 else f"{way.times} times"
                return Correction(Rung.MEMORY, commands, drop=way.instead, maker=Maker(MakerKind.MEMORY, way.id),
                                  note=f"it worked {times} in earlier runs"), Usage()
        return None, Usage()


MEMORY = MemoryRung()
