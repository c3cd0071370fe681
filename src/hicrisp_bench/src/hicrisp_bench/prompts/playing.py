"""A plan played on the facts alone: the checker lets each step through or not, and its effects come true."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.checker import check
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.search import Searcher, preconditions_of
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.stages import final_conditions
from hicrisp_core.goals.truth import holds
from hicrisp_core.model import Command, Plan, Step, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.ports.body import Body
from hicrisp_core.time.deadline import Deadline

_LIMITS = SearchLimits(depth=8, states=5_000, seconds=5.0)
"""For the steps that a search puts before one that cannot be done yet."""
Alternatives = Sequence[Goal]
"""The final conditions of one of them shall hold at the end."""


class Played(NamedTuple):
    """What came of a plan.

    Args:
        reached: whether its steps lead to the goal as they are.
        mended: whether they do with what a search puts before steps that cannot be done yet.
        why: the first step that cannot be done, or that the goal is missed; empty where it is reached.
    """

    reached: bool
    mended: bool
    why: str = ""


class Player:
    """Plays plans in one domain.

    Args:
        searcher: mends steps that cannot be done yet.
        body: finds the commands of steps that are only words.
        limit: seconds for one such step.
    """

    def __init__(self, searcher: Searcher, body: Body, limit: float) -> None:
        self._searcher = searcher
        self._domain = searcher.domain
        self._body = body
        self._limit = limit

    def play(self, plan: Plan, world: WorldState, goals: Alternatives) -> Played:
        """What a plan comes to in a world."""
        end, why = self._through(plan, world, mending=False)
        if end is not None and self._holds(goals, end):
            return Played(True, True)
        with_help, _ = self._through(plan, world, mending=True)
        mended = with_help is not None and self._holds(goals, with_help)
        return Played(False, mended, why or "the steps can be done and miss the goal")

    def _holds(self, goals: Alternatives, world: WorldState) -> bool:
        return any(all(holds(each, world.relations, self._domain)
                       for each in final_conditions(goal, self._domain)) for goal in goals)

    def _through(self, plan: Plan, world: WorldState, mending: bool) -> Tuple[Optional[WorldState], str]:
        """The world after all steps; ``None`` where one cannot be done, and which."""
        for step in plan.steps:
            commands = self._commands(step, world)
            if isinstance(commands, str):
                return None, commands
            for command in commands:
                if mending:
                    world = self._prepared(command, world)
                refusal = check(self._domain, command, world)
                if refusal is not None:
                    return None, f"{command} cannot be done"
                world = apply_effects(self._domain, command, world)
        return world, ""

    def _commands(self, step: Step, world: WorldState) -> Union[List[Command], str]:
        """The commands of a step, or why there are none."""
        if not step.action:
            found = self._body.translate(step, world, Deadline(self._limit))
            return f"no command was found for '{step.text}'" if found.feedback else list(found.commands)
        try:
            return [self._domain.ground(step, world)]
        except DomainError as error:
            return f"{step}: {error}"

    def _prepared(self, command: Command, world: WorldState) -> WorldState:
        """The world in which a command can be done, where a search finds a way to it."""
        if check(self._domain, command, world) is None:
            return world
        found = self._searcher.find(world, preconditions_of(self._domain, command), _LIMITS, undoable=True)
        for each in found.commands:
            world = apply_effects(self._domain, each, world)
        return world
