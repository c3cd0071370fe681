"""What happened on the way of a base: touches, near misses, zones that it must not enter; seen, never reported.

Whoever sees the base while it moves tells a ``MotionRecord``; what it has noted since it was last asked stands in the
observed world in the domain's words for a touch, a near miss and a zone entered, and the detector tells of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import FrozenSet, Mapping, Optional, Set

from shapely.geometry import Point

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import (
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Pose,
    Relation,
    Verdict,
    WorldObject,
    WorldState,
)
from hicrisp_core.model.footprint import footprint

TOUCHED, NEAR_MISS, ENTERED = "touched", "near_miss", "entered"


@dataclass(frozen=True)
class MotionLimits:
    """Distances, metres: the radius of the base, and the space to things below which it was a near miss or a touch."""

    radius: float = 0.18
    near: float = 0.01
    touch: float = -0.005


class MotionRecord:
    """Notes what is seen of a base between two looks at the whole world.

    Args:
        zones: the areas that the base must not enter, by name.
    """

    def __init__(self, robot: str, zones: Mapping[str, WorldObject], limits: Optional[MotionLimits] = None) -> None:
        self._robot = robot
        self._zones = {name: footprint(zone, zone.pose) for name, zone in zones.items() if zone.pose is not None}
        self._limits = limits or MotionLimits()
        self._close = False
        self._facts: Set[Relation] = set()
        self.touches = self.near_misses = 0
        self.least = math.inf
        """The least space that was seen between the base and anything, metres."""

    def saw(self, pose: Pose, nearest: float) -> None:
        """The base at a pose, and the distance from its middle to the nearest thing, metres."""
        space = nearest - self._limits.radius
        self.least = min(self.least, space)
        if space < self._limits.near and not self._close:
            touched = space < self._limits.touch
            self.touches += touched
            self.near_misses += not touched
            self._facts.add(Relation(self._robot, TOUCHED if touched else NEAR_MISS))
        self._close = space < self._limits.near
        spot = Point(*pose.position[:2])
        for name, ground in self._zones.items():
            if ground.distance(spot) < self._limits.radius:
                self._facts.add(Relation(self._robot, ENTERED, name))

    def facts(self, domain: Domain) -> FrozenSet[Relation]:
        """What was noted since the last call, as far as the domain has words for it."""
        noted, self._facts = frozenset(self._facts), set()
        words = {TOUCHED: domain.roles.touched, NEAR_MISS: domain.roles.near_miss, ENTERED: domain.roles.entered}
        return frozenset(fact._replace(predicate=words[fact.predicate]) for fact in noted if words[fact.predicate])


def with_the_way(domain: Domain, command: Command, after: WorldState, verdict: Verdict) -> Verdict:
    """The verdict on a command, with what was seen on its way.

    A zone that was entered fails a command, for that was not allowed however it ended; a touch or a near miss explains
    a failure and is noted on a success.
    """
    roles = domain.roles
    met = [word for word in (roles.touched, roles.near_miss, roles.entered) if word]
    noted = tuple(sorted(fact for fact in after.relations if fact.subject == command.robot and fact.predicate in met))
    if not noted:
        return verdict
    zones = tuple(fact.object for fact in noted if fact.predicate == roles.entered)
    if zones and verdict.ok:
        return replace(verdict, feedback=Feedback(
            Level.HIGH, FeedbackKind.ENTERED, command, subjects=zones, seen=noted))
    if verdict.feedback is None:
        said = "; ".join(domain.fact_text(fact) for fact in noted)
        return replace(verdict, note=f"{verdict.note}; {said}" if verdict.note else said)
    return replace(verdict, feedback=replace(verdict.feedback, seen=(*verdict.feedback.seen, *noted)))
