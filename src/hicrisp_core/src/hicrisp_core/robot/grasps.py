"""Grasps from above for a parallel gripper: where to hold a thing, and which way leaves the fingers most room."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterator, List, Tuple

from shapely import affinity
from shapely.geometry import MultiPolygon, box
from shapely.geometry.base import BaseGeometry

from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.model.footprint import BOWL_WALL, footprint, vertical_span
from hicrisp_core.model.geometry import from_yaw, multiply, rotate

DOWN = (1.0, 0.0, 0.0, 0.0)
"""The tool pointing straight down, its closing direction along the world's y."""
_LEVEL = 0.17
"""Largest sine of the angle between a grasped axis and the horizontal."""
_HELD_HIGHER = 0.018
_ROUND_YAWS = 8
_SAME_ROOM = 0.025
"""Clearance above which one grasp is as good as another, metres."""


@dataclass(frozen=True)
class Gripper:
    """The measures of a parallel gripper, metres.

    Args:
        opening: largest distance between the fingers.
        spare: how much wider than the thing the fingers open, in all.
        depth: how far the tool centre point may be below a thing's top before the palm touches it.
        tip: how far the finger tips reach beyond the tool centre point.
        finger: width of a finger, and its thickness in the closing direction.
        palm: extents of the hand across and along the closing direction.
        room: clearance that the fingers should have.
    """

    opening: float = 0.08
    spare: float = 0.024
    depth: float = 0.030
    tip: float = 0.0095
    finger: Tuple[float, float] = (0.022, 0.026)
    palm: Tuple[float, float] = (0.066, 0.206)
    room: float = 0.008

    def openings(self, width: float) -> Tuple[float, float]:
        """The distances between the fingers with which a thing is approached: with room, and where there is little."""
        return min(self.opening, width + self.spare), min(self.opening, width + self.spare / 2.0)


@dataclass(frozen=True)
class Grasp:
    """One way to hold a thing.

    Args:
        pose: the tool centre point in the world frame.
        width: the thing's extent between the fingers, metres.
        opening: distance between the fingers before they close.
        clearance: least space between the hand and other things, metres; 0 when they overlap.
    """

    pose: Pose
    width: float
    opening: float
    clearance: float = math.inf


def grasp_candidates(thing: WorldObject, world: WorldState, gripper: Gripper) -> List[Grasp]:
    """Grasps from above at several yaws, those with most room first; none when the thing is not seen or too wide."""
    if thing.pose is None:
        return []
    bottom, top = vertical_span(thing, thing.pose)
    x, y, z = thing.pose.apply((0.0, 0.0, _off_centre(thing, thing.pose)))
    height = max(min(max(z, top - gripper.depth), top - 0.01), bottom + gripper.tip + 0.0075)
    found: List[Grasp] = []
    for closing, width in _closing_directions(thing, thing.pose):
        if width + 0.004 > gripper.opening:
            continue
        yaw = math.atan2(closing[1], closing[0]) - math.pi / 2.0
        for turn in (yaw, yaw + math.pi):
            pose = Pose((x, y, height), multiply(from_yaw(turn), DOWN))
            found.append(_with_room(pose, width, world, gripper, thing.name))
    return sorted(found, key=preference)


def _off_centre(thing: WorldObject, pose: Pose) -> float:
    """How far from its middle a lying cylinder is held, so that a level hand can stand it up."""
    lies = thing.shape == "cylinder" and abs(rotate(pose.orientation, (0.0, 0.0, 1.0))[2]) < 0.5
    return max(0.0, min(_HELD_HIGHER, thing.size[2] / 2.0 - 0.02)) if lies else 0.0


def _with_room(pose: Pose, width: float, world: WorldState, gripper: Gripper, name: str) -> Grasp:
    """The grasp with the fingers wide open, or less where something is beside them."""
    wide, narrow = gripper.openings(width)
    room = hand_clearance(pose, wide, world, gripper, name)
    if room >= gripper.room:
        return Grasp(pose, width, wide, room)
    return Grasp(pose, width, narrow, hand_clearance(pose, narrow, world, gripper, name))


def preference(grasp: Grasp) -> Tuple[float, float]:
    """Sorting key: most room first, then the least turn of the wrist away from straight ahead."""
    turn = math.remainder(tool_yaw(grasp.pose) - _heading(grasp.pose), math.tau)
    return (-min(grasp.clearance, _SAME_ROOM), abs(turn))


def tool_yaw(pose: Pose) -> float:
    """The turn about the vertical of a tool that points down, radians."""
    ahead = rotate(pose.orientation, (1.0, 0.0, 0.0))
    return math.atan2(ahead[1], ahead[0])


def hand_clearance(pose: Pose, opening: float, world: WorldState, gripper: Gripper, held: str) -> float:
    """Least horizontal space between a hand pointing down and the things at its height, metres."""
    nearest = math.inf
    tips, palm = pose.position[2] - gripper.tip, pose.position[2] + gripper.depth
    fingers, hand = _shadows(pose, opening, gripper)
    for name, thing in world.objects.items():
        if name == held or thing.pose is None or not thing.movable:
            continue
        top = vertical_span(thing, thing.pose)[1]
        shadow = _wall(thing, thing.pose) if thing.shape == "bowl" else footprint(thing, thing.pose)
        if top > tips:
            nearest = min(nearest, fingers.distance(shadow))
        if top > palm:
            nearest = min(nearest, hand.distance(shadow))
    return float(nearest)


def _wall(bowl: WorldObject, pose: Pose) -> BaseGeometry:
    """The shadow of a bowl's wall, without what it encloses."""
    whole = footprint(bowl, pose)
    return whole.difference(whole.buffer(-BOWL_WALL))


def _shadows(pose: Pose, opening: float, gripper: Gripper) -> Tuple[MultiPolygon, MultiPolygon]:
    """The shadows of the fingers and of the palm on the ground."""
    half, thick = gripper.finger[0] / 2.0, gripper.finger[1]
    left = box(-half, opening / 2.0, half, opening / 2.0 + thick)
    right = box(-half, -opening / 2.0 - thick, half, -opening / 2.0)
    palm = box(-gripper.palm[0] / 2.0, -gripper.palm[1] / 2.0, gripper.palm[0] / 2.0, gripper.palm[1] / 2.0)
    turned = [affinity.translate(affinity.rotate(shape, tool_yaw(pose), origin=(0, 0), use_radians=True),
                                 pose.position[0], pose.position[1])
              for shape in (MultiPolygon([left, right]), MultiPolygon([palm]))]
    return turned[0], turned[1]


def _heading(pose: Pose) -> float:
    """The direction from the robot's base to a pose."""
    return math.atan2(pose.position[1], pose.position[0])


def _closing_directions(thing: WorldObject, pose: Pose) -> Iterator[Tuple[Vector, float]]:
    """Level directions in which the fingers may close on a thing, with its width in each."""
    axes = [rotate(pose.orientation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    if thing.shape == "cylinder":
        along = axes[2]
        if abs(along[2]) > 1.0 - _LEVEL:
            for turn in range(_ROUND_YAWS):
                angle = pose.yaw + math.pi * turn / _ROUND_YAWS
                yield (math.cos(angle), math.sin(angle), 0.0), thing.size[0]
            return
        across = math.hypot(along[0], along[1])
        yield (-along[1] / across, along[0] / across, 0.0), thing.size[0]
        return
    if thing.shape == "box":
        for axis, width in zip(axes, thing.size):
            if abs(axis[2]) < _LEVEL:
                yield axis, width
