"""The rules by which commands get their target: for a thing where it shall be, for a base where it shall
stand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Callable, Optional, Sequence, Union

from hicrisp_core.body.drive_goals import DriveSpace, closed_by, goal_within, standing_in
from hicrisp_core.body.placement import (
    DIRECTIONS,
    Round,
    Workspace,
    apart,
    beside,
    free,
    inside,
    on_top,
    on_tray,
)
from hicrisp_core.body.spots import Spots
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.zones import zones_of
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Measured,
    Pose,
    RobotState,
    WorldObject,
    WorldState,
)
from hicrisp_core.ports.kinds import BASE, TargetRule
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.robot.skills_placements import Hold, hold_of

_BEARINGS = 16
"""Bearings around a reference that are tried for "next to"."""

Target = Union[Pose, Spots, Feedback, None]
"""The only pose that will do, spots among which there is a choice, why there is none; ``None`` without a
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
        """The thing that the command handles; ``None`` where it is unknown."""
        return self.world.objects.get(self.domain.item(self.command))

    @property
    def other(self) -> Optional[WorldObject]:
        """The first other thing that the command names."""
        return self.domain.other(self.command, self.world)

    @property
    def robot(self) -> Optional[RobotState]:
        """The command's robot as it is seen."""
        return self.world.robots.get(self.command.robot)

    @property
    def constraints(self) -> Constraints:
        """What the way of a base must respect: the zones, and what earlier failures of the command have
        taught.
        """
        learnt = (each for each in self.command.keep_out if not each.name)
        return Constraints((*zones_of(self.domain, self.world.objects.values()), *learnt),
                           self.command.clearance)

    @cached_property
    def room(self) -> Workspace:
        """The workspace without what earlier failures of the command have ruled out."""
        return replace(self.workspace, avoid=self.command.avoid, apart=self.command.apart)

    def spots(self, item: WorldObject, rounds: Sequence[Round], *ignore: str) -> Spots:
        """A choice among candidates; the things to ``ignore`` may be nearer than the space that is wished."""
        held = frozenset(self.domain.roles.holders(self.world.relations))
        return Spots(item, rounds, self.world, self.room, self._hold(item), frozenset(ignore), held)

    def _hold(self, item: WorldObject) -> Optional[Hold]:
        """How the command's robot is seen to hold the item; ``None`` where it is not."""
        robot = self.world.robots.get(self.command.robot)
        if robot is None or robot.pose is None or robot.opening is None or \
                not self.domain.roles.is_held(self.world, item.name):
            return None
        return hold_of(item, robot.pose, robot.opening)


def _free(asked: TargetQuestion) -> Target:
    return asked.spots(asked.item, free(asked.item, asked.world, asked.room)) if asked.item else None


def _apart(asked: TargetQuestion) -> Target:
    return asked.spots(asked.item, apart(asked.item, asked.world, asked.room)) if asked.item else None


def _on(asked: TargetQuestion) -> Target:
    item, below = asked.item, asked.other
    if item is None or below is None or below.pose is None:
        return None
    if below.form.ground:
        return asked.spots(item, free(item, asked.world, asked.room, within=below))
    if below.movable:
        return on_top(item, below)
    return on_tray(item, below, asked.world, asked.domain.roles.upon(asked.world, below.name))


def _in(asked: TargetQuestion) -> Target:
    item, container = asked.item, asked.other
    if item is None or container is None or container.pose is None:
        return None
    return inside(item, container, asked.world, asked.domain.roles.within(asked.world, container.name))


def _beside(bearings: Callable[[Command], Sequence[float]]) -> Callable[[TargetQuestion], Target]:
    """The rule for a place beside a reference at one of some bearings, radians."""
    def find(asked: TargetQuestion) -> Target:
        item, reference = asked.item, asked.other
        if item is None or reference is None or reference.pose is None:
            return None
        rounds = beside(item, reference, bearings(asked.command), asked.world, asked.room)
        return asked.spots(item, rounds, reference.name)
    return find


def _number(command: Command) -> float:
    """The command's only number; 0 where it has none."""
    return next((value for value in command.arguments.values() if not isinstance(value, str)), 0.0)


def _towards(name: str) -> TargetRule:
    return TargetRule(_beside(lambda _: [DIRECTIONS[name]]))


def _within(asked: TargetQuestion) -> Target:
    """Where in an area a base shall stand, or why there is no such place."""
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
    """Why zones leave a base no way to a place; ``None`` where they leave it one."""
    zones = closed_by(place, asked.robot, asked.drive, asked.constraints, exactly)
    if not zones:
        return None
    return Feedback(Level.HIGH, FeedbackKind.UNREACHABLE, asked.command, subjects=(place.name,),
                    cause=Cause(CauseKind.FORBIDDEN, zones))


FREE = TargetRule(_free, anywhere=True)
APART = TargetRule(_apart, anywhere=True)
ON = TargetRule(_on)
IN = TargetRule(_in)
NEXT_TO = TargetRule(_beside(lambda _: [2.0 * math.pi * i / _BEARINGS for i in range(_BEARINGS)]))
AROUND = TargetRule(_beside(lambda command: [math.radians(_number(command))]))
LEFT_OF, RIGHT_OF = _towards("left_of"), _towards("right_of")
IN_FRONT_OF, BEHIND = _towards("in_front_of"), _towards("behind")
WITHIN = TargetRule(_within, robot=BASE)
STATION = TargetRule(_station, robot=BASE)
