"""How a hand moves a part along its joint: with the bar of its handle between the fingers, or with closed fingers that
press on the bar, on its front or behind them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Iterator, Tuple

from shapely.geometry import LineString

from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar, from_axes, from_yaw, multiply
from hicrisp_core.model.joint import SLIDE, TURN, Joint
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.robot.grasps import Grasp, grasp_candidates
from hicrisp_core.robot.gripper import Gripper, hand_room, solids

_LEANS = tuple(map(math.radians, (45.0, 60.0, 30.0)))
"""How far a hand leans at a level bar that the arm reaches in no other way."""
_FOLLOWS = (1.0, 0.5)
"""How far the hand turns with a part that swings: the bar may turn in it."""
BESIDE = 0.004
"""Space between closed fingers and the bar before they press on it, metres."""
_BEHIND = 0.012
"""The same behind a front, whose back is not square to the way of its handle, metres."""
_HELD = 0.012
"""Least depth of the tool centre point behind a thick bar's middle, or below the top of a front, metres."""
_TILTS = tuple(map(math.radians, (0.0, 30.0, 60.0)))
"""By how much a hand that presses leans back from pointing straight down."""
_HOOK = math.radians(60.0)
"""By how much a hand leans that hooks a bar from outside."""
_FRONT = 0.06
"""How far behind the middle of a handle the wall ends that it is on, at most, metres."""
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


def leans(gripper: Gripper) -> Tuple[float, ...]:
    """Return how far a hand may lean at a level bar: not at all; slightly, with the palm's lower end back by the length
    of the fingers, above what lies before it; and farther, where the arm reaches it in no other way.

    Args:
        gripper: dimensions of the hand, metres.

    Returns:
        Radians.
    """
    return (0.0, math.atan2(gripper.depth + gripper.tip, gripper.palm[1]), *_LEANS)


def ways(
    part: WorldObject, joint: Joint, pose: Pose, world: WorldState, gripper: Gripper, opens: bool, lean: float = 0.0
) -> Iterator[HandleWay]:
    """Yield the ways to move a part: first those that hold the bar, then those that press.

    Args:
        part: the part.
        joint: what it hangs on.
        pose: of the part, world frame.
        world: observed objects, robots and facts.
        gripper: dimensions of the hand, metres.
        opens: whether it shall be opened.
        lean: how far a hand that holds a level bar leans down from the way into the part, radians.

    Yields:
        The ways, whatever the arm reaches.
    """
    thick, length = joint.bar
    at = pose.compose(joint.handle)
    bar = WorldObject(f"{part.name} handle", part.type, "cylinder", (thick, thick, length), pose=at)
    straight = [at.compose(Pose((0.0, 0.0, 0.0), from_axes((0.0, 0.0, side), (side * y, side * x, 0.0), (-x, y, 0.0))))
                for x, y in ((math.copysign(math.sin(lean), at.axes[0][2]), math.cos(lean)) if joint.lies else
                             (1.0, 0.0),) for side in (1.0, -1.0)]
    follows = _FOLLOWS[:1] if joint.kind in (SLIDE, TURN) else _FOLLOWS
    outer = max(0.0, thick / 2.0 - _HELD)
    grasps = [replace(grasp, pose=grasp.before(back)) for grasp in grasp_candidates(bar, world, gripper, straight)
              for back in ((0.0, outer) if outer > 0.0 else (0.0,))]
    pressing = [] if lean or joint.kind == TURN else [
        Grasp(tool, 0.0, 0.0, away=gripper.away(tool)) for tool in _pressing(part, joint, pose, world, gripper, opens)]
    for grasp in (*grasps, *pressing):
        room = hand_room(grasp.pose, grasp.opening, world, gripper, bar.name)
        wedged = any(not world.objects[name].movable for name in room.blockers)
        there = replace(grasp, clearance=room.clearance)
        yield from (HandleWay(there, each, grasp in pressing, wedged) for each in follows)


def _pressing(
    part: WorldObject, joint: Joint, pose: Pose, world: WorldState, gripper: Gripper, opens: bool
) -> Iterator[Pose]:
    """Yield tool poses of closed fingers that press across and along a bar: before it to shut the part, and to open it
    behind the front that it is on, or hooked behind the bar of a drawer where they have no room there.
    """
    handle, ahead = pose.compose(joint.handle), BESIDE if opens else -BESIDE
    after = joint.moved(handle, ahead if joint.kind == SLIDE else ahead / joint.lever)
    x, y, z = (b - a for a, b in zip(handle.position, after.position))
    if abs(z) > _LEVEL * math.hypot(x, y):
        return
    thick, towards = joint.bar[0] / 2.0, math.atan2(y, x)
    if not opens:
        for tilt in _TILTS:
            yield from _before(Pose(handle.position, from_yaw(towards)), thick + BESIDE, tilt, gripper)
        return
    inside = [tool for at in _behind_front(part, pose, handle, (x, y))
              for tool in _before(Pose(at, from_yaw(towards)), _BEHIND, 0.0, gripper)
              if hand_room(tool, 0.0, world, gripper, "").clearance > 0.0]
    hooks = _before(Pose(handle.position, from_yaw(towards)), thick, -_HOOK, gripper) if joint.kind == SLIDE else ()
    yield from inside or list(hooks)[::2]


def _before(at: Pose, space: float, tilt: float, gripper: Gripper) -> Iterator[Pose]:
    """Yield tool poses of closed fingers some space before a place along whose x axis they press, with their narrow and
    their wide side in turn.
    """
    cosine, sine = math.cos(tilt), math.sin(tilt)
    leans = from_axes((cosine, 0.0, sine), (0.0, -1.0, 0.0), (sine, 0.0, -cosine))
    for turn in range(4):
        away = (gripper.finger[1] if turn % 2 else gripper.finger[0] / 2.0) + space
        yield at.compose(Pose((-away * cosine, 0.0, -away * sine), multiply(leans, from_yaw(turn * math.pi / 2.0))))


def _behind_front(part: WorldObject, pose: Pose, handle: Pose, out: Planar) -> Iterator[Vector]:
    """Yield where fingers from above reach behind the wall that a handle is on; out is where the part opens to."""
    x, y, z = handle.position
    scale = -_FRONT / math.hypot(*out)
    line = LineString([(x, y), (x + scale * out[0], y + scale * out[1])])
    walls = [(line.intersection(footprint(wall, at)), *vertical_span(wall, at))
             for wall, at in solids(replace(part, joint=None), pose)]
    hit = [(math.dist((x, y), there.coords[-1]), top)
           for there, bottom, top in walls if not there.is_empty and bottom < z < top]
    if hit:
        far = line.interpolate(max(away for away, _ in hit))
        yield (far.x, far.y, max(top for _, top in hit) - _HELD)
