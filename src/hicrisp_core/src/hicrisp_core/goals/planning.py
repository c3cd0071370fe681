"""From a goal to the commands that make it true: the domain's search, stage after stage (LLM+P)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import List, Optional, Tuple, Union

from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.search import Conditions, Ending, Searcher
from hicrisp_core.goals.searching import conditions_of
from hicrisp_core.model import Command, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline

GOAL_LIMITS = SearchLimits(depth=120, states=20_000, seconds=1.0)
"""How far to look for a whole goal: further than for the repair of one step."""


@dataclass(frozen=True)
class Way:
    """What came of the search for a goal.

    Args:
        commands: in their order; none where the goal holds already.
        ending: how the search ended.
        misfit: why nothing was searched.
        others: the robots that can do it, where the one that the goal names cannot.
    """

    commands: Tuple[Command, ...] = ()
    ending: Ending = Ending.NO_WAY
    misfit: Optional[Misfit] = None
    others: Tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether the commands lead to the goal."""
        return self.ending is Ending.FOUND


def way_to(
    searcher: Searcher, world: WorldState, goal: Goal, deadline: Deadline, limits: SearchLimits = GOAL_LIMITS
) -> Way:
    """Commands that make first what comes first true, in its order, then the end; none of them ends what is
    to stay so.

    What is to stay so and does not hold yet counts as part of the end. A robot that the goal names must take
    part; others help it only where it cannot do it alone.
    """
    way = _as_said(searcher, world, goal, deadline, limits, either_way=False)
    if way.ending is Ending.NO_WAY and way.misfit is None and not way.others:
        return _as_said(searcher, world, goal, deadline, limits, either_way=True)
    return way


def _as_said(
    searcher: Searcher, world: WorldState, goal: Goal, deadline: Deadline, limits: SearchLimits,
    either_way: bool,
) -> Way:
    stages = _stages(searcher, goal, either_way)
    if isinstance(stages, Misfit):
        return Way(misfit=stages)
    keep = conditions_of(goal.keep, searcher.domain)
    if isinstance(keep, Misfit):
        return Way(misfit=keep)
    if goal.robot in world.robots and len(world.robots) > 1:
        alone = replace(world, robots={goal.robot: world.robots[goal.robot]})
        way = _through(searcher, alone, stages, keep, deadline, limits)
        if way.found:
            return way
    way = _through(searcher, world, stages, keep, deadline, limits)
    acting = tuple(sorted({command.robot for command in way.commands}))
    if way.found and way.commands and goal.robot and goal.robot not in acting:
        return Way(others=acting)
    return way


def _stages(searcher: Searcher, goal: Goal, either_way: bool) -> Union[Tuple[Conditions, ...], Misfit]:
    """What must hold one after the other, as the search takes it."""
    found: List[Conditions] = []
    for statements in (*((each,) for each in goal.first), (*goal.end, *goal.keep)):
        conditions = conditions_of(statements, searcher.domain, either_way)
        if isinstance(conditions, Misfit):
            return conditions
        found.append(conditions)
    return tuple(found)


def _through(
    searcher: Searcher, world: WorldState, stages: Tuple[Conditions, ...], keep: Conditions,
    deadline: Deadline,
    limits: SearchLimits,
) -> Way:
    commands: List[Command] = []
    for stage in stages:
        answer = searcher.find(world, stage, limits, deadline, keep=keep)
        if not answer.found:
            return Way(ending=answer.ending)
        for command in answer.commands:
            world = apply_effects(searcher.domain, command, world)
        commands += answer.commands
    return Way(tuple(commands), Ending.FOUND)
