"""The hand of a parallel gripper as a shape: how much room it has among things, and which of them it would
touch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterator, List, Tuple

from shapely.geometry import MultiPoint
from shapely.geometry.base import BaseGeometry

from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL

_ELSEWHERE = 0.10
"""Distance from the hand's surface from which on a thing is not measured any more, metres."""


@dataclass(frozen=True)
class Gripper:
    """The measures of a parallel gripper, metres; only the robot's file knows them.

    Args:
        opening: largest distance between the fingers.
        depth: how far the tool centre point may be below a thing's top before the palm touches it.
        tip: how far the finger tips reach beyond the tool centre point.
        finger: width of a finger, and its thickness in the closing direction.
        palm: extents of the hand across and along the closing direction.
        height: extent of the hand behind the palm.
        spare: how much wider than the thing the fingers open, in all.
        room: clearance that the fingers should have.
    """

    opening: float
    depth: float
    tip: float
    finger: Tuple[float, float]
    palm: Tuple[float, float]
    height: float
    spare: float = 0.024
    room: float = 0.008

    def openings(self, width: float) -> Tuple[float, float]:
        """The distances between the fingers with which a thing is approached: with room, and where there
        is little.
        """
        return min(self.opening, width + self.spare), min(self.opening, width + self.spare / 2.0)


@dataclass(frozen=True)
class Room:
    """The room that a hand has.

    Args:
        clearance: least horizontal space between the hand and the things at its height, metres; 0 when they
            overlap.
        blockers: the names of the things that it overlaps.
    """

    clearance: float = math.inf
    blockers: Tuple[str, ...] = ()


def hand_room(tool: Pose, opening: float, world: WorldState, gripper: Gripper, held: str) -> Room:
    """The room of a hand at a tool pose, in any orientation.

    Args:
        opening: distance between the fingers, metres.
        held: the thing that is, or shall be, between the fingers; it is not in the way.
    """
    parts = [_part(tool, *corners) for corners in _boxes(opening, gripper)]
    nearest, blockers = math.inf, []
    for name, thing in sorted(world.objects.items()):
        if name == held or thing.pose is None or thing.form.ground or _far(tool, thing, thing.pose, gripper):
            continue
        bottom, top = vertical_span(thing, thing.pose)
        shadow = _wall(thing, thing.pose) if thing.form.hollow else footprint(thing, thing.pose)
        space = min((part.distance(shadow) for part, low, high in parts if top > low and bottom < high),
                    default=math.inf)
        nearest = min(nearest, space)
        if space <= 0.0:
            blockers.append(name)
    return Room(float(nearest), tuple(blockers))


def hand_clearance(tool: Pose, opening: float, world: WorldState, gripper: Gripper, held: str) -> float:
    """Least horizontal space between a hand and the things at its height, metres."""
    return hand_room(tool, opening, world, gripper, held).clearance


def _boxes(opening: float, gripper: Gripper) -> Iterator[Tuple[Vector, Vector]]:
    """The fingers and the palm as boxes in the tool's frame: lowest and highest corner."""
    half, thick = gripper.finger[0] / 2.0, gripper.finger[1]
    for inner, outer in ((opening / 2.0, opening / 2.0 + thick), (-opening / 2.0 - thick, -opening / 2.0)):
        yield (-half, inner, -gripper.depth), (half, outer, gripper.tip)
    across, along = gripper.palm[0] / 2.0, gripper.palm[1] / 2.0
    yield (-across, -along, -gripper.depth - gripper.height), (across, along, -gripper.depth)


def _part(tool: Pose, low: Vector, high: Vector) -> Tuple[BaseGeometry, float, float]:
    """The shadow of a box in the tool's frame on the ground, and the heights between which it is."""
    corners: List[Vector] = [tool.apply((x, y, z)) for x in (low[0], high[0]) for y in (low[1], high[1])
                             for z in (low[2], high[2])]
    heights = [corner[2] for corner in corners]
    return MultiPoint([corner[:2] for corner in corners]).convex_hull, min(heights), max(heights)


def _far(tool: Pose, thing: WorldObject, pose: Pose, gripper: Gripper) -> bool:
    """A cheap test before the exact one."""
    reach = math.hypot(gripper.palm[0], gripper.palm[1]) / 2.0 + gripper.depth + gripper.height
    apart = math.hypot(tool.position[0] - pose.position[0], tool.position[1] - pose.position[1])
    return apart > reach + math.hypot(*thing.size) / 2.0 + _ELSEWHERE


def _wall(bowl: WorldObject, pose: Pose) -> BaseGeometry:
    """The shadow of a bowl's wall, without what it encloses."""
    whole = footprint(bowl, pose)
    return whole.difference(whole.buffer(-BOWL_WALL))
