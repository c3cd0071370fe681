"""Which steps may begin: a plan's steps, what each waits for, and what became of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from enum import Enum
from typing import Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

from hicrisp_core.domain.schema import Domain, apply_effects
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.stages import applies, chosen
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import Step, WorldState
from hicrisp_core.model.goal import Goal

log = logging.getLogger(__name__)


class StepState(Enum):
    """Where a step stands."""

    WAITING = "waiting"
    """Not begun."""
    RUNNING = "running"
    """Begun and not ended."""
    DONE = "done"
    """Carried out."""
    LEFT = "left"
    """Given up or replaced by a new plan; what waits for it goes on all the same."""
    FAILED = "failed"
    """Given up; what waits for it is never begun."""


_OPEN = (StepState.WAITING, StepState.RUNNING)
_PASSABLE = (StepState.DONE, StepState.LEFT)


@dataclass
class _Entry:
    step: Step
    after: FrozenSet[int]
    state: StepState = StepState.WAITING
    begun: bool = False


class Schedule:
    """Steps by their index, which they keep; those of a new plan get indices of their own.

    A step whose ``after`` is ``None`` waits for the step before it. One thread writes, any may read.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._entries: Dict[int, _Entry] = {}
        self._dropped: Dict[int, Step] = {}
        """Steps that are forgotten: a thread that has read their indices may still ask for them."""
        self.add(steps)

    def add(self, steps: Sequence[Step], before: Sequence[int] = ()) -> int:
        """Append steps; returns the index of the first.

        Args:
            before: the indices here of the steps that stand before the new ones where their ``after`` counts
                them.
        """
        first = max((*self._entries, *self._dropped), default=-1) + 1
        places = [*before, *range(first, first + len(steps))]
        for index, step in enumerate(steps, first):
            waits = (index - 1,) if step.after is None else tuple(places[earlier] for earlier in step.after)
            self._entries[index] = _Entry(step, frozenset(waits).intersection(self._entries))
        return first

    def step(self, index: int) -> Step:
        """The step of that index, also after it was forgotten."""
        entry = self._entries.get(index)
        return entry.step if entry is not None else self._dropped[index]

    def ready(self) -> List[int]:
        """The steps that may begin now, in the plan's order; of one robot one at a time."""
        busy: Set[str] = {entry.step.robot for entry in self._entries.values()
                          if entry.state is StepState.RUNNING}
        found: List[int] = []
        for index, entry in sorted(self._entries.items()):
            free = entry.state is StepState.WAITING and all(
                self._entries[earlier].state in _PASSABLE for earlier in entry.after)
            if free and entry.step.robot not in busy:
                busy.add(entry.step.robot)
                found.append(index)
        return found

    def begin(self, index: int) -> None:
        """A step is under way from now on."""
        self._entries[index].state = StepState.RUNNING
        self._entries[index].begun = True

    def end(self, index: int, state: StepState) -> None:
        """A step has ended."""
        self._entries[index].state = state

    def reopen(self, index: int) -> None:
        """A step that was begun and not carried out may begin again."""
        self._entries[index].state = StepState.WAITING

    def part(self, index: int) -> Tuple[int, ...]:
        """A step and those not begun that wait for it, directly or through others."""
        found = [index]
        for later, entry in sorted(self._entries.items()):
            if entry.state is StepState.WAITING and entry.after.intersection(found) and later != index:
                found.append(later)
        return tuple(found)

    def drop(self, indices: Sequence[int]) -> None:
        """Forget steps that wait: a new plan stands for them. One that was begun and opened again is left."""
        for index in indices:
            entry = self._entries[index]
            if entry.state is StepState.WAITING and entry.begun:
                entry.state = StepState.LEFT
            elif entry.state is StepState.WAITING:
                self._dropped[index] = entry.step
                del self._entries[index]

    def indices(self, *states: StepState) -> Tuple[int, ...]:
        """The steps in any of some states; without states, those that have not ended."""
        return tuple(index for index, entry in sorted(self._entries.items())
                     if entry.state in (states or _OPEN))


def in_stages(steps: Sequence[Step], goal: Optional[Goal], domain: Domain, world: WorldState) -> Tuple[Step, ...]:
    """Return the steps of a plan; those of a later stage wait for all steps before it.

    Args:
        world: in which the plan begins; its stages are reached as the effects of the steps say.
    """
    worlds = [world]
    for step in steps:
        try:
            world = apply_effects(domain, domain.ground(step, world, step.robot), world)
        except DomainError:
            log.debug("no effects are known of '%s'", step)
        worlds.append(world)
    begins: List[int] = [0]
    for stage in chosen(goal, worlds[0].relations, domain).stages if goal is not None else ():
        if applies(stage, worlds[begins[-1]].relations, domain):
            reached = (index for index, each in enumerate(worlds) if index >= begins[-1]
                       and not missing(stage.conditions, each.relations, domain))
            begins.append(next(reached, begins[-1]))
    waits = (max(begin for begin in begins if begin <= index) for index in range(len(steps)))
    return tuple(replace(step, after=(*(step.after or ()), *range(begin))) if begin else step
                 for step, begin in zip(steps, waits))
