"""Checks of invariants before a robot moves: by the domain's effects, and by the place that is
aimed at."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Optional, Tuple, Union

from hicrisp_core.detector.relations import derive_relations
from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import breaking, ended_by, guard
from hicrisp_core.model import Command, Feedback, WorldState
from hicrisp_core.model.goal import Statement

_TARGETS = 6
"""Places that are tried for one placement."""
_APART = 0.04
"""Least distance of a further place from one that would end something, metres."""

Aim = Callable[[Command], Union[Command, Feedback]]


class InvariantGuard:
    """Refuses commands that would end what is to stay so, and finds places that do not.

    Args:
        keep: the conditions; without any every command passes.
    """

    def __init__(self, domain: Domain, keep: Tuple[Statement, ...] = ()) -> None:
        self._domain = domain
        self._keep = keep

    def refusal(self, command: Command, world: WorldState) -> Optional[Feedback]:
        """Check whether a command may run.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The feedback that names the condition it would end; ``None`` if it ends none.
        """
        return guard(self._keep, self._domain, command, world)

    def aimed(self, command: Command, world: WorldState, aim: Aim) -> Union[Command, Feedback]:
        """Find a target at which a command's item ends no condition; a few targets are tried.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.
            aim: returns the command with a target, or why there is none.

        Returns:
            The command with its target, or the feedback.
        """
        found = aim(command)
        refused: Optional[Feedback] = None
        for _ in range(_TARGETS):
            if isinstance(found, Feedback):
                return refused or found
            refused = breaking(found, self._ended_there(found, world))
            if refused is None or found.target is None:
                return found
            command = replace(command, avoid=(*command.avoid, found.target.position),
                              apart=max(_APART, command.apart))
            found = aim(command)
        return refused or found

    def spoils(self, command: Command, world: WorldState) -> bool:
        """Check whether a command ends a condition by its effects or by where it puts its item.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            True if it ends at least one; the command may be without a target.
        """
        return self.refusal(command, world) is not None or bool(self._ended_there(command, world))

    def ended(self, before: WorldState, after: WorldState) -> Tuple[Statement, ...]:
        """Return the conditions that held before a command and do not hold after it.

        Args:
            before: world observed before the command.
            after: world observed after it.

        Returns:
            The conditions.
        """
        return ended_by(self._keep, self._domain, before, after) if self._keep else ()

    def _ended_there(self, found: Command, world: WorldState) -> Tuple[Statement, ...]:
        """Return the conditions that a placement would end at its aim."""
        if found.target is None or not self._keep:
            return ()
        item = world.objects.get(self._domain.item(found))
        action = self._domain.actions.get(found.action)
        if item is None or action is None or not action.places:
            return ()
        there = replace(world, objects={**world.objects, item.name: replace(item, pose=found.target)})
        seen = frozenset(derive_relations(self._domain, there))
        return ended_by(self._keep, self._domain, world, replace(there, relations=seen))
