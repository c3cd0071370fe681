"""What runs at once: steps that may begin, the next one prepared beside a motion, commands that keep out of each
other's way.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from threading import Condition, Event, Lock, Thread
from typing import Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

from hicrisp_core.domain import Domain, apply_effects, spoken
from hicrisp_core.domain.interference import interfere, touch_of
from hicrisp_core.errors import DomainError
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.goals.stages import applies, chosen
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import Command, Goal, Step, WorldState
from hicrisp_core.ports.body import Body, Foresight
from hicrisp_core.ports.brain import Usage
from hicrisp_core.time.deadline import Deadline

log = logging.getLogger(__name__)
_LIMIT = 60.0
"""Wall seconds for one translation."""
_SLICE = 0.05
"""Wall seconds between two looks whether the task was canceled."""


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
            state: how it ended; waiting if it was started and not carried out.
        """
        self._entries[index].state = state

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


def said_of(step: Step) -> str:
    """Return a step as a sentence for people, its action and arguments without one."""
    return spoken(step.text) or str(step)


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


class LookAhead:
    """Asks a body for a step before its turn, in a thread of its own.

    Args:
        on: whether it does anything.
    """

    def __init__(self, body: Body, domain: Domain, ledger: RunLog, on: bool) -> None:
        self._body = body if on and isinstance(body, Foresight) else None
        self._domain = domain
        self._ledger = ledger
        self._lock = Lock()
        self._asking: List[Thread] = []
        self._closed = False

    def begin(self, step: Step, world: WorldState, commands: Tuple[Command, ...]) -> None:
        """Prepare a step in the background while commands are carried out.

        Args:
            step: the next step.
            world: the current world.
            commands: running commands; the step is prepared for the world after them.
        """
        body = self._body
        if body is None or not commands or self._asking:
            return
        for command in commands:
            if command.action in self._domain.actions:
                world = apply_effects(self._domain, command, world)
        thread = Thread(target=self._ask, args=(body, step, world), name="look ahead", daemon=True)
        with self._lock:
            self._asking.append(thread)
        thread.start()

    def close(self) -> None:
        """End the preparation; a request that is still running counts as one call."""
        with self._lock:
            open_, self._closed = len(self._asking), True
        if open_:
            self._ledger.used(Usage(calls=open_))

    def _ask(self, body: Foresight, step: Step, world: WorldState) -> None:
        usage = Usage()
        try:
            usage = body.prepare(step, world, Deadline(_LIMIT))
        finally:
            with self._lock:
                self._asking.clear()
                told = not self._closed
            if told:
                self._ledger.used(usage)


@dataclass
class Passage:
    """A command that is under way, and the world as it was when it began."""

    domain: Domain
    command: Command
    before: Optional[WorldState] = None

    @property
    def moving(self) -> FrozenSet[str]:
        """The robot, the objects that the command moves, and what stands on either: all that may be observed
        in motion.
        """
        found: Set[str] = {self.command.robot, self.domain.item(self.command)} - {""}
        roles = self.domain.roles
        facts = self.before.relations if self.before else frozenset()
        more = found
        while more:
            more = {fact.subject for fact in facts if fact.predicate in roles.carries
                    and fact.object in found}
            more |= {held for held, holder in roles.holders(facts).items() if holder in found}
            more -= found
            found |= more
        return frozenset(found)


class Traffic:
    """The commands that are under way, of all robots."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._under_way: List[Passage] = []
        self._changed = Condition()

    @contextmanager
    def passage(self, command: Command, cancel: Event) -> Iterator[Passage]:
        """Provide the context in which a command is registered as running.

        Waits for running commands that it would interfere with, unless it is canceled.

        Args:
            command: the action with its arguments and constraints.
            cancel: event that stops the call when it is set.

        Yields:
            The registration, for :meth:`observe`.
        """
        mine = Passage(self._domain, command)
        with self._changed:
            while not cancel.is_set() and any(interfere(self._domain, other.command, command)
                                              for other in self._under_way):
                self._changed.wait(_SLICE)
            self._under_way.append(mine)
        try:
            yield mine
        finally:
            with self._changed:
                self._under_way.remove(mine)
                self._changed.notify_all()

    def observe(
        self, mine: Optional[Passage], look: Callable[[Callable[[], FrozenSet[str]]], WorldState]
    ) -> WorldState:
        """Return the observed world, with facts about the objects that other robots handle as they were when
        their commands started.

        Intermediate states of others are neither a result nor a disturbance: an area that a base passes was not
        visited, and what an arm carries past an object is not next to it. Facts that the own command makes or
        removes are always returned as observed.

        Args:
            mine: the own running command; may be ``None``.
            look: observes; gets a function that returns the facts in motion at that moment.

        Returns:
            The world.
        """
        before = self._others(mine)
        world = look(lambda: frozenset().union(*(other.moving for other in self._others(mine))))
        others = {id(other): other for other in (*before, *self._others(mine))}.values()
        own = touch_of(self._domain, mine.command) if mine is not None else None
        for other in others:
            was, moving = other.before.relations if other.before else frozenset(), other.moving
            back = frozenset(fact for fact in world.relations | was if (fact.subject in moving or fact.object in moving)
                             and (own is None or not own.writes(fact)))
            world = world.with_relations(world.relations - back | was & back)
        return world

    def _others(self, mine: Optional[Passage]) -> List[Passage]:
        with self._changed:
            return [other for other in self._under_way if other is not mine and other.before is not None]
