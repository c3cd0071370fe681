"""What happened during a drive: touches, near misses, zones that it must not enter; seen, never
reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Dict, List, Optional, Sequence, Set

from shapely.geometry import LineString, Point

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Cause, CauseKind, Command, KeepOut, Motion, Pose, Relation, Verdict, WorldState
from hicrisp_core.model.feedback import Feedback, FeedbackKind, Level
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.model.keep_out import footprint
from hicrisp_core.model.way import ENTERED as CAME_OVER
from hicrisp_core.model.way import FASTEST, LEAP, NEAR, SPACING, TAIL, TOUCHED, Mark, Way
from hicrisp_core.ports.kinds import BASE

ENTERED = "entered"
"""The kind of a failure by which a base was over a zone."""
_OVER = 1e-3
"""Metres by which a footprint must be over a zone before that counts as entering it."""
_NEAR = 0.32
"""Metres from the middle of a base within which an object that is seen may be what stopped it."""


@dataclass(frozen=True)
class MotionLimits:
    """Distances, metres: the radius of the base, and the space to objects below which it was a near miss or
    a touch.
    """

    radius: float = 0.18
    near: float = 0.01
    touch: float = -0.005


class MotionRecord:
    """Counts what is seen of a base, from its first pose on.

    Args:
        zones: the ground that no part of the base may be over.
    """

    def __init__(self, zones: Sequence[KeepOut] = (), limits: Optional[MotionLimits] = None) -> None:
        self._zones = tuple(zones)
        self._limits = limits or MotionLimits()
        self._close = False
        self._at: Optional[Pose] = None
        self._time = math.inf
        self._inside: Set[str] = set()
        self._entered: Dict[str, int] = {}
        self._touches = self._near_misses = 0
        self._clearance, self._path = math.inf, 0.0
        self._way = Way()

    @property
    def motion(self) -> Motion:
        """Everything observed so far."""
        return Motion(self._touches, self._near_misses, dict(self._entered), self._clearance, self._path, self._way)

    def moved(self, pose: Pose, time: float) -> None:
        """Record a pose of the base; between two poses it moved straight, unless the distance shows that it
        was put there.

        Args:
            pose: of the base, map frame.
            time: seconds, stamp of the pose.
        """
        step = 0.0 if self._at is None else planar_distance(self._at.position, pose.position)
        drove = step < max(LEAP, FASTEST * (time - self._time))
        here = pose.position[:2]
        way = Point(*here) if self._at is None or not step or not drove else LineString((self._at.position[:2], here))
        for zone in self._zones:
            over = zone.ground.distance(way) < self._limits.radius - _OVER
            if over and zone.name not in self._inside:
                self._entered[zone.name] = self._entered.get(zone.name, 0) + 1
                self._inside.add(zone.name)
                self._mark(CAME_OVER, pose)
            elif not over:
                self._inside.discard(zone.name)
        self._path += step if drove else 0.0
        self._at, self._time = pose, time
        if not self._way.spots or math.dist(self._way.spots[-1], here) >= SPACING:
            self._way = replace(self._way, spots=(*self._way.spots, (here[0], here[1]))[-TAIL:],
                                count=self._way.count + 1)

    def ranged(self, nearest: float) -> None:
        """Record the distance to the nearest obstacle.

        Args:
            nearest: distance from the base's middle, metres.
        """
        space = nearest - self._limits.radius
        self._clearance = min(self._clearance, space)
        if space < self._limits.near and not self._close:
            touched = space < self._limits.touch
            self._touches += touched
            self._near_misses += not touched
            if self._at is not None:
                self._mark(TOUCHED if touched else NEAR, self._at)
        self._close = space < self._limits.near

    def _mark(self, what: str, pose: Pose) -> None:
        mark = Mark(what, (pose.position[0], pose.position[1]))
        self._way = replace(self._way, marks=(*self._way.marks, mark)[-TAIL:], marked=self._way.marked + 1)


def happened(domain: Domain, robot: str, before: WorldState, after: WorldState) -> List[Relation]:
    """Return what a base did between two observations, as facts that the domain can express.

    Args:
        domain: types, predicates and actions of the application.
        robot: name of the base.
        before: the earlier observation.
        after: the later one.

    Returns:
        Zones entered, near misses and touches.
    """
    states = [world.robots[robot].motion if robot in world.robots else None for world in (before, after)]
    if states[1] is None:
        return []
    motion, roles = states[1].since(states[0] or Motion()), domain.roles
    found = [Relation(robot, roles.entered, zone) for zone in motion.zones if roles.entered]
    found += [Relation(robot, roles.near_miss)] if motion.near_misses and roles.near_miss else []
    return [*found, Relation(robot, roles.touched)] if motion.touches and roles.touched else found


def stopped_by(domain: Domain, command: Command, after: WorldState, verdict: Verdict) -> Verdict:
    """Name the obstacle in the verdict on a blocked drive: the object observed nearest to the base.

    Args:
        domain: types, predicates and actions of the application.
        command: the action with its arguments and constraints.
        after: world observed after the drive.
        verdict: the verdict so far.

    Returns:
        The verdict; unchanged if the drive was not blocked or the obstacle is named already.
    """
    feedback, robot = verdict.feedback, after.robots.get(command.robot)
    if (feedback is None or feedback.cause is None or robot is None or robot.kind != BASE or robot.pose is None):
        return verdict
    if feedback.cause.kind is not CauseKind.BLOCKED or feedback.cause.names:
        return verdict
    spot, riding = Point(*robot.pose.position[:2]), domain.roles.riding(after)
    near = sorted((float(footprint(item, item.pose).distance(spot)), name)
                  for name, item in after.objects.items()
                  if name not in riding and item.pose is not None
                  and not item.form.ground)
    if not near or near[0][0] >= _NEAR:
        return verdict
    return replace(verdict, feedback=replace(feedback, cause=replace(feedback.cause, names=(near[0][1],))))


def with_the_way(domain: Domain, command: Command, before: WorldState, after: WorldState, verdict: Verdict) -> Verdict:
    """Add what was observed on the way to the verdict on a command.

    A zone that was entered fails a command, for that was not allowed however it ended; a touch or a near miss
    explains a failure and is noted on a success.

    Args:
        domain: types, predicates and actions of the application.
        command: the action with its arguments and constraints.
        before: world observed before the command.
        after: world observed after it.
        verdict: the verdict so far.

    Returns:
        The verdict; unchanged if nothing happened.
    """
    noted = tuple(happened(domain, command.robot, before, after))
    if not noted:
        return verdict
    zones = tuple(fact.object for fact in noted if fact.predicate == domain.roles.entered)
    if zones and verdict.ok:
        return replace(verdict, feedback=Feedback(
            Level.HIGH, FeedbackKind.ENTERED, command, subjects=zones, seen=noted,
            cause=Cause(CauseKind.FORBIDDEN, zones)))
    if verdict.feedback is None:
        said = "; ".join(domain.fact_text(fact) for fact in noted)
        return replace(verdict, note=f"{verdict.note}; {said}" if verdict.note else said)
    return replace(verdict, feedback=replace(verdict.feedback, seen=(*verdict.feedback.seen, *noted)))
