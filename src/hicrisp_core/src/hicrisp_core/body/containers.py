"""Where an item may go in a bowl, a drawer, a cupboard or a compartment, in order of preference."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Dict, FrozenSet, List, Optional, Sequence

from shapely.geometry import Point

from hicrisp_core.body.placement import LOOKED_AT, TIGHT, Round, Workspace, evenly
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, heading, multiply
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.robot.gripper import solids
from hicrisp_core.robot.skills_placements import propped

_SPOTS, _CLOSER, _FRONT = 6, 2, 0.03
"""The spots to each side of the middle of a drawer or a cupboard, how many times as many there are for what lies, and
how far before the middle those are that come first, metres.
"""
_LYING = (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5))
"""What lies with its top towards x."""
_SNUG = 0.002
"""Least space to the walls of a compartment, metres."""


def inside(item: WorldObject, bowl: WorldObject, world: WorldState, within: FrozenSet[str]) -> Optional[Pose]:
    """Return a pose inside a bowl: its middle, or as far as possible from its contents.

    Args:
        item: the object to place.
        bowl: the hollow object.
        world: observed objects, robots and facts; poses in the world frame.
        within: names of its contents.

    Returns:
        Pose in the world frame; ``None`` if the bowl has no pose.
    """
    if bowl.pose is None:
        return None
    x, y, _ = bowl.pose.position
    floor = vertical_span(bowl, bowl.pose)[0] + BOWL_WALL
    room = max(0.0, bowl.size[0] / 2.0 - BOWL_WALL - math.hypot(item.size[0], item.size[1]) / 2.0)
    contents = [object_ for object_ in world.objects.values() if object_.pose is not None
                and object_.name != item.name
                and object_.name in within]
    bearings = [math.tau * i / 8 for i in range(8)] if contents else []
    spots = [(x, y), *((x + room * math.cos(a), y + room * math.sin(a)) for a in bearings)]
    best_spot, best_space = spots[0], -math.inf
    for spot in spots:
        space = min((math.dist(spot, object_.pose.position[:2]) for object_ in contents if object_.pose), default=0.0)
        if space > best_space + 1e-9:
            best_spot, best_space = spot, space
    shadow = footprint(item, Pose((*best_spot, 0.0)))
    tops = [vertical_span(object_, object_.pose)[1] for object_ in contents
            if object_.pose and footprint(object_, object_.pose).distance(shadow) <= 0.0]
    return Pose((*best_spot, max([floor, *tops]) + item.size[2] / 2.0))


def too_tall(item: WorldObject, box: WorldObject) -> bool:
    """Check whether an item that stands in a drawer keeps it from closing, and may lie in it.

    Args:
        item: the object to place.
        box: the drawer.

    Returns:
        True for what is round about its axis or a box, and higher than the drawer; a box with a part for the hand stays
        upright in it.
    """
    return box.joint is not None and item.size[2] > box.size[2] and not item.form.open \
        and (item.form.rod or item.form.boxy and item.form.grips is None)


def inside_box(
    item: WorldObject, box: WorldObject, workspace: Workspace, drops: Sequence[float] = (0.0,),
    lying: Optional[float] = None
) -> List[Round]:
    """Return the spots in a drawer or a cupboard, those nearest to its front first; in a compartment to its middle.
    What is taken by its walls, such as a mug with a handle, is turned by quarters, whole on the floor where it can be.

    Args:
        item: the object to place.
        box: what it goes into; its front is at its handle, else at its greatest x. A compartment turns it along itself.
        workspace: limits of the arm.
        drops: heights above its floor at which the item is let go, metres.
        lying: bearing from the drawer's handle along which the item lies, radians; it stands by default.

    Returns:
        Rounds of candidate poses, to be tried in order.
    """
    if box.pose is None:
        return []
    here = Pose((0.0, 0.0, 0.0))
    walls = [(footprint(wall, at), *vertical_span(wall, at)) for wall, at in solids(box, here)]
    floor, ground = max(((top, wall) for wall, _, top in walls if top < 0.0 and wall.contains(Point(0.0, 0.0))),
                        key=lambda each: each[0], default=(BOWL_WALL - box.size[2] / 2.0, footprint(box, here)))
    across_it = (item.size[0] > item.size[1]) != (box.size[0] > box.size[1])
    turns = range(4) if item.form.walls else (int(across_it and item.form.boxy and box.form.ground),)
    out = box.joint.handle.position if box.joint is not None else (1.0, 0.0, 0.0)
    ways = [from_yaw(math.pi / 2.0 * quarter) for quarter in turns]
    if lying is not None:
        ways = [multiply(from_yaw(math.pi / 2.0 * round(heading(out) / (math.pi / 2.0)) + lying), _LYING)]
    beside = [(wall, top - floor) for wall, bottom, top in walls
              if top > floor + _SNUG and bottom < floor + item.size[2]]
    least, front = (_SNUG, 0.0) if box.form.ground else (TIGHT, _FRONT / (math.hypot(*out[:2]) or 1.0))

    def ordered(drop: float, narrow: bool = False) -> Sequence[Pose]:
        parts = [(_up_to(item, top - drop) if narrow else item, wall) for wall, top in beside]
        spaces: Dict[Pose, float] = {}
        for turn in ways:
            height = floor - vertical_span(item, Pose(here.position, turn))[0]
            shadow = footprint(item, Pose(here.position, turn)).bounds
            along, across = (evenly((size - high + low) / 2.0 - _SNUG, _SPOTS if lying is None else _CLOSER * _SPOTS)
                             for size, low, high in zip(box.size, shadow[:2], shadow[2:]))
            spaces.update({spot: min((footprint(part, spot).distance(wall) for part, wall in parts), default=math.inf)
                           for spot in (Pose((x, y, height), turn) for x in along for y in across)})
        roomy = [spot for spot, space in spaces.items() if space >= least]
        whole = [spot for spot in roomy if item.form.walls and ground.contains(footprint(item, spot))]
        return sorted(whole or roomy, key=lambda spot: (
            spaces[spot] < workspace.clearance / (1.0 if lying is None else 2.0),  # The hand has most room in front.
            abs(spot.position[0] - front * out[0]) + abs(spot.position[1] - front * out[1])))

    spots = ordered(drops[0])
    poses = [[box.pose.compose(spot.shifted((0.0, 0.0, drop)) if lying is None else propped(item, spot, drop))
              for spot in (spots if spots or not item.form.profile else ordered(drop, True))[:LOOKED_AT // len(drops)]]
             for drop in drops]
    # A compartment's walls are others' solids; more space than enough is no better.
    roomiest = (lambda _, space: min(workspace.clearance, space)) if box.form.ground else None
    return [Round(partial(tuple, each), least, roomiest) for each in poses]


def _up_to(item: WorldObject, height: float) -> WorldObject:
    """Return an object as wide as it is up to a height above its bottom, metres."""
    width = next((width for top, width in item.form.profile if top >= height), 0.0)
    return replace(item, size=(width, width, item.size[2])) if width else item
