"""The order in which a goal wants areas visited."""

from __future__ import annotations

from typing import List, Optional, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model.goal import Goal, Holds
from hicrisp_core.model.itinerary import Itinerary


def itinerary_of(goal: Optional[Goal], domain: Domain) -> Optional[Itinerary]:
    """Return the areas that the stages of a goal name, a group for each stage.

    Returns:
        ``None`` if the goal names none, or leaves open which: its stages have conditions, alternatives, or
        are optional.
    """
    if goal is None or goal.otherwise or any(each.when or each.optional for each in goal.stages):
        return None
    roles = domain.roles
    groups: List[Tuple[str, ...]] = []
    for stage in goal.stages:
        if not all(isinstance(each, Holds) for each in stage.conditions):
            return None
        group = tuple(dict.fromkeys(each.fact.object for each in stage.conditions if isinstance(each, Holds)
                                    and each.fact.predicate in (roles.located, roles.visited)))
        if group:
            groups.append(group)
    return Itinerary(tuple(groups), ordered=len(groups) > 1) if groups else None
