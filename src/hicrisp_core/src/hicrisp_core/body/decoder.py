"""The action decoder: from an action's names to the pose that the robot aims at (HiCRISP, section III-C)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import FrozenSet, List, Optional, Sequence, Union

from hicrisp_core.body.drive_goals import DriveSpace, closed_by, goal_within, standing_in
from hicrisp_core.body.placement import DIRECTIONS, Round, Workspace, apart, beside, free, inside, on_top, on_tray
from hicrisp_core.body.spots import Spots
from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.model import Cause, CauseKind, Command, Feedback, Level, Pose, WorldObject, WorldState
from hicrisp_core.model.itinerary import UNREACHABLE
from hicrisp_core.model.keep_out import zones_in
from hicrisp_core.model.offsets import DecoderOffsets, Planar
from hicrisp_core.ports.robot import Constraints
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
            return Feedback(Level.HIGH, "not_seen", f"Cannot {self.domain.describe(command)}.",
                            f"No pose of {item.name} has arrived.", "Bring it back into view.")
        target = self._target(action, command, item, world)
        if isinstance(target, Spots):
            spots, target = target, target.best()
            if target is None:
                return self._no_place(command, spots)
        if target is None:
            return Feedback(Level.HIGH, "no_place", f"Cannot {self.domain.describe(command)}.",
                            "It is not seen where that would be.", "Choose another place.")
        bias = offsets.bias(offset_key(self.domain, command))
        return command.aimed(target, target.shifted((-bias[0], -bias[1], 0.0)))

    def _drive_goal(self, action: Action, command: Command, world: WorldState) -> Union[Command, Feedback]:
        """The command with the pose where a base shall stand, and with the zones that it must not enter."""
        place = next((world.objects[str(value)] for key, value in command.arguments.items()
                      if key != "item" and str(value) in world.objects), None)
        learnt = (each for each in command.keep_out if not each.name)
        command = replace(command, keep_out=(*zones_in(world), *learnt))
        if place is None or place.pose is None:
            return command  # A world of facts without poses; a robot that knows the place by name finds it.
        robot, exactly = world.robots.get(command.robot), action.decode == "station"
        constraints = Constraints(command.keep_out, command.clearance)
        closed = closed_by(place, robot, self.drive, constraints, exactly)
        if closed:
            said = " and ".join(map(_said, closed))
            return Feedback(Level.HIGH, UNREACHABLE, f"Cannot {self.domain.describe(command)}.",
                            f"No way leads to {_said(place.name)} without entering {said}, which is not allowed.",
                            cause=Cause(CauseKind.ZONE, closed[0]))
        goal = place.pose if exactly else goal_within(place, robot, world, command.avoid, self.drive, constraints)
        if goal is None:
            return self._unreachable(command, place, world)
        return command.aimed(goal, goal)

    def _unreachable(self, command: Command, place: WorldObject, world: WorldState) -> Feedback:
        """Why a base finds no place in an area: what stands there, or that no path leads to it."""
        blockers = standing_in(place, world, self.drive)
        said = " or the ".join(map(_said, blockers))
        tried = len(command.avoid)
        reason = f"No path leads to a free spot in {_said(place.name)} ({tried} {'goal' if tried == 1 else 'goals'} " \
                 "tried)." if tried else f"Things stand everywhere in {_said(place.name)}."
        cause = Cause(CauseKind.BLOCKED, blockers[0]) if blockers else Cause(CauseKind.NO_PATH, place.name)
        return Feedback(Level.HIGH, UNREACHABLE, f"Cannot {self.domain.describe(command)}.", reason,
                        f"Move the {said} away first." if blockers else "", blockers=blockers, cause=cause)

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
        error = f"Cannot {self.domain.describe(command)}."
        names = spots.blockers()
        if not names:
            tried = "" if not command.avoid else ", or was found to be no good"
            return Feedback(Level.HIGH, "no_place", error,
                            f"Every such spot is out of reach or off the table{tried}.", "Choose another place.")
        said = [f"the {name.replace('_', ' ')}" for name in names]
        reason = f"There is no free spot within reach for it: {' and '.join(said)} " \
                 f"{'is' if len(said) == 1 else 'are'} in the way."
        movable = all(spots.world.objects[name].movable and name not in spots.ignore for name in names)
        return Feedback(Level.HIGH, "no_place", error, reason,
                        f"Move {' or '.join(said)} away first." if movable else "Choose another place.",
                        blockers=names if movable else ())


def _hold(command: Command, item: WorldObject, world: WorldState) -> Optional[Hold]:
    """How the command's robot is seen to hold the item; ``None`` where it is not."""
    robot = world.robots.get(command.robot)
    if robot is None or robot.pose is None or robot.opening is None or not world.held(item.name):
        return None
    return hold_of(item, robot.pose, robot.opening)


def _said(name: str) -> str:
    return name.replace("_", " ")
