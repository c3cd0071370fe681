"""The action decoder: from an action's names to the pose that the robot aims at (HiCRISP, section III-C)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Optional, Union

from hicrisp_core.body.placement import (
    DIRECTIONS,
    Workspace,
    place_apart,
    place_beside,
    place_free,
    place_in,
    place_on,
)
from hicrisp_core.corrector.offsets import DecoderOffsets, Planar
from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.model import Command, Feedback, Level, Pose, WorldObject, WorldState

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

    def decode(self, command: Command, world: WorldState, offsets: DecoderOffsets) -> Union[Command, Feedback]:
        """The command with its target and its aim, or the feedback why there is no place for it."""
        action = self.domain.actions[command.action]
        item = world.objects.get(command.argument("item"))
        if item is None or (item.pose is None and item.pose_age == 0.0) or not action.decode:
            return command  # Nothing to aim: no placement, or a world of facts without poses.
        if item.pose is None:
            return Feedback(Level.HIGH, "not_seen", f"Cannot {self.domain.describe(command)}.",
                            f"No pose of {item.name} has arrived.", "Bring it back into view.")
        target = self._target(action, command, item, world)
        if target is None:
            where = self.domain.describe(command)
            return Feedback(Level.HIGH, "no_place", f"Cannot {where}.",
                            "There is no free spot within reach for it.", "Make room, or choose another place.")
        bias = offsets.bias(offset_key(self.domain, command))
        return command.aimed(target, target.shifted((-bias[0], -bias[1], 0.0)))

    def _target(self, action: Action, command: Command, item: WorldObject, world: WorldState) -> Optional[Pose]:
        workspace = replace(self.workspace, avoid=command.avoid)
        if action.decode == "free":
            return place_free(item, world, workspace)
        if action.decode == "apart":
            return place_apart(item, world, workspace)
        other = next((world.objects[str(value)] for key, value in command.arguments.items()
                      if key != "item" and str(value) in world.objects), None)
        if other is None:
            return None
        if action.decode == "on":
            return place_on(item, other, world, workspace)
        if action.decode == "in":
            return place_in(item, other, world)
        if action.decode in DIRECTIONS:
            bearings = [DIRECTIONS[action.decode]]
        elif action.decode == "around":
            bearings = [math.radians(float(command.arguments.get("bearing", 0.0)))]
        else:
            bearings = [2.0 * math.pi * i / _BEARINGS for i in range(_BEARINGS)]
        return place_beside(item, other, bearings, world, workspace)
