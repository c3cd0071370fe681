"""Whether a command that is under way still serves a goal that has changed."""

from __future__ import annotations

from typing import Tuple

from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.executive.invariants import InvariantGuard
from hicrisp_core.goals.planning import way_to
from hicrisp_core.model import Command, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.time.deadline import Deadline

_SEARCH_LIMIT = 5.0
"""Wall seconds for one search."""


def still_useful(command: Command, before: WorldState, goal: Goal, domain: Domain, searcher: Searcher) -> bool:
    """Check whether a running command lies on a shortest way to a changed goal and violates none of its
    invariants.

    Args:
        command: the action with its arguments and constraints.
        before: the world in which it started.
        goal: the changed goal.
        domain: types, predicates and actions of the application.
        searcher: searches the domain.

    Returns:
        True if it should continue; false also if the search runs out of time.
    """
    if InvariantGuard(domain, goal.invariants).spoils(command, before):
        return False
    after = apply_effects(domain, command, before)
    lengths: Tuple[int, ...] = ()
    for world in (before, after):
        way = way_to(searcher, world, goal, Deadline(_SEARCH_LIMIT))
        if not way.found:
            return False
        lengths += (len(way.commands),)
    return 1 + lengths[1] <= lengths[0]
