"""The action decoder: from an action's names to the pose that the robot aims at (HiCRISP, section III-C)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import FrozenSet, List, Optional, Sequence, Union

from hicrisp_core.body.drive_goals import DriveSpace, goal_within, kept_out, standing_in
from hicrisp_core.body.placement import DIRECTIONS, Round, Workspace, apart, beside, free, inside, on_top, on_tray
from hicrisp_core.body.spots import Spots
from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Measured,
    Pose,
    WorldObject,
    WorldState,
)
from hicrisp_core.model.offsets import DecoderOffsets, Planar
from hicrisp_core.robot.skills_placements import Hold, hold_of

_BEARINGS = 16
"""Bearings around a reference that are tried for "next to"."""


def offset_key(domain: Domain, command: Command) -> str:
    """The key of the decoder's estimate: robot, skill and the frame in which the bias is measured."""
    return f"{command.robot}/{domain.actions[command.action].skill}/world"


def measured_offset(command: Command, item: Optional[WorldObject]) -> Optional[Planar]:
    """The item's position less the aim, metres in the world's plane: one sample of the bias."""
    if item is None or item.pose is None or command.aim is None:
        return None
    return (item.pose.position[0] - command.aim.position[0], item.pose.position[1] - command.aim.position[1])


@dataclass(frozen=True)
class ActionDecoder:
    """Gives commands their target and their aim."""

    domain: Domain
    workspace: Workspace = Workspace()
    drive: DriveSpace = DriveSpace()

    def decode(self, command: Command, world: WorldState, offsets: DecoderOffsets) -> Union[Command, Feedback]:
        """The command with its target and its aim, or the feedback why there is no place for it."""
        action = self.domain.actions[command.action]
        if action.decode in ("within", "station"):
            return self._drive_goal(action, command, world)
        item = world.objects.get(command.argument("item"))
        if item is None or (item.pose is None and item.pose_age == 0.0) or not action.decode:
            return command  # Nothing to aim: no placement, or a world of facts without poses.
        if item.pose is None:
            return Feedback(Level.HIGH, FeedbackKind.NOT_SEEN, command, subjects=(item.name,))
        target = self._target(action, command, item, world)
        if isinstance(target, Spots):
            spots, target = target, target.best()
            if target is None:
                return self._no_place(command, spots)
        if target is None:
            unseen = tuple(str(value) for key, value in command.arguments.items()
                           if key != "item" and str(value) in world.objects)
            return Feedback(Level.HIGH, FeedbackKind.NO_PLACE, command, cause=Cause(CauseKind.NOT_SEEN, unseen))
        bias = offsets.bias(offset_key(self.domain, command))
        return command.aimed(target, target.shifted((-bias[0], -bias[1], 0.0)))

    def _drive_goal(self, action: Action, command: Command, world: WorldState) -> Union[Command, Feedback]:
        """The command with the pose where a base shall stand, and with the zones that it must not enter."""
        place = next((world.objects[str(value)] for key, value in command.arguments.items()
                      if key != "item" and str(value) in world.objects), None)
        if place is None or place.pose is None:
            return command  # A world of facts without poses; a robot that knows the place by name finds it.
        goal = place.pose if action.decode == "station" else \
            goal_within(place, world.robots.get(command.robot), world, command.avoid, self.drive)
        if goal is None:
            tried = (Measured("goals_tried", len(command.avoid)),) if command.avoid else ()
            return Feedback(Level.HIGH, FeedbackKind.UNREACHABLE, command, subjects=(place.name,),
                            blockers=standing_in(place, world, self.drive), measured=tried)
        discs = tuple(dict.fromkeys((*kept_out(world), *command.keep_out)))
        return replace(command.aimed(goal, goal), keep_out=discs)

    def _target(
        self, action: Action, command: Command, item: WorldObject, world: WorldState
    ) -> Union[Pose, Spots, None]:
        """The only pose that will do, or the spots among which there is a choice; ``None`` without a reference."""
        workspace = replace(self.workspace, avoid=command.avoid, apart=command.apart)
        other = next((world.objects[str(value)] for key, value in command.arguments.items()
                      if key != "item" and str(value) in world.objects), None)
        rounds: Sequence[Round]
        ignore: FrozenSet[str] = frozenset()
        if action.decode == "free":
            rounds = free(item, world, workspace)
        elif action.decode == "apart":
            rounds = apart(item, world, workspace)
        elif other is None or other.pose is None:
            return None
        elif action.decode == "on" and other.shape in ("surface", "region"):
            rounds = free(item, world, workspace, within=other)
        elif action.decode == "on":
            return on_top(item, other) if other.movable else on_tray(item, other, world)
        elif action.decode == "in":
            return inside(item, other, world)
        else:
            rounds = beside(item, other, self._bearings(action, command), world, workspace)
            ignore = frozenset({other.name})
        return Spots(item, rounds, world, workspace, _hold(command, item, world), ignore)

    def _bearings(self, action: Action, command: Command) -> List[float]:
        """The bearings around a reference that an action allows, radians."""
        if action.decode in DIRECTIONS:
            return [DIRECTIONS[action.decode]]
        if action.decode == "around":
            return [math.radians(float(command.arguments.get("bearing", 0.0)))]
        return [2.0 * math.pi * i / _BEARINGS for i in range(_BEARINGS)]

    def _no_place(self, command: Command, spots: Spots) -> Feedback:
        """Why no spot will do: the things in the way, or that all are out of reach, off the table or tried."""
        names = spots.blockers()
        movable = all(spots.world.objects[name].movable and name not in spots.ignore for name in names)
        return Feedback(Level.HIGH, FeedbackKind.NO_PLACE, command, subjects=names, blockers=names if movable else ())


def _hold(command: Command, item: WorldObject, world: WorldState) -> Optional[Hold]:
    """How the command's robot is seen to hold the item; ``None`` where it is not."""
    robot = world.robots.get(command.robot)
    if robot is None or robot.pose is None or robot.opening is None or not world.held(item.name):
        return None
    return hold_of(item, robot.pose, robot.opening)
