"""Where an item goes: the target pose for a relation, free of other things, on the table and within reach."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Iterator, List, Optional, Sequence, Tuple

from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.model.footprint import BOWL_WALL, footprint, half_extents, support, vertical_span
from hicrisp_core.model.geometry import from_yaw, planar_distance

_TURNS = tuple(math.radians(turn) for turn in (0.0, -12.0, 12.0, -25.0, 25.0, -33.0, 33.0))
_GAPS = (0.018, 0.03, 0.045, 0.055)
"""Other bearings and gaps that still make the relation, for when the best ones are taken."""
DIRECTIONS = {"left_of": math.pi / 2, "right_of": -math.pi / 2, "in_front_of": math.pi, "behind": 0.0}
"""Bearing from the reference, radians: x forward, y left, seen by the robot."""


@dataclass(frozen=True)
class Workspace:
    """What a placement must respect, metres; reach is measured in the plane from the robot's base.

    Args:
        gap: space left between an item and what it is placed beside.
        clearance: least space to everything else.
        hand: space that the open hand needs around the item where there is room.
    """

    base: Tuple[float, float] = (0.0, 0.0)
    reach: Tuple[float, float] = (0.30, 0.70)
    gap: float = 0.03
    clearance: float = 0.012
    hand: float = 0.06
    margin: float = 0.02
    """Least distance of an item's edge from the table's edge."""
    avoid: Tuple[Vector, ...] = ()
    """Positions that are no good, whatever the reason; nothing is put within ``apart`` of them."""
    apart: float = 0.02


def place_beside(
    item: WorldObject, reference: WorldObject, bearings: Sequence[float], world: WorldState, workspace: Workspace
) -> Optional[Pose]:
    """The best free pose beside the reference at one of the bearings (radians).

    Where all are taken, a little further and a little to the side will do; ``None`` when that is taken as well.
    """
    exact = _beside(item, reference, bearings, world, workspace)
    if exact is not None:
        return exact
    around = [bearing + turn for bearing in bearings for turn in _TURNS]
    wider = (_beside(item, reference, around, world, replace(workspace, gap=gap)) for gap in _GAPS)
    return next((pose for pose in wider if pose is not None), None)


def _beside(
    item: WorldObject, reference: WorldObject, bearings: Sequence[float], world: WorldState, workspace: Workspace
) -> Optional[Pose]:
    if reference.pose is None:
        return None
    yaw_of_reference = reference.pose.yaw if reference.shape == "box" else 0.0
    candidates: List[Pose] = []
    for bearing in bearings:
        yaw = yaw_of_reference if reference.shape == "box" and item.shape == "box" else bearing
        reach = (support(reference, yaw_of_reference, bearing) + support(item, yaw, bearing) + workspace.gap)
        x, y, _ = reference.pose.position
        candidates.append(_standing(item, x + reach * math.cos(bearing), y + reach * math.sin(bearing), yaw, world))
    return _best(item, candidates, world, workspace, ignore=(reference.name,))


def place_on(item: WorldObject, below: WorldObject, world: WorldState, workspace: Workspace) -> Optional[Pose]:
    """On the middle of a thing, or on a free spot of a surface or region."""
    if below.pose is None:
        return None
    if below.shape in ("surface", "region"):
        return place_free(item, world, workspace, within=below)
    x, y, _ = below.pose.position
    top = vertical_span(below, below.pose)[1]
    yaw = below.pose.yaw if below.pose.tilt < 0.35 else 0.0
    return Pose((x, y, top + item.size[2] / 2.0), from_yaw(yaw))


def place_in(item: WorldObject, bowl: WorldObject, world: WorldState) -> Optional[Pose]:
    """Inside a bowl: in its middle, or as far as may be from what lies in it already."""
    if bowl.pose is None:
        return None
    x, y, _ = bowl.pose.position
    floor = vertical_span(bowl, bowl.pose)[0] + BOWL_WALL
    room = max(0.0, bowl.size[0] / 2.0 - BOWL_WALL - math.hypot(item.size[0], item.size[1]) / 2.0)
    contents = [thing for thing in world.objects.values() if thing.pose is not None and thing.name != item.name
                and world.holds("in", thing.name, bowl.name)]
    spots = [(x, y)] + [(x + room * math.cos(a), y + room * math.sin(a)) for a in _ring(8)] if contents else [(x, y)]
    best_spot, best_space = spots[0], -math.inf
    for spot in spots:
        space = min((math.dist(spot, thing.pose.position[:2]) for thing in contents if thing.pose), default=0.0)
        if space > best_space + 1e-9:
            best_spot, best_space = spot, space
    shadow = footprint(item, Pose((*best_spot, 0.0)))
    tops = [vertical_span(thing, thing.pose)[1] for thing in contents
            if thing.pose and footprint(thing, thing.pose).distance(shadow) <= 0.0]
    return Pose((*best_spot, max([floor, *tops]) + item.size[2] / 2.0))


def place_free(
    item: WorldObject, world: WorldState, workspace: Workspace, within: Optional[WorldObject] = None
) -> Optional[Pose]:
    """The nearest spot that is free, to where the item is now, with room for the hand where there is any."""
    surface = within or _table(world)
    if surface is None or surface.pose is None:
        return None
    start = item.pose.position if item.pose else surface.pose.position
    poses = [_standing(item, x, y, 0.0, world) for x, y in _grid(surface, workspace, 0.04)]
    poses.sort(key=lambda pose: math.dist(pose.position[:2], start[:2]))
    for space in (workspace.hand, workspace.clearance):
        for pose in poses:
            if clearance(item, pose, world) >= space and _allowed(item, pose, world, workspace):
                return pose
    return None


def place_apart(item: WorldObject, world: WorldState, workspace: Workspace) -> Optional[Pose]:
    """The spot of the table with the most room around it: to other things, to the edge and to the ends of the reach."""
    table = _table(world)
    if table is None:
        return None
    poses = [_standing(item, x, y, 0.0, world) for x, y in _grid(table, workspace, 0.04)]
    allowed = [pose for pose in poses if _allowed(item, pose, world, workspace)]
    return max((pose for pose in allowed if clearance(item, pose, world) >= workspace.clearance), default=None,
               key=lambda pose: _room(item, pose, table, world, workspace))


def _room(item: WorldObject, pose: Pose, table: WorldObject, world: WorldState, workspace: Workspace) -> float:
    reach = math.dist(pose.position[:2], workspace.base)
    room = min(clearance(item, pose, world), reach - workspace.reach[0], workspace.reach[1] - reach)
    if table.pose is None:
        return room
    x, y, _ = table.pose.inverse().apply(pose.position)
    return min(room, table.size[0] / 2.0 - abs(x), table.size[1] / 2.0 - abs(y))


def clearance(item: WorldObject, pose: Pose, world: WorldState, ignore: Tuple[str, ...] = ()) -> float:
    """Space between the item at a pose and the nearest other thing at its height, metres; 0 when they overlap."""
    shadow = footprint(item, pose)
    low, high = vertical_span(item, pose)
    nearest = math.inf
    for thing in world.objects.values():
        if thing.name in (item.name, *ignore) or thing.pose is None or thing.shape in ("surface", "region"):
            continue
        bottom, top = vertical_span(thing, thing.pose)
        if top > low and bottom < high + 0.02 and not world.held(thing.name):
            nearest = min(nearest, footprint(thing, thing.pose).distance(shadow))
    return nearest


def _best(
    item: WorldObject, candidates: List[Pose], world: WorldState, workspace: Workspace, ignore: Tuple[str, ...]
) -> Optional[Pose]:
    """The candidate with the most room for the hand, then the nearest to the middle of the reach."""
    middle = sum(workspace.reach) / 2.0
    best, best_score = None, -math.inf
    for pose in candidates:
        if not _allowed(item, pose, world, workspace):
            continue
        space = clearance(item, pose, world, ignore)
        if space < workspace.clearance:
            continue
        reach = math.dist(pose.position[:2], workspace.base)
        score = min(space, workspace.hand) * 10.0 - abs(reach - middle)
        if score > best_score + 1e-9:
            best, best_score = pose, score
    return best


def _allowed(item: WorldObject, pose: Pose, world: WorldState, workspace: Workspace) -> bool:
    reach = math.dist(pose.position[:2], workspace.base)
    if not workspace.reach[0] <= reach <= workspace.reach[1]:
        return False
    if any(planar_distance(pose.position, spot) < workspace.apart for spot in workspace.avoid):
        return False
    table = _table(world)
    if table is None or table.pose is None:
        return True
    x, y, _ = table.pose.inverse().apply(pose.position)
    half_x, half_y, _ = half_extents(item, Pose(pose.position, from_yaw(pose.yaw - table.pose.yaw)))
    return abs(x) + half_x <= table.size[0] / 2.0 - workspace.margin \
        and abs(y) + half_y <= table.size[1] / 2.0 - workspace.margin


def _standing(item: WorldObject, x: float, y: float, yaw: float, world: WorldState) -> Pose:
    table = _table(world)
    height = vertical_span(table, table.pose)[1] if table and table.pose else 0.0
    return Pose((x, y, height + item.size[2] / 2.0), from_yaw(yaw))


def _table(world: WorldState) -> Optional[WorldObject]:
    return next((thing for _, thing in sorted(world.objects.items()) if thing.shape == "surface"), None)


def _grid(surface: WorldObject, workspace: Workspace, step: float) -> Iterator[Tuple[float, float]]:
    if surface.pose is None:
        return
    for i in range(int(surface.size[0] / step)):
        for j in range(int(surface.size[1] / step)):
            local = (-surface.size[0] / 2.0 + (i + 0.5) * step, -surface.size[1] / 2.0 + (j + 0.5) * step, 0.0)
            x, y, _ = surface.pose.apply(local)
            if workspace.reach[0] <= math.dist((x, y), workspace.base) <= workspace.reach[1]:
                yield x, y


def _ring(count: int) -> Iterator[float]:
    return (2.0 * math.pi * i / count for i in range(count))
