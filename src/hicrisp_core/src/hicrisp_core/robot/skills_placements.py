"""The ways to put a held item down: poses of the item that its shape allows, and the tool poses that go
with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import islice
from typing import FrozenSet, Iterator, List, Tuple

from shapely.geometry import Point

from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import (
    Planar,
    Quaternion,
    distance,
    from_yaw,
    heading,
    multiply,
    rotate,
    turn_between,
    upright_turn,
)
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.robot.affordances import Margin, ranked
from hicrisp_core.robot.grasps import Grasp
from hicrisp_core.robot.gripper import Gripper, Room, hand_room, parts
from hicrisp_core.robot.skills import below

_ROUND_YAWS, _SLOPES = 12, 36
"""Turns of what is round about its axis, as it stands and as it is laid down: there the hand fits at few of them."""
_OTHER_YAWS = (-math.pi / 6, math.pi / 6, -math.pi / 3, math.pi / 3, math.pi / 2)
"""Turns of a box to try if its sides along the target's leave no room for the fingers."""
_CLEAR = 0.012
"""Least space between an item that is turned at its target and what is beside that, metres."""
_OVER, _TIGHT = 0.005, 0.003
"""Height that a palm has over other objects where there is room for it, and its clearance otherwise, metres."""
_SLIDES = math.radians(50.0)
"""A turn about the vertical by which a dish moves what lies in it."""
_LOOKED_AT = 16
"""Ways to put something down that are looked at before a grasp is said not to allow any."""
_SAGS = 0.2
"""Tilt of a plate that is pinched by its rim from which it hangs there, radians."""
_DROPPED, _STEEPEST = 0.09, 0.5
"""How far above the floor of a drawer the top of what shall lie there may be let go, metres: the hand is above its
walls; and the greatest sine of its slope then.
"""
LEAST_ROOM = 0.004
"""How far each finger opens at least to let go, metres."""
LEVEL_HAND, _STAND_TRIES = 0.3, 12
"""Largest sine of the hand's slope when it stands something up, and how many ways of it are tried."""


@dataclass(frozen=True)
class Hold:
    """How a hand holds an item: the item in the tool's frame, the distance between the fingers in metres."""

    item: Pose
    opening: float


@dataclass(frozen=True)
class Placement:
    """One way to put an item down: its pose, the tool's pose with the room that the hand has, and what it
    touches.
    """

    item: Pose
    grasp: Grasp
    blockers: Tuple[str, ...] = ()


def hold_of(item: WorldObject, tool: Pose, opening: float) -> Hold:
    """Return how an item is held.

    Args:
        item: the item as observed.
        tool: tool pose, world frame.
        opening: distance between the fingers, metres.

    Returns:
        Pose of the item in the tool frame, with the opening.
    """
    held = item.pose or tool
    if sags(item):  # It is turned back where it is put down.
        at, turn = held.seen(tool.position), multiply(held.inverse().orientation, tool.orientation)
        grip = min((grip for grip in item.form.walls if grip.leans), key=lambda grip: (
            round(distance(grip.tool.position, at), 2), turn_between(grip.tool.orientation, turn)))
        return Hold(grip.tool.inverse(), opening)
    return Hold(tool.inverse().compose(held), opening)


def sags(item: WorldObject) -> bool:
    """Check whether a held item hangs from its rim, about which it turned when it was lifted.

    Args:
        item: the item as observed.

    Returns:
        True for a plate that is not level.
    """
    return item.pose is not None and item.pose.tilt > _SAGS and item.form.pinched


def ways_to_place(
    item: WorldObject, hold: Hold, target: Pose, world: WorldState, gripper: Gripper, margin: Margin, tries: int
) -> Iterator[Placement]:
    """Yield placements, best first: those that keep the target's yaw, then other yaws with room for the hand.

    A lying item is stood up if the arm can, and otherwise put down as it lies.

    Args:
        item: the held item.
        hold: how it is held.
        target: pose of its centre, world frame.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.
        margin: returns the least joint margin of a tool pose, radians.
        tries: the most placements that do not stand the item up.

    Yields:
        Placements whose tool pose has a posture, or not: the planner decides.
    """
    if lies(target):
        free = [way for way in _laid_down(item, hold, target, world, gripper) if way.grasp.clearance > 0.0]
        yield from islice(ranked(free, _grasp_of, margin), tries)
        return
    if not (item.form.boxy or item.form.walls):
        yield from stood_up(item, hold, target, gripper)
    yield from islice(_put_down(item, hold, target, world, gripper, margin), tries)


def can_place(
    item: WorldObject, grasp: Grasp, target: Pose, world: WorldState, gripper: Gripper, margin: Margin
) -> bool:
    """Check whether an object can be put down at a place by the grasp that takes it.

    Args:
        item: the object where it is.
        grasp: how it shall be held.
        target: pose of its centre, world frame.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.
        margin: returns the least joint margin of a tool pose, radians.

    Returns:
        True if the hand has room there and a posture.
    """
    hold = hold_of(item, grasp.pose, grasp.width)
    there = propped(item, target, _DROPPED) if lies(target) else target
    return any(way.grasp.clearance > 0.0 and margin(way.grasp.pose) is not None
               for way in ways_to_place(item, hold, there, world, gripper, margin, _LOOKED_AT))


def _put_down(
    item: WorldObject, hold: Hold, target: Pose, world: WorldState, gripper: Gripper, margin: Margin
) -> Iterator[Placement]:
    ways, now = placements(item, hold, target, world, gripper), item.pose or target
    near = [way for way in ways
            if not item.form.rim or abs(math.remainder(way.item.yaw - now.yaw, math.tau)) < _SLIDES]
    yield from ranked(near, _grasp_of, margin)
    yield from ranked([way for way in ways if way not in near], _grasp_of, margin)
    if item.form.boxy or item.form.walls:
        others = [way for ways in _turned(item, hold, target, world, gripper) for way in ways]
        yield from ranked([way for way in others if way.grasp.clearance > 0.0], _grasp_of, margin)


def most_room(
    item: WorldObject, hold: Hold, target: Pose, world: WorldState, gripper: Gripper, exact: bool = False
) -> Placement:
    """Return the placement that leaves the hand most room; reachability is not checked.

    Args:
        item: the held item.
        hold: how it is held.
        target: pose of its centre, world frame.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.
        exact: whether it is not turned otherwise than the target is.

    Returns:
        The placement.
    """
    if lies(target):
        return max(_laid_down(item, hold, target, world, gripper), key=lambda way: way.grasp.clearance)
    lying = not item.form.boxy and stood_up(item, hold, target, gripper)
    if lying:
        return lying[0]
    ways = placements(item, hold, target, world, gripper)
    if exact:
        return min(ways, key=lambda way: turn_between(way.item.orientation, target.orientation))
    best = max(ways, key=lambda way: way.grasp.clearance)
    if best.grasp.clearance > gripper.room or not (item.form.boxy or item.form.walls):
        return best
    for turned in _turned(item, hold, target, world, gripper):
        best = max((best, *turned), key=lambda way: way.grasp.clearance)
        if best.grasp.clearance > gripper.room:
            break
    return best


def _turned(
    item: WorldObject, hold: Hold, target: Pose, world: WorldState, gripper: Gripper
) -> Iterator[List[Placement]]:
    """Yield the placements with other yaws at which the item comes near nothing else than at the target's."""
    near = _near(item, target, world)
    for turn in _OTHER_YAWS:
        pose = Pose(target.position, from_yaw(target.yaw + turn))
        if _near(item, pose, world) <= near:
            yield placements(item, hold, pose, world, gripper)


def _near(item: WorldObject, pose: Pose, world: WorldState) -> FrozenSet[str]:
    """Return the names of the objects that an item at a pose would be near."""
    shadow, (low, high) = footprint(item, pose), vertical_span(item, pose)
    return frozenset(name for name, other in world.objects.items()
                     if other.pose is not None and name != item.name and not other.form.ground
                     for part, at in parts(other, other.pose) for bottom, top in (vertical_span(part, at),)
                     if top > low and bottom < high and footprint(part, at).distance(shadow) < _CLEAR)


def placements(item: WorldObject, hold: Hold, target: Pose, world: WorldState, gripper: Gripper) -> List[Placement]:
    """Return the ways to put a held item down level, with the target's yaw up to the item's symmetry; a dish that sits
    askew in the hand goes down as it is held where the hand has no room otherwise.

    Args:
        item: the held item.
        hold: how it is held.
        target: pose of its centre, world frame.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.

    Returns:
        The placements, unsorted; empty if the item has no pose.
    """
    if item.pose is None:
        return []
    found: List[Placement] = []
    wary = replace(gripper, depth=gripper.depth - _OVER)
    carries = below(item, target, world) if item.form.pinched else frozenset()
    around = replace(world, objects={name: other for name, other in world.objects.items()
                                     if not _holds(other, target) and name not in carries})
    level = multiply(upright_turn(item.pose.axes[2]), item.pose.orientation) if sags(item) \
        else _levelled(item.pose.orientation)
    for now in (level, *((item.pose.orientation,) if item.form.rim else ())):
        if any(way.grasp.clearance > 0.0 for way in found):
            break
        for orientation in _orientations(item, now, target):
            pose = Pose(target.position, orientation)
            pose = pose.shifted((0.0, 0.0, (target.position[2] - item.size[2] / 2.0) - vertical_span(item, pose)[0]))
            tool = pose.compose(hold.item.inverse())
            room, most = hand_room(tool, hold.opening, around, wary, item.name), math.inf
            if room.clearance <= 0.0:  # A palm this low over others is tight, but it may be there.
                room, most = hand_room(tool, hold.opening, around, gripper, item.name), _TIGHT
            found.append(_with_room(pose, tool, hold, gripper, room, most))
    return found


def _with_room(pose: Pose, tool: Pose, hold: Hold, gripper: Gripper, room: Room, most: float) -> Placement:
    clearance = min(room.clearance, most) if room.clearance >= LEAST_ROOM else 0.0
    return Placement(pose, Grasp(tool, hold.opening, hold.opening, clearance, gripper.away(tool)), room.blockers)


def lies(pose: Pose) -> bool:
    """Check whether what is at a pose lies.

    Args:
        pose: of the object.

    Returns:
        True if its own axis is more level than upright.
    """
    return abs(pose.axes[2][2]) < 0.7


def propped(item: WorldObject, pose: Pose, height: float) -> Pose:
    """Return where what shall lie is let go if a hand at its top has to stay above the walls beside it: with its lower
    end down, on which it tips over without swinging.

    Args:
        item: the object to place.
        pose: at which it lies, world frame.
        height: by which its top is raised, metres; what is more than the steepest slope is how far it is dropped.

    Returns:
        Pose in the world frame.
    """
    slope = min(_STEEPEST, height / item.size[2])
    half = math.asin(slope) / 2.0
    raised = Pose(pose.position, multiply(pose.orientation, (0.0, -math.sin(half), 0.0, math.cos(half))))
    drop = height - slope * item.size[2] + vertical_span(item, pose)[0] - vertical_span(item, raised)[0]
    x, y = _tips(item, raised)
    return raised.shifted((-x, -y, drop))


def _tips(item: WorldObject, pose: Pose) -> Planar:
    """Return by how much the middle of what is propped moves as it tips over the edge of its lower end, metres."""
    (x, y, sine), half, bottom = pose.axes[2], item.size[2] / 2.0, vertical_span(item, pose)[0]
    cosine = math.hypot(x, y)
    far = half * (1.0 - cosine) + (pose.position[2] - half * sine - bottom) * sine / cosine
    return (far * x / cosine, far * y / cosine)


def _laid_down(
    item: WorldObject, hold: Hold, target: Pose, world: WorldState, gripper: Gripper
) -> List[Placement]:
    """Return the ways to lay an item down, turned about its own axis and end for end; a hand from below has no room.
    What is round about that axis is turned by the slopes of the hand, however it was taken or has rolled in it.
    """
    turns, first, found = 4, 0.0, []
    if item.form.round:
        up, ahead = target.inverse().axes[2], hold.item.inverse().axes[2]
        turns, first = _SLOPES, heading((-up[0], -up[1], 0.0)) - heading(ahead)
    x, y = _tips(item, target)
    for number in range(2 * turns):
        turn = multiply(multiply(from_yaw(math.pi * (number % 2)), target.orientation),
                        from_yaw(first + math.tau * (number // 2) / turns))
        pose = Pose(target.position, turn).shifted((2.0 * x, 2.0 * y, 0.0) if number % 2 else (0.0, 0.0, 0.0))
        pose = pose.shifted((0.0, 0.0, vertical_span(item, target)[0] - vertical_span(item, pose)[0]))
        tool = pose.compose(hold.item.inverse())
        room = hand_room(tool, hold.opening, world, gripper, item.name)
        found.append(_with_room(pose, tool, hold, gripper, room, math.inf if tool.axes[2][2] < LEVEL_HAND else 0.0))
    return found


def stood_up(object_: WorldObject, hold: Hold, target: Pose, gripper: Gripper) -> List[Placement]:
    """Return the ways to stand a lying item up with a level hand that points away from the base: the end that
    is held more ends up on top.

    Args:
        object_: the held item.
        hold: how it is held.
        target: pose of its centre, world frame.
        gripper: dimensions of the hand, metres.

    Returns:
        The placements, best first; empty if the item does not lie.
    """
    if object_.pose is None or abs(rotate(object_.pose.orientation, (0.0, 0.0, 1.0))[2]) > 0.5:
        return []
    away = gripper.away(target)
    found: List[Tuple[bool, float, Placement]] = []
    for end_up in (1.0, -1.0):
        upright = multiply(upright_turn(rotate(object_.pose.orientation, (0.0, 0.0, end_up))), object_.pose.orientation)
        for number in range(_ROUND_YAWS):
            item = Pose(target.position, multiply(from_yaw(math.tau * number / _ROUND_YAWS), upright))
            tool = item.compose(hold.item.inverse())
            ahead = rotate(tool.orientation, (0.0, 0.0, 1.0))
            off = abs(math.remainder(heading(ahead) - away, math.tau))
            if abs(ahead[2]) < LEVEL_HAND:
                low = tool.position[2] < item.position[2]
                found.append((low, off, Placement(item, Grasp(tool, hold.opening, hold.opening, gripper.spare))))
    return [way for _, _, way in sorted(found, key=lambda entry: entry[:2])[:_STAND_TRIES]]


def _holds(bowl: WorldObject, target: Pose) -> bool:
    """Check whether a place is in a bowl, into whose wall no hand comes lower than its palm."""
    return bowl.form.hollow and bowl.form.round and bowl.pose is not None \
        and footprint(bowl, bowl.pose).contains(Point(*target.position[:2])) \
        and target.position[2] < vertical_span(bowl, bowl.pose)[1]


def _grasp_of(way: Placement) -> Grasp:
    return way.grasp


def _orientations(item: WorldObject, level: Quaternion, target: Pose) -> List[Quaternion]:
    """Return the orientations that will do, turned by what the item's shape cannot be told from."""
    ahead = rotate(level, (1.0, 0.0, 0.0))
    across = rotate(level, (0.0, 1.0, 0.0))
    flat = ahead if abs(ahead[2]) < 0.5 else across
    if item.form.round and abs(rotate(level, (0.0, 0.0, 1.0))[2]) > 0.5:
        return [multiply(from_yaw(math.tau * turn / _ROUND_YAWS), level) for turn in range(_ROUND_YAWS)]
    turns = 4 if item.form.boxy and abs(item.size[0] - item.size[1]) < 0.002 else 2
    start = target.yaw - heading(flat)
    return [multiply(from_yaw(start + math.tau * turn / turns), level) for turn in range(turns)]


def _levelled(orientation: Quaternion) -> Quaternion:
    """Return the nearest orientation in which one of the body's axes is vertical."""
    up = max(Pose((0.0, 0.0, 0.0), orientation).axes, key=lambda axis: abs(axis[2]))
    return multiply(upright_turn(up if up[2] >= 0.0 else (-up[0], -up[1], -up[2])), orientation)
