"""The rules by which commands get their target: for an object a free spot where it shall be, for a base where it shall
stand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import Callable, FrozenSet, Iterator, List, Optional, Sequence, Tuple, Union

from shapely.geometry.base import BaseGeometry

from hicrisp_core.body.containers import inside, inside_box, too_tall
from hicrisp_core.body.placement import (
    DIRECTIONS,
    LOOKED_AT,
    Round,
    Workspace,
    allowed,
    apart,
    beside,
    free,
    on_flat_top,
    on_top,
    table_of,
)
from hicrisp_core.domain.schema import Domain, zones_of
from hicrisp_core.model import Cause, CauseKind, Command, Pose, RobotState, WorldObject, WorldState
from hicrisp_core.model.feedback import Feedback, FeedbackKind, Level, Measured
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.world import HELD_UP_AT
from hicrisp_core.ports.kinds import BASE, TargetRule
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.robot.drive_goals import DriveSpace, closed_by, goal_within, standing_in
from hicrisp_core.robot.grasps import grasp_candidates
from hicrisp_core.robot.gripper import parts
from hicrisp_core.robot.skills_carry import NEARLY
from hicrisp_core.robot.skills_placements import Hold, hold_of, most_room

_HELD_UP = 0.16
"""How far above a free spot an item is held up for another arm, metres."""
_BELOW = NEARLY + 0.005
"""An object whose bottom is this far above an item's top, metres, or less, is beside it."""
_DROPS = (0.012, 0.03, 0.06, 0.09, 0.12)
"""Heights above its floor, metres, from which an item is let go in a container too deep for the hand."""
_LYING = (0.0, math.pi / 2.0)
"""How what is too tall for a drawer lies in it: along the way that it slides, or across, radians."""
_WRIST = 0.03
"""Room beside a hand that has room for the wrist above it, too, metres."""
_ALIKE = 0.005
"""Difference of their extents up to which two objects of a type count as a pair, metres."""
_BEARINGS = 16
"""Bearings around a reference that are tried for "next to"."""


@dataclass(frozen=True)
class Spots:
    """The choice of a pose for an item.

    Args:
        rounds: the candidates, best first.
        hold: how the item is held; ``None`` if it is not observed, and then no room for the hand is required.
        ignore: names of objects that may be nearer than the preferred clearance, such as the reference.
        held: names of the objects that are in a hand and stand nowhere.
        anywhere: whether the poses may be off the table.
        exact: whether the item fits there only as the pose is turned.
    """

    item: WorldObject
    rounds: Sequence[Round]
    world: WorldState
    workspace: Workspace
    hold: Optional[Hold] = None
    ignore: FrozenSet[str] = frozenset()
    held: FrozenSet[str] = frozenset()
    anywhere: bool = False
    exact: bool = False

    def best(self) -> Optional[Pose]:
        """Return the first free pose that leaves the hand its preferred clearance, else the one with the most
        clearance.

        Returns:
            World frame; ``None`` if the hand or the item would touch something at every pose.
        """
        return self._best

    @cached_property
    def _best(self) -> Optional[Pose]:
        tight, most, gripper = None, 0.0, self.workspace.gripper
        if gripper is None or self.hold is None:
            free = list(islice(self._free(), LOOKED_AT if self.exact else 1))
            takes = filter(self._takes, free) if len(free) > 1 else iter(free)
            return next(takes, free[0] if free else None)
        for pose in islice(self._free(), LOOKED_AT):
            room = most_room(self.item, self.hold, pose, self.world, gripper, self.exact).grasp.clearance
            if room >= gripper.room:
                return pose
            if room > most:
                tight, most = pose, room
        return tight

    def _takes(self, pose: Pose) -> bool:
        """Check whether the item can be put at a pose by a grasp that takes it where it is, once what can be moved is
        out of the way.
        """
        gripper = self.workspace.gripper
        return gripper is None or any(
            most_room(self.item, hold, pose, self._fixed, gripper, self.exact).grasp.clearance > 0.0
            for hold in self._grasps)

    @cached_property
    def _fixed(self) -> WorldState:
        return replace(self.world, objects={name: other for name, other in self.world.objects.items()
                                            if not other.movable})

    @cached_property
    def _grasps(self) -> Tuple[Hold, ...]:
        gripper = self.workspace.gripper
        found = grasp_candidates(self.item, self._fixed, gripper) if gripper is not None else []
        return tuple(hold_of(self.item, grasp.pose, grasp.width) for grasp in found)

    def blockers(self) -> Tuple[str, ...]:
        """Return the smallest set of objects whose removal frees a pose, preferring movable ones.

        Returns:
            Their names; empty if no pose is within reach, on the table and allowed.
        """
        poses = [pose for round_ in self.rounds for pose in round_.poses if self._allowed(pose)]
        near = sorted(((tuple(name for name, space in self._spaces(pose) if space < self.workspace.clearance), pose)
                       for pose in dict.fromkeys(poses)), key=lambda found: len(found[0]))
        found: List[Tuple[bool, int, Tuple[str, ...]]] = []
        for names, pose in near[:LOOKED_AT]:
            blocking = set(names)
            if self.hold is not None and self.workspace.gripper is not None:  # What the hand would touch there.
                objects = {name: item for name, item in self.world.objects.items() if name not in names}
                rest = WorldState(objects, self.world.relations, self.world.robots, self.world.stamp)
                way = most_room(self.item, self.hold, pose, rest, self.workspace.gripper, self.exact)
                blocking.update(way.blockers if way.grasp.clearance <= 0.0 else ())
            all_names = tuple(sorted(blocking))
            fixed = any(not self.world.objects[name].movable or name in self.ignore for name in all_names)
            if all_names:
                found.append((fixed, len(all_names), all_names))
        return min(found, key=lambda entry: entry[:2])[2] if found else ()

    def _free(self) -> Iterator[Pose]:
        """Yield the poses at which the item itself is free, in order of preference."""
        for round_ in self.rounds:
            kept: List[Tuple[float, Pose]] = []
            for pose in round_.poses:
                space = min((space for _, space in self._spaces(pose)), default=math.inf) \
                    if self._allowed(pose) else -1.0
                if space < round_.space:
                    continue
                if round_.score is None:
                    yield pose
                else:
                    kept.append((round_.score(pose, space), pose))
            yield from (pose for _, pose in sorted(kept, key=lambda entry: -round(entry[0], 9)))

    def _allowed(self, pose: Pose) -> bool:
        return allowed(self.item, pose, self._table, self.workspace)

    def _spaces(self, pose: Pose) -> Iterator[Tuple[str, float]]:
        """Yield the space from the item at a pose to each other object at its height, metres; 0 if they overlap."""
        shadow = footprint(self.item, pose)
        low, high = vertical_span(self.item, pose)
        for name, bottom, top, ground in self._neighbours:
            if top > low and bottom < high + _BELOW:
                yield name, float(ground.distance(shadow))

    @cached_property
    def _table(self) -> Optional[WorldObject]:
        return None if self.anywhere else table_of(self.world)

    @cached_property
    def _neighbours(self) -> Tuple[Tuple[str, float, float, BaseGeometry], ...]:
        """The solids that the item must keep clear of, each with its heights and its footprint."""
        return tuple((name, *vertical_span(part, pose), footprint(part, pose))
                     for name, item in self.world.objects.items() if item.pose is not None
                     and not item.form.ground and name not in (self.item.name, *self.ignore, *self.held)
                     for part, pose in parts(item, item.pose))


Target = Union[Pose, Spots, Feedback, None]
"""The only valid pose, spots to choose from, or why there is none; ``None`` without a
reference.
"""


@dataclass(frozen=True)
class TargetQuestion:
    """What a rule is asked: a command in a world, and what its target must respect."""

    domain: Domain
    command: Command
    world: WorldState
    workspace: Workspace = Workspace()
    drive: DriveSpace = DriveSpace()

    @property
    def item(self) -> Optional[WorldObject]:
        """The object that the command handles; ``None`` if it is unknown."""
        return self.world.objects.get(self.domain.item(self.command))

    @property
    def other(self) -> Optional[WorldObject]:
        """The first other object that the command names."""
        return self.domain.other(self.command, self.world)

    @property
    def robot(self) -> Optional[RobotState]:
        """The observed state of the command's robot."""
        return self.world.robots.get(self.command.robot)

    @property
    def constraints(self) -> Constraints:
        """Constraints for the path of a base: the zones, and those learnt from earlier failures of the
        command.
        """
        learnt = (each for each in self.command.keep_out if not each.name)
        return Constraints((*zones_of(self.domain, self.world.objects.values()), *learnt), self.command.clearance)

    @cached_property
    def room(self) -> Workspace:
        """The workspace without what earlier failures of the command have excluded."""
        return replace(self.workspace, avoid=self.command.avoid, apart=self.command.apart)

    def spots(self, item: WorldObject, rounds: Sequence[Round], *ignore: str) -> Spots:
        """Return a choice among candidate poses.

        Args:
            item: the object to place.
            rounds: candidates, to be tried in order.
            *ignore: names of objects that may be nearer than the preferred clearance.

        Returns:
            The choice.
        """
        held = frozenset(self.domain.roles.holders(self.world.relations))
        robot, hold = self.robot, None
        if robot is not None and robot.pose is not None and robot.opening is not None and item.name in held:
            hold = hold_of(item, robot.pose, robot.opening)
        return Spots(item, rounds, self.world, self.room, hold, frozenset(ignore), held)


def _anywhere(choose: Callable[..., Sequence[Round]], asked: TargetQuestion) -> Target:
    return asked.spots(asked.item, choose(asked.item, asked.world, asked.room)) if asked.item else None


def _shared(asked: TargetQuestion, above: float = 0.0, out: float = 0.5) -> Target:
    """Choose a free spot, or a place some metres above one, that the other arms of the command reach, too, best where
    it is comfortable for all: so far out in their rings.
    """
    item, command = asked.item, asked.command
    if item is None:
        return None
    arms = [robot.reach for name, robot in asked.world.robots.items()
            if name in command.arguments.values() and robot.reach is not None]
    rounds = [replace(each, candidates=partial(tuple, sorted(
        (pose.shifted((0.0, 0.0, above)) for pose in each.poses if all(reach.holds(pose.position) for reach in arms)),
        key=lambda pose: sum(reach.stretch(pose.position, out) for reach in arms))))
        for each in free(item, asked.world, asked.room)]
    return asked.spots(item, rounds)


def _on(asked: TargetQuestion) -> Target:
    item, below = asked.item, asked.other
    if item is None or below is None or below.pose is None:
        return None
    if below.form.ground:
        return asked.spots(item, free(item, asked.world, asked.room, within=below))
    if below.movable:
        return on_top(item, below)
    there = asked.domain.roles.upon(asked.world, below.name)
    twin = any(other.type == item.type and math.dist(other.size, item.size) < _ALIKE and name not in (item.name, *there)
               for name, other in asked.world.objects.items() if other.movable)
    return replace(asked.spots(item, on_flat_top(item, below, asked.room, twin), below.name), anywhere=True)


def _in(asked: TargetQuestion) -> Target:
    item, container = asked.item, asked.other
    if item is None or container is None or container.pose is None:
        return None
    if container.form.round:
        return inside(item, container, asked.world, asked.domain.roles.within(asked.world, container.name))
    lying = [round_ for way in _LYING for round_ in inside_box(item, container, asked.room, (0.0, *_DROPS), way)] \
        if too_tall(item, container) else []
    gripper = asked.workspace.gripper
    if container.form.hollow and gripper is not None and not lying:  # The lowest drop with room for the hand is best.
        asked = replace(asked, workspace=replace(asked.workspace, gripper=replace(gripper, room=_WRIST)))
    spots = replace(asked.spots(item, lying or inside_box(item, container, asked.room), container.name),
                    exact=bool(item.form.walls))
    if lying or not container.form.hollow or spots.best() is not None:
        return spots
    return replace(spots, rounds=inside_box(item, container, asked.room, _DROPS))


def _beside(
    bearings: Callable[[TargetQuestion], Sequence[float]], predicate: str = ""
) -> Callable[[TargetQuestion], Target]:
    """Return the rule for a place beside a reference at one of some bearings, radians, as far as a predicate says."""
    def find(asked: TargetQuestion) -> Target:
        item, reference = asked.item, asked.other
        if item is None or reference is None or reference.pose is None:
            return None
        known = asked.domain.predicates.get(predicate)
        room = replace(asked.room, gap=known.gap) if known is not None else asked.room
        rounds = beside(item, reference, bearings(asked), asked.world, room)
        return asked.spots(item, rounds, reference.name)
    return find


def _towards(name: str) -> TargetRule:
    return TargetRule(_beside(lambda asked: [_bearing(asked.domain, name)], name))


def _bearing(domain: Domain, name: str) -> float:
    """Return the direction of a predicate as its domain says it, radians; the robot's own if that says none."""
    known = domain.predicates.get(name)
    x, y = known.direction if known is not None else (0.0, 0.0)
    return math.atan2(y, x) if (x, y) != (0.0, 0.0) else DIRECTIONS[name]


def _within(asked: TargetQuestion) -> Target:
    """Choose where in an area a base stops, or explain why no place is free."""
    place, world, command = asked.other, asked.world, asked.command
    if place is None or place.pose is None:
        return None  # A world of facts without poses; a robot that knows the place by name finds it.
    forbidden = _forbidden(asked, place)
    if forbidden is not None:
        return forbidden
    riding = asked.domain.roles.riding(world)
    failed = len(command.avoid) + sum(not each.name for each in command.keep_out)
    given_up = failed >= asked.drive.tries
    goal = None if given_up else goal_within(
        place, asked.robot, world, command.avoid, asked.drive, riding, asked.constraints)
    if goal is not None:
        return goal
    blockers = standing_in(place, world, asked.drive, riding)
    cause = Cause(CauseKind.BLOCKED, blockers) if blockers else Cause(CauseKind.NO_PATH, (place.name,))
    tried = (Measured("drives_failed", failed),) if given_up else \
        (Measured("goals_tried", len(command.avoid)),) if command.avoid else ()
    return Feedback(Level.HIGH, FeedbackKind.UNREACHABLE, command, subjects=(place.name,), blockers=blockers,
                    measured=tried, cause=cause)


def _station(asked: TargetQuestion) -> Target:
    station = asked.other
    return (_forbidden(asked, station, exactly=True) or station.pose) if station else None


def _forbidden(asked: TargetQuestion, place: WorldObject, exactly: bool = False) -> Optional[Feedback]:
    """Explain why zones block every path of a base to a place; ``None`` if a path exists."""
    zones = closed_by(place, asked.robot, asked.drive, asked.constraints, exactly)
    if not zones:
        return None
    return Feedback(Level.HIGH, FeedbackKind.UNREACHABLE, asked.command, subjects=(place.name,),
                    cause=Cause(CauseKind.FORBIDDEN, zones))


FREE = TargetRule(partial(_anywhere, free), anywhere=True)
APART = TargetRule(partial(_anywhere, apart), anywhere=True)
SHARED, HELD_UP = TargetRule(_shared), TargetRule(partial(_shared, above=_HELD_UP, out=HELD_UP_AT))
ON = TargetRule(_on)
IN = TargetRule(_in)
NEXT_TO = TargetRule(_beside(lambda _: [2.0 * math.pi * i / _BEARINGS for i in range(_BEARINGS)]))
AROUND = TargetRule(_beside(lambda asked: [_bearing(asked.domain, "behind") - math.radians(
    # By its only number, if it has one.
    next((value for value in asked.command.arguments.values() if not isinstance(value, str)), 0.0))]))
"""Clockwise, as on a clock that lies on the table, with 12 where ``behind`` is."""
LEFT_OF, RIGHT_OF = _towards("left_of"), _towards("right_of")
IN_FRONT_OF, BEHIND = _towards("in_front_of"), _towards("behind")
WITHIN = TargetRule(_within, robot=BASE)
STATION = TargetRule(_station, robot=BASE)
