"""Which steps may begin: a plan's steps, what each waits for, and what became of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from enum import Enum
from typing import Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
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
        """Append steps.

        Args:
            steps: the steps, with ``after`` relative to ``before`` and the steps themselves.
            before: indices of the scheduled steps that precede the new ones in the numbering of their
                ``after``.

        Returns:
            The index of the first new step.
        """
        first = max((*self._entries, *self._dropped), default=-1) + 1
        places = [*before, *range(first, first + len(steps))]
        for index, step in enumerate(steps, first):
            waits = (index - 1,) if step.after is None else tuple(places[earlier] for earlier in step.after)
            self._entries[index] = _Entry(step, frozenset(waits).intersection(self._entries))
        return first

    def step(self, index: int) -> Step:
        """Return a step, also after it was dropped.

        Args:
            index: its index.

        Returns:
            The step.

        Raises:
            KeyError: for an unknown index.
        """
        entry = self._entries.get(index)
        return entry.step if entry is not None else self._dropped[index]

    def ready(self) -> List[int]:
        """Return the steps that may start now, at most one for each robot.

        Returns:
            Indices in the order of the plan.
        """
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
        """Mark a step as running.

        Args:
            index: its index.
        """
        self._entries[index].state = StepState.RUNNING
        self._entries[index].begun = True

    def end(self, index: int, state: StepState) -> None:
        """Mark a step as ended.

        Args:
            index: its index.
            state: how it ended.
        """
        self._entries[index].state = state

    def reopen(self, index: int) -> None:
        """Mark a step that was started and not carried out as waiting.

        Args:
            index: its index.
        """
        self._entries[index].state = StepState.WAITING

    def part(self, index: int) -> Tuple[int, ...]:
        """Return a step and the waiting steps that depend on it, directly or indirectly.

        Args:
            index: its index.

        Returns:
            The indices, in order.
        """
        found = [index]
        for later, entry in sorted(self._entries.items()):
            if entry.state is StepState.WAITING and entry.after.intersection(found) and later != index:
                found.append(later)
        return tuple(found)

    def drop(self, indices: Sequence[int]) -> None:
        """Drop waiting steps that a new plan replaces; a reopened step is marked as left instead.

        Args:
            indices: the steps.
        """
        for index in indices:
            entry = self._entries[index]
            if entry.state is StepState.WAITING and entry.begun:
                entry.state = StepState.LEFT
            elif entry.state is StepState.WAITING:
                self._dropped[index] = entry.step
                del self._entries[index]

    def indices(self, *states: StepState) -> Tuple[int, ...]:
        """Return the steps in any of some states.

        Args:
            *states: the states; by default those of steps that have not ended.

        Returns:
            The indices, in order.
        """
        return tuple(index for index, entry in sorted(self._entries.items())
                     if entry.state in (states or _OPEN))


def in_stages(steps: Sequence[Step], goal: Optional[Goal], domain: Domain, world: WorldState) -> Tuple[Step, ...]:
    """Add dependencies to a plan: steps of a later stage wait for all steps before it.

    Args:
        steps: the plan.
        goal: its goal; ``None`` adds nothing.
        domain: types, predicates and actions of the application.
        world: the world before the first step; the effects of the steps tell when a stage is reached.

    Returns:
        The steps.
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
