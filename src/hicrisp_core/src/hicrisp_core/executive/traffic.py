"""Commands of several robots at once: none begins beside one that it may disturb, none sees unfinished work
as done.

A correction may command any robot, whatever the plan says; so the same test by which a plan is ordered stands
before every single command.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Event
from typing import Callable, FrozenSet, Iterator, List, Optional, Set

from hicrisp_core.domain.interference import Touch, interfere, touch_of
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Command, Relation, WorldState

_SLICE = 0.05
"""Wall seconds between two looks whether the task was canceled."""


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
            world = _as_it_was(world, other, own)
        return world

    def _others(self, mine: Optional[Passage]) -> List[Passage]:
        with self._changed:
            return [other for other in self._under_way if other is not mine and other.before is not None]


def _as_it_was(world: WorldState, other: Passage, own: Optional[Touch]) -> WorldState:
    moving, before = other.moving, other.before
    if before is None:
        return world

    def held_back(fact: Relation) -> bool:
        about = fact.subject in moving or fact.object in moving
        return about and (own is None or not own.writes(fact))

    return world.with_relations(frozenset(fact for fact in world.relations if not held_back(fact))
                                | frozenset(fact for fact in before.relations if held_back(fact)))
