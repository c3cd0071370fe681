"""The grasps of a parallel gripper, from above and from the side: where to hold an object."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Iterable, Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import Quaternion, from_yaw, heading, multiply, rotate
from hicrisp_core.model.keep_out import vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.robot.gripper import Gripper, hand_clearance

_HALF = math.sqrt(0.5)
DOWN = (1.0, 0.0, 0.0, 0.0)
"""The tool pointing straight down, its closing direction along the world's y."""
_AHEAD: Tuple[Quaternion, Quaternion] = ((0.0, _HALF, 0.0, _HALF), (_HALF, 0.0, _HALF, 0.0))
"""The tool pointing along the world's x, its closing direction level: to the left, and to the right."""
_LEVEL = 0.17
"""Largest sine of the angle between a grasped axis and the horizontal."""
_HELD_HIGHER = 0.018
_ROUND_YAWS = 8
_WRIST = 0.03
"""Height above the ground that the wrist needs below the palm of a level hand, metres."""
_OVER_DISHES = 0.045
"""The same at an open vessel, so that the hand passes over the dishes beside it, metres."""
_BELOW_TOP = 0.012
"""Least distance of a level finger's middle from the top of what it holds, metres."""
_ABOVE_FLOOR = 0.005
"""Space between the tip of a finger in a dish and its floor, metres."""
_RIM_YAWS, _SHALLOW = 12, 0.016
"""Places around a rim at which it is tried, and how far below it the tool holds a dish whose rim is below the walls
beside it, metres.
"""
_LEAN = math.radians(25.0)
"""By how much a hand from above leans to a side, about its closing direction, to get its palm past what is tall."""
_BEHIND = 0.15
"""Length of the arm behind the hand that needs as much room as the hand does, under a roof or before a wall, metres."""
_AWAY = 0.2
"""Least cosine between the direction in which a level hand reaches and the one away from the robot's base."""


@dataclass(frozen=True)
class Grasp:
    """One way to hold an object.

    Args:
        pose: the tool centre point in the world frame.
        width: the object's extent between the fingers, metres.
        opening: distance between the fingers before they close.
        clearance: least space between the hand and other objects, metres; 0 when they overlap.
        away: direction in which it lies from where the arm stands, radians; without it, from the world's origin.
        low: whether a finger is under a rim, as near to what the object stands on as it can be.
    """

    pose: Pose
    width: float
    opening: float
    clearance: float = math.inf
    away: Optional[float] = None
    low: bool = False

    @property
    def slope(self) -> float:
        """How far the hand is from pointing straight down, where it is 0; a level one has 1."""
        return round(1.0 + rotate(self.pose.orientation, (0.0, 0.0, 1.0))[2], 3)

    @property
    def from_side(self) -> bool:
        """Whether the hand approaches level, not from above."""
        return self.slope > 0.5

    @property
    def turn(self) -> float:
        """Turn of the wrist relative to straight ahead of the robot, radians, at least 0."""
        axis = (0.0, 0.0, 1.0) if self.from_side else (1.0, 0.0, 0.0)
        ahead = rotate(self.pose.orientation, axis)
        away = heading(self.pose.position) if self.away is None else self.away
        return abs(math.remainder(heading(ahead) - away, math.tau))

    def before(self, distance: float) -> Pose:
        """Return the tool pose from which a straight motion leads to the grasp.

        Args:
            distance: length of that motion, metres.

        Returns:
            Pose in the world frame.
        """
        return self.pose.compose(Pose((0.0, 0.0, -distance)))


def grasp_candidates(item: WorldObject, world: WorldState, gripper: Gripper,
                     besides: Sequence[Pose] = ()) -> List[Grasp]:
    """Return the possible grasps of an object: from above at several yaws, then from the side. Without room for
    one, those with a leaning hand come last.

    Args:
        item: the object with its shape and size.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.
        besides: further tool poses with its least extent between the fingers, world frame.

    Returns:
        The candidates; empty if the object has no pose or is too wide for the hand.
    """
    if item.pose is None:
        return []
    bottom = vertical_span(item, item.pose)[0]
    poses = [*(way for part in item.grips if part.pose is not None
               for way in (*_from_above(part, part.pose, gripper), *_from_side(part, part.pose, bottom, gripper))),
             *_by_rim(item, item.pose, gripper, gripper.depth),
             *_by_walls(item, item.pose, gripper),
             *((pose, min(item.size)) for pose in besides)]
    found = [_with_room(pose, width, world, gripper, item.name)
             for pose, width in poses if width + 0.004 <= gripper.opening and _fits(item, pose, width, gripper)]
    found += [Grasp(tool, grip.width, narrow, hand_clearance(tool, narrow, world, gripper, item.name),
                    gripper.away(tool), low=True)
              for grip in item.form.walls if grip.leans and item.pose.axes[2][2] > 1.0 - _LEVEL
              for tool, narrow in [(item.pose.compose(grip.tool), gripper.openings(grip.width)[1])]]
    if not any(grasp.clearance >= gripper.room for grasp in found):
        found += [_with_room(pose, width, world, gripper, item.name)
                  for pose, width in _by_rim(item, item.pose, gripper, _SHALLOW)]
        found += [_with_room(pose, width, world, gripper, item.name)
                  for part in item.grips if part.pose is not None for pose, width in _leaning(
                      _from_above(part, part.pose, gripper), vertical_span(part, part.pose)[1], gripper)
                  if width + 0.004 <= gripper.opening]
    fixed = WorldState({name: other for name, other in world.objects.items() if not other.movable})
    reaching = replace(gripper, height=gripper.height + _BEHIND)
    free = [grasp for grasp in found if hand_clearance(grasp.pose, grasp.opening, fixed, reaching, item.name) > 0.0]
    return free or found  # Nobody moves furniture away.


def _fits(item: WorldObject, tool: Pose, width: float, gripper: Gripper) -> bool:
    """Check that a hand around one part of an object, such as a bottle's neck, does not touch its other parts."""
    parts = item.grips
    others = {str(number): part for number, part in enumerate(parts) if part.pose is not None
              and (part.pose.seen(tool.position)[2] - part.size[2] / 2.0 > 0.0
                   or part.pose.seen(tool.position)[2] + part.size[2] / 2.0 < 0.0)}
    return len(parts) < 2 or hand_clearance(
        tool, gripper.openings(width)[0], WorldState(others), gripper, "") > 0.0


def _from_above(item: WorldObject, pose: Pose, gripper: Gripper) -> Iterator[Tuple[Pose, float]]:
    """Tool poses that point down, with the object's width between the fingers; none for an open vessel that stands."""
    if item.form.open and abs(rotate(pose.orientation, (0.0, 0.0, 1.0))[2]) > 1.0 - _LEVEL:
        return
    bottom, top = vertical_span(item, pose)
    x, y, z = pose.apply((0.0, 0.0, _off_centre(item, pose)))
    height = max(min(max(z, top - gripper.depth), top - 0.01), bottom + gripper.tip + 0.0075)
    for closing, width in _closing_directions(item, pose):
        yaw = heading(closing) - math.pi / 2.0
        for turn in (yaw, yaw + math.pi):
            yield Pose((x, y, height), multiply(from_yaw(turn), DOWN)), width


def leaning(grasps: Sequence[Grasp], item: WorldObject, world: WorldState, gripper: Gripper) -> List[Grasp]:
    """Return the grasps from above with a hand that leans, which reaches farther away and nearer to the arm.

    Args:
        grasps: of the object.
        item: the object with its shape and size.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.

    Returns:
        Two for each that points straight down and still holds the object then; none without a pose.
    """
    if item.pose is None:
        return []
    above = ((grasp.pose, grasp.width) for grasp in grasps if grasp.slope == 0.0)
    return [_with_room(pose, width, world, gripper, item.name)
            for pose, width in _leaning(above, vertical_span(item, item.pose)[1], gripper)]


def _leaning(
    ways: Iterable[Tuple[Pose, float]], top: float, gripper: Gripper
) -> Iterator[Tuple[Pose, float]]:
    """Tool poses from above that lean about the closing direction, as low as fingers and palm may come."""
    sine, cosine = math.sin(_LEAN), math.cos(_LEAN)
    for above, width in ways:
        x, y, height = above.position
        height = max(height + gripper.finger[0] / 2.0 * sine,
                     top - gripper.depth * cosine + gripper.palm[0] / 2.0 * sine)
        for half in (_LEAN / 2.0, -_LEAN / 2.0) if height < top else ():
            yield Pose((x, y, height), multiply(above.orientation, (0.0, math.sin(half), 0.0, math.cos(half)))), width


def _by_rim(item: WorldObject, pose: Pose, gripper: Gripper, depth: float) -> Iterator[Tuple[Pose, float]]:
    """Tool poses that point down around the wall of a dish that stands, so far below its rim."""
    if not item.form.rim or rotate(pose.orientation, (0.0, 0.0, 1.0))[2] < 1.0 - _LEVEL:
        return
    bottom, top = vertical_span(item, pose)
    height = max(bottom + BOWL_WALL + gripper.tip + _ABOVE_FLOOR, top - depth)
    middle = (item.size[0] - BOWL_WALL) / 2.0
    for number in range(_RIM_YAWS):
        angle = math.tau * number / _RIM_YAWS
        x, y = pose.position[0] + middle * math.cos(angle), pose.position[1] + middle * math.sin(angle)
        for turn in (angle - math.pi / 2.0, angle + math.pi / 2.0):
            yield Pose((x, y, height), multiply(from_yaw(turn), DOWN)), BOWL_WALL


def _by_walls(item: WorldObject, pose: Pose, gripper: Gripper) -> Iterator[Tuple[Pose, float]]:
    """Tool poses around the walls of what stands as it was measured, those of a level hand where its wrist has room."""
    if rotate(pose.orientation, (0.0, 0.0, 1.0))[2] < 1.0 - _LEVEL:
        return
    least = vertical_span(item, pose)[0] + gripper.palm[0] / 2.0 + _WRIST
    for tool, width in ((pose.compose(grip.tool), grip.width) for grip in item.form.walls if not grip.leans):
        if tool.axes[2][2] < -_LEVEL or tool.position[2] >= least:
            yield tool, width


def _from_side(item: WorldObject, pose: Pose, bottom: float, gripper: Gripper) -> Iterator[Tuple[Pose, float]]:
    """Tool poses of a level hand that reaches away from the robot, for what stands and is high enough for it."""
    if abs(rotate(pose.orientation, (0.0, 0.0, 1.0))[2]) < 1.0 - _LEVEL:
        return
    top = vertical_span(item, pose)[1]
    height = max(pose.position[2], bottom + gripper.palm[0] / 2.0 + (_OVER_DISHES if item.form.open else _WRIST))
    if height > top - _BELOW_TOP:
        return
    away = gripper.away(pose)
    for closing, width in _closing_directions(item, pose):
        for side in (math.pi / 2.0, -math.pi / 2.0):
            yaw = heading(closing) + side
            if math.cos(yaw - away) < _AWAY:
                continue
            reach = max(0.0, _extent(item, pose, yaw) / 2.0 - gripper.depth)  # The palm stays outside.
            x, y = pose.position[0] - reach * math.cos(yaw), pose.position[1] - reach * math.sin(yaw)
            for level in _AHEAD:
                yield Pose((x, y, height), multiply(from_yaw(yaw), level)), width


def _extent(item: WorldObject, pose: Pose, yaw: float) -> float:
    """Return how long a standing object is in a direction along one of its sides, metres."""
    if item.form.rod:
        return item.size[0]
    along = rotate(pose.orientation, (1.0, 0.0, 0.0))
    same = abs(along[0] * math.cos(yaw) + along[1] * math.sin(yaw)) > math.sqrt(0.5)
    return item.size[0] if same else item.size[1]


def _off_centre(item: WorldObject, pose: Pose) -> float:
    """Return how far from its middle a lying cylinder is held, so that a level hand can stand it up."""
    lies = item.form.rod and abs(rotate(pose.orientation, (0.0, 0.0, 1.0))[2]) < 0.5
    return max(0.0, min(_HELD_HIGHER, item.size[2] / 2.0 - 0.02)) if lies else 0.0


def _with_room(pose: Pose, width: float, world: WorldState, gripper: Gripper, name: str) -> Grasp:
    """Return the grasp with the fingers wide open, or less where something is beside them."""
    wide, narrow = gripper.openings(width)
    room = hand_clearance(pose, wide, world, gripper, name)
    if room >= gripper.room:
        return Grasp(pose, width, wide, room, gripper.away(pose))
    return Grasp(pose, width, narrow, hand_clearance(pose, narrow, world, gripper, name), gripper.away(pose))


def _closing_directions(item: WorldObject, pose: Pose) -> Iterator[Tuple[Vector, float]]:
    """Level directions in which the fingers may close on an object, with its width in each."""
    axes = pose.axes
    if item.form.rod:
        along = axes[2]
        if abs(along[2]) > 1.0 - _LEVEL:
            for turn in range(_ROUND_YAWS):
                angle = pose.yaw + math.pi * turn / _ROUND_YAWS
                yield (math.cos(angle), math.sin(angle), 0.0), item.size[0]
            return
        across = math.hypot(along[0], along[1])
        yield (-along[1] / across, along[0] / across, 0.0), item.size[0]
        return
    if item.form.boxy:
        for axis, width in zip(axes, item.size):
            if abs(axis[2]) < _LEVEL:
                yield axis, width
