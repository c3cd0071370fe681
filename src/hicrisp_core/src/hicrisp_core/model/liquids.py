"""What is said of vessels: the predicates of their levels, as perception measures them."""

from __future__ import annotations

import math
from typing import Optional

from hicrisp_core.model.world import WorldState

LEVEL, VOLUME, CONTAINS = "level", "volume", "contains"
"""A vessel's level and what it takes, millilitres; and what is in it."""


def level_of(world: WorldState, vessel: str, what: str = LEVEL) -> Optional[float]:
    """Return the level of a vessel as it is seen.

    Args:
        world: observed objects, robots and facts.
        vessel: its name.
        what: the level, or the volume.

    Returns:
        Millilitres; ``None`` if nobody has measured it.
    """
    return next((float(fact.object) for fact in world.relations
                 if fact.predicate == what and fact.subject == vessel), None)


def retained(tilt: float, slenderness: float) -> float:
    """Return how much of its volume a tilted open cylinder holds at most.

    Args:
        tilt: of its axis from the vertical, radians.
        slenderness: its height in radii.

    Returns:
        Part of the volume, 0 to 1.
    """
    if tilt >= math.pi / 2.0:
        return 0.0
    drop = math.tan(tilt) / slenderness  # Of the surface from the middle to the lip, in heights.
    if drop <= 0.5:
        return 1.0 - drop
    wet = 1.0 / drop  # The wedge covers this much of the bottom's diameter, in radii.
    half = math.sqrt(wet * (2.0 - wet))
    return (half * (3.0 - half ** 2) + 3.0 * (wet - 1.0) * math.acos(1.0 - wet)) / (3.0 * wet * math.pi)
