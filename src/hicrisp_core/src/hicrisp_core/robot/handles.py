"""How a hand moves a part along its joint: with the bar of its handle between the fingers, or with closed fingers that
press on the bar to shut it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Iterator

from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_axes, from_yaw, multiply
from hicrisp_core.model.joint import SLIDE, TURN, Joint
from hicrisp_core.robot.grasps import Grasp, grasp_candidates
from hicrisp_core.robot.gripper import Gripper, hand_room

_FOLLOWS = (1.0, 0.5)
"""How far the hand turns with a part that swings: the bar may turn in it."""
BESIDE = 0.004
"""Space between closed fingers and the bar before they press on it, metres."""
_HELD = 0.012
"""Least depth to which the fingers' tips go around a thick bar, beyond the tool centre point, metres."""
_TILTS = tuple(map(math.radians, (0.0, 30.0, 60.0)))
"""By how much a hand that presses leans back from pointing straight down."""
_LEVEL = 0.2
"""Largest vertical part of the direction in which a part is pressed."""


@dataclass(frozen=True)
class HandleWay:
    """One way to move a part.

    Args:
        grasp: where the hand takes its handle, or presses on it.
        follows: how far the hand turns with it.
        presses: whether the fingers are closed, with the bar before them.
        wedged: whether something that stands fast leaves the hand no room there.
    """

    grasp: Grasp
    follows: float
    presses: bool = False
    wedged: bool = False

    def tool(self, joint: Joint, handle: Pose, turned: float, start: Pose) -> Pose:
        """Return the tool pose after a motion.

        Args:
            joint: as measured.
            handle: where the handle's middle shall be, world frame.
            turned: how far the hand has turned about the joint's axis since it gripped, radians.
            start: where the handle's middle was then.

        Returns:
            Pose in the world frame.
        """
        turn = joint.turned(turned)
        hand = self.grasp.pose.shifted((-start.position[0], -start.position[1], -start.position[2]))
        return turn.compose(hand).shifted(handle.position)


def ways(
    part: WorldObject, joint: Joint, pose: Pose, world: WorldState, gripper: Gripper, opens: bool
) -> Iterator[HandleWay]:
    """Yield the ways to move a part: first those that hold the bar, then those that press.

    Args:
        part: the part.
        joint: what it hangs on.
        pose: of the part, world frame.
        world: observed objects, robots and facts.
        gripper: dimensions of the hand, metres.
        opens: whether it shall be opened.

    Yields:
        The ways, whatever the arm reaches.
    """
    thick, length = joint.bar
    at = pose.compose(joint.handle)
    bar = WorldObject(f"{part.name} handle", part.type, "cylinder", (thick, thick, length), pose=at)
    straight = [at.compose(Pose((0.0, 0.0, 0.0), from_axes((0.0, 0.0, side), (side * y, side * x, 0.0), (-x, y, 0.0))))
                for x, y in ((0.0, 1.0) if joint.lies else (1.0, 0.0),) for side in (1.0, -1.0)]
    follows = _FOLLOWS[:1] if joint.kind in (SLIDE, TURN) else _FOLLOWS
    outer = max(0.0, thick / 2.0 - _HELD)
    grasps = [replace(grasp, pose=grasp.before(back)) for grasp in grasp_candidates(bar, world, gripper, straight)
              for back in ((0.0, outer) if outer > 0.0 else (0.0,))]
    pressing = [] if opens or joint.kind == TURN else [
        Grasp(tool, 0.0, 0.0, away=gripper.away(tool)) for tool in _pressing(joint, at, gripper)]
    for grasp in (*grasps, *pressing):
        room = hand_room(grasp.pose, grasp.opening, world, gripper, bar.name)
        wedged = any(not world.objects[name].movable for name in room.blockers)
        there = replace(grasp, clearance=room.clearance)
        yield from (HandleWay(there, each, grasp in pressing, wedged) for each in follows)


def _pressing(joint: Joint, handle: Pose, gripper: Gripper) -> Iterator[Pose]:
    """Yield tool poses of closed fingers before the bar that is to be pressed shut, across it and along it."""
    after = joint.moved(handle, -BESIDE if joint.kind == SLIDE else -BESIDE / joint.lever)
    x, y, z = (b - a for a, b in zip(handle.position, after.position))
    if abs(z) > _LEVEL * math.hypot(x, y):
        return
    for tilt, turn in itertools.product(_TILTS, range(4)):
        cosine, sine = math.cos(tilt), math.sin(tilt)
        half = gripper.finger[1] if turn % 2 else gripper.finger[0] / 2.0
        away = half + joint.bar[0] / 2.0 + BESIDE
        leans = from_axes((cosine, 0.0, sine), (0.0, -1.0, 0.0), (sine, 0.0, -cosine))
        yield Pose(handle.position, from_yaw(math.atan2(y, x))).compose(
            Pose((-away * cosine, 0.0, -away * sine), multiply(leans, from_yaw(turn * math.pi / 2.0))))
