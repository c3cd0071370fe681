"""A parallel gripper, and the room that its hand has among objects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Iterator, Tuple

from shapely.geometry import MultiPoint
from shapely.geometry.base import BaseGeometry

from hicrisp_core.config.settings import fixed
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import heading
from hicrisp_core.model.keep_out import footprint, half_extents, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL

_ELSEWHERE = 0.10
"""Cut-off distance for clearance checks, metres."""
_SLICES = 5
"""Into which a leaning hand's parts are cut: each is above other ground than the next."""


@dataclass(frozen=True)
class Gripper:
    """The measures of a parallel gripper, metres; only the robot's file knows them.

    Args:
        opening: largest distance between the fingers.
        depth: how far the tool centre point may be below an object's top before the palm touches it.
        tip: how far the finger tips reach beyond the tool centre point.
        finger: width of a finger, and its thickness in the closing direction.
        palm: extents of the hand across and along the closing direction.
        height: extent of the hand behind the palm.
        spare: how much wider than the object the fingers open, in all.
        room: clearance that the fingers should have.
        base: where the arm stands in the world's plane, metres, as its body or the scene says.
    """

    opening: float
    depth: float
    tip: float
    finger: Tuple[float, float]
    palm: Tuple[float, float]
    height: float
    spare: float = 0.024
    room: float = 0.008
    base: Tuple[float, float] = fixed((0.0, 0.0))

    @property
    def widest(self) -> float:
        """Width of what it takes at most, metres."""
        return self.opening - self.spare / 4.0

    def away(self, pose: Pose) -> float:
        """Return the direction in which a pose lies from where the arm stands.

        Args:
            pose: world frame.

        Returns:
            Radians from the world's x axis.
        """
        return heading((pose.position[0] - self.base[0], pose.position[1] - self.base[1], 0.0))

    def openings(self, width: float) -> Tuple[float, float]:
        """Return the finger distances for approaching an object: with room, and with little room.

        Args:
            width: width of the object between the fingers, metres.

        Returns:
            Both distances, metres, at most the hand's opening.
        """
        return min(self.opening, width + self.spare), min(self.opening, width + self.spare / 2.0)


@dataclass(frozen=True)
class Room:
    """The room that a hand has.

    Args:
        clearance: least horizontal space between the hand and the objects at its height, metres; 0 when they
            overlap.
        blockers: the names of the objects that it overlaps.
    """

    clearance: float = math.inf
    blockers: Tuple[str, ...] = ()


def hand_room(tool: Pose, opening: float, world: WorldState, gripper: Gripper, held: str) -> Room:
    """Measure the space around a hand at a tool pose, in any orientation.

    Args:
        tool: pose of the tool centre point, world frame.
        opening: distance between the fingers, metres.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.
        held: the object that is, or shall be, between the fingers; it is not in the way.

    Returns:
        The least clearance and the objects that touch the hand.
    """
    hand = list(_parts(tool, opening, gripper))
    nearest, blockers = math.inf, []
    for name, item in sorted(world.objects.items()):
        if name == held or item.pose is None or item.form.ground or _far(tool, item, item.pose, gripper):
            continue
        space = min((part.distance(shadow) for shadow, bottom, top in _walls(item, item.pose)
                     for part, low, high in hand if top > low and bottom < high), default=math.inf)
        nearest = min(nearest, space)
        if space <= 0.0:
            blockers.append(name)
    return Room(float(nearest), tuple(blockers))


def _walls(item: WorldObject, pose: Pose) -> Iterator[Tuple[BaseGeometry, float, float]]:
    """Yield the shadows of what an object is made of, without what it encloses, with their lowest and highest point."""
    if _is_made_of_solids(item):
        for part, at in solids(item, pose):
            yield (footprint(part, at), *vertical_span(part, at))
        return
    shadow = footprint(item, pose)
    yield (shadow.difference(shadow.buffer(-BOWL_WALL)) if item.form.hollow else shadow, *vertical_span(item, pose))


def parts(item: WorldObject, pose: Pose) -> Iterator[Tuple[WorldObject, Pose]]:
    """Yield what an object is made of, between which others may stand; all that its walls enclose where others stand
    in it.

    Args:
        item: the object.
        pose: of its centre, world frame.

    Yields:
        Objects with their poses, world frame.
    """
    if not _is_made_of_solids(item):
        yield item, pose
    elif item.form.hollow:
        yield _enclosed(item, pose)
        yield from _bar(item, pose)
    else:
        yield from solids(item, pose)


def _is_made_of_solids(item: WorldObject) -> bool:
    return item.form.walled or item.form.grips is not None


def solids(item: WorldObject, pose: Pose) -> Iterator[Tuple[WorldObject, Pose]]:
    """Yield the solids of an object, and the bar of its handle.

    Args:
        item: the object.
        pose: of its centre, world frame.

    Yields:
        Objects with their poses, world frame.
    """
    for solid in item.form.solids(item.size):
        yield WorldObject(item.name, item.type, solid.kind, solid.size), pose.compose(solid.pose)
    yield from _bar(item, pose)


def _bar(item: WorldObject, pose: Pose) -> Iterator[Tuple[WorldObject, Pose]]:
    if item.joint is not None:
        thick, length = item.joint.bar
        yield WorldObject(item.name, item.type, "cylinder", (thick, thick, length)), pose.compose(item.joint.handle)


def _enclosed(item: WorldObject, pose: Pose) -> Tuple[WorldObject, Pose]:
    """Return the box around the walls of a container, without the bar of its handle."""
    walls = item.form.solids(item.size)
    halves = [half_extents(WorldObject("", "", size=wall.size), wall.pose) for wall in walls]
    ends = [[(at - half, at + half) for at, half in zip(wall.pose.position, each)] for wall, each in zip(walls, halves)]
    (x, far_x), (y, far_y), (z, far_z) = ((min(low), max(high)) for low, high in (zip(*axis) for axis in zip(*ends)))
    middle = Pose(((x + far_x) / 2.0, (y + far_y) / 2.0, (z + far_z) / 2.0))
    return WorldObject(item.name, item.type, size=(far_x - x, far_y - y, far_z - z)), pose.compose(middle)


def hand_clearance(tool: Pose, opening: float, world: WorldState, gripper: Gripper, held: str) -> float:
    """Return the least horizontal distance between a hand and the objects at its height.

    Args:
        tool: pose of the tool centre point, world frame.
        opening: distance between the fingers, metres.
        world: observed objects, robots and facts; poses in the world frame.
        gripper: dimensions of the hand, metres.
        held: name of the object between the fingers, which is left out.

    Returns:
        Metres.
    """
    return hand_room(tool, opening, world, gripper, held).clearance


def _parts(tool: Pose, opening: float, gripper: Gripper) -> Iterator[Tuple[BaseGeometry, float, float]]:
    """Yield the shadows of the fingers and the palm on the ground, with the heights between which each is."""
    half, inner, outer = gripper.finger[0] / 2.0, opening / 2.0, opening / 2.0 + gripper.finger[1]
    across, along = gripper.palm[0] / 2.0, gripper.palm[1] / 2.0
    fingers, palm = (-gripper.depth, gripper.tip), (-gripper.depth - gripper.height, -gripper.depth)
    down, sideways = (_SLICES if 0.1 < abs(axis[2]) < 0.99 else 1 for axis in (tool.axes[2], tool.axes[1]))
    for xs, (left, right), (low, high), wide in (
            ((-half, half), (inner, outer), fingers, 1), ((-half, half), (-outer, -inner), fingers, 1),
            ((-across, across), (-along, along), palm, sideways)):
        for slab, strip in product(range(down), range(wide)):
            zs = [low + (high - low) * part / down for part in (slab, slab + 1)]
            ys = [left + (right - left) * part / wide for part in (strip, strip + 1)]
            corners = [tool.apply((x, y, z)) for x in xs for y in ys for z in zs]
            heights = [corner[2] for corner in corners]
            yield MultiPoint([corner[:2] for corner in corners]).convex_hull, min(heights), max(heights)


def _far(tool: Pose, item: WorldObject, pose: Pose, gripper: Gripper) -> bool:
    """Check cheaply, before the exact test, whether an object is out of the hand's range."""
    reach = math.hypot(gripper.palm[0], gripper.palm[1]) / 2.0 + gripper.depth + gripper.height
    apart = math.hypot(tool.position[0] - pose.position[0], tool.position[1] - pose.position[1])
    return apart > reach + math.hypot(*item.size) / 2.0 + _ELSEWHERE
