"""Where an item may go: the candidate poses for a relation, in order of preference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from shapely.affinity import scale
from shapely.geometry import LineString, MultiPolygon, Point
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from hicrisp_core.model import Pose, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, planar_distance
from hicrisp_core.model.keep_out import footprint, support, vertical_span
from hicrisp_core.robot.description import RobotBody
from hicrisp_core.robot.gripper import Gripper

_TURNS = tuple(math.radians(turn) for turn in (0.0, 12.0, 25.0, 33.0))
_GAPS = (0.018, 0.03, 0.045, 0.055)
"""Other bearings and gaps that still make the relation, for when the best ones are taken."""
_NEARER, _LOOSE = 4, 0.015
"""How often an item is moved nearer to or off a long object, beside which it is farther away than it shall by this,
metres.
"""
_YIELDS = 0.12
"""How much nearer than the ends of the reach other objects may be, metres: what stands this near can be moved
away when it is in the way, the ends of the reach cannot."""
_STEP = 0.04
"""Metres between the spots of a surface."""
_EASY, _STRETCH = 0.1, 5.0
"""How far within the reach a spot lies if a hand comes there in any way, metres, and for how many metres of way one
beyond counts.
"""
_WRIST_ABOVE, _FOREARM, _WRIST = 0.1, 0.2, 0.06
"""How far above an item's top the wrist is that puts it down, how far back from there the forearm is so low, and half
of how wide these are, metres.
"""
LOOKED_AT = 100
"""Candidates of which the hand's room is measured before the best of them is taken."""
TIGHT = 0.003
"""Least space around what has no more room elsewhere, metres."""
DIRECTIONS = {"left_of": math.pi / 2, "right_of": -math.pi / 2, "in_front_of": math.pi, "behind": 0.0}
"""Bearing from the reference, radians: x forward, y left, seen by the robot."""


@dataclass(frozen=True)
class Workspace:
    """What a placement must respect, metres; reach is measured in the plane from the robot's base.

    Args:
        reach: the least and the greatest distance; any by default.
        gap: space left between an item and what it is placed beside.
        clearance: least space to everything else.
        hand: space that the open hand needs around the item if possible.
    """

    base: Tuple[float, float] = (0.0, 0.0)
    reach: Tuple[float, float] = (0.0, math.inf)
    gap: float = 0.03
    clearance: float = 0.012
    hand: float = 0.06
    margin: float = 0.02
    """Least distance of an item's edge from the table's edge."""
    avoid: Tuple[Vector, ...] = ()
    """Positions that are no good, whatever the reason; nothing is put within ``apart`` of them."""
    apart: float = 0.02
    gripper: Optional[Gripper] = None
    """The hand that lets go of the item; without it no room is kept for one."""


def workspace_of(body: RobotBody) -> Workspace:
    """Return the limits for placements of an arm.

    Args:
        body: description of the arm.

    Returns:
        Base position and reach in the world frame, metres, with the hand.
    """
    anywhere = Workspace().reach
    return Workspace(base=body.origin, reach=body.reach or anywhere, gripper=body.hand and body.gripper)


@dataclass(frozen=True)
class Round:
    """Candidates that are as good as each other but for the space around them; those of the next round are
    worse.

    Args:
        candidates: answers the poses; asked once, and only when the rounds before are used up.
        space: least space to other objects that they must have, metres.
        score: how good a pose with a space around it (metres) is, the more the better; without it the poses
            are in their order.
    """

    candidates: Callable[[], Tuple[Pose, ...]]
    space: float
    score: Optional[Callable[[Pose, float], float]] = None

    @cached_property
    def poses(self) -> Tuple[Pose, ...]:
        """The candidates, world frame."""
        return self.candidates()


def beside(
    item: WorldObject, reference: WorldObject, bearings: Sequence[float], world: WorldState, workspace: Workspace
) -> List[Round]:
    """Return rounds of placements beside a reference at some bearings; later rounds are turned by a quarter, where the
    hand that holds it may have room, further away and to the side.

    Args:
        item: the object to place.
        reference: the object to place it beside.
        bearings: directions in the world frame, radians.
        world: observed objects, robots and facts; poses in the world frame.
        workspace: limits of the arm.

    Returns:
        Rounds of candidate poses, to be tried in order.
    """
    height = _height_on(table_of(world), item)
    ways = [(workspace.gap, 0.0), *((gap, side) for side in _TURNS for gap in _GAPS)]
    quarters = (0.0,) if item.form.round else (0.0, math.pi / 2.0)
    found = [partial(_around, item, reference, bearings, height, gap, (side, -side), turn)
             for gap, side in ways for turn in quarters]
    wrist = height + item.size[2] / 2.0 + _WRIST_ABOVE
    tall = MultiPolygon([footprint(other, other.pose) for name, other in world.objects.items()
                         if other.pose is not None and name != item.name and not other.form.ground
                         and vertical_span(other, other.pose)[1] > wrist])
    hidden = _hidden(item, height, world)

    def score(pose: Pose, space: float) -> float:
        shadow = footprint(item, pose)
        return _comfort(workspace, tall, pose, space) - float(shadow.intersection(hidden).area / shadow.area)

    return [Round(poses, workspace.clearance, score) for poses in found]


def _hidden(item: WorldObject, height: float, world: WorldState) -> BaseGeometry:
    """Return where the camera does not see the middle of an item: what other objects hide, at its height (metres)."""
    if world.eye is None:
        return MultiPolygon()
    x, y, up = world.eye
    found: List[BaseGeometry] = []
    for name, other in world.objects.items():
        if other.pose is None or name == item.name or other.form.ground:
            continue
        top, foot = vertical_span(other, other.pose)[1], footprint(other, other.pose)
        if height < top < up:
            away = (up - height) / (up - top)
            found.append(foot.union(scale(foot, away, away, origin=(x, y))).convex_hull)
    return unary_union(found)


def _around(
    item: WorldObject, reference: WorldObject, bearings: Sequence[float], height: float, gap: float,
    sides: Sequence[float], turn: float,
) -> Tuple[Pose, ...]:
    if reference.pose is None:
        return ()
    yaw_of_reference = reference.pose.yaw
    ground = footprint(reference, reference.pose)
    found: List[Pose] = []
    for bearing in dict.fromkeys(bearing + side for bearing in bearings for side in sides):
        yaw = turn + (yaw_of_reference if reference.form.boxy and item.form.boxy else bearing)
        reach = support(reference, yaw_of_reference, bearing) + support(item, yaw, bearing) + gap
        x, y, _ = reference.pose.position
        for _ in range(_NEARER):
            pose = Pose((x + reach * math.cos(bearing), y + reach * math.sin(bearing), height), from_yaw(yaw))
            loose = float(ground.distance(footprint(item, pose))) - gap
            if -TIGHT < loose < _LOOSE:
                break
            reach -= loose
        found.append(pose)
    return tuple(found)


def _comfort(workspace: Workspace, tall: BaseGeometry, pose: Pose, space: float) -> float:
    """Score a pose: rather before than behind what is tall, where the wrist comes over it; more space up to what the
    hand needs, then less distance to the middle of the reach.
    """
    comfort, there = min(space, workspace.hand) * 10.0, pose.position[:2]
    if math.isinf(workspace.reach[1]):
        return comfort
    away = math.dist(there, workspace.base)
    back = min(1.0, _FOREARM / max(away, 1e-6))
    wrist = LineString([there, [at + back * (base - at) for at, base in zip(there, workspace.base)]])
    comfort -= float(wrist.distance(tall) < min(_WRIST, Point(there).distance(tall) - TIGHT))
    return comfort - abs(away - sum(workspace.reach) / 2.0)


def on_top(item: WorldObject, below: WorldObject) -> Optional[Pose]:
    """Return the pose on the middle of an object's top.

    Args:
        item: the object to place.
        below: the object that carries it.

    Returns:
        Pose of the item in the world frame; ``None`` if the other has no pose.
    """
    if below.pose is None:
        return None
    x, y, _ = below.pose.position
    top = vertical_span(below, below.pose)[1]
    yaw = below.pose.yaw if below.pose.tilt < 0.35 else 0.0
    return Pose((x, y, top + item.size[2] / 2.0), from_yaw(yaw))


def on_flat_top(item: WorldObject, below: WorldObject, workspace: Workspace, twin: bool = False) -> List[Round]:
    """Return the spots on a flat top on which an item stands whole, the nearest to its middle first; where it is too
    large for that, the middle.

    Args:
        item: the object to place.
        below: the object that carries it.
        workspace: limits of the arm.
        twin: whether spots that leave room for another such item come first.

    Returns:
        Rounds of candidate poses, to be tried in order; none if the other has no pose.
    """
    middle = on_top(item, below)
    if middle is None or below.pose is None:
        return []
    around = footprint(item, Pose((0.0, 0.0, 0.0))).bounds
    widths = around[2] - around[0], around[3] - around[1]
    xs, ys = (evenly((size - width) / 2.0, math.ceil(max(0.0, size - width) / 2.0 / _STEP))
              for size, width in zip(below.size, widths))

    def crowded(*spot: float) -> bool:
        return twin and all(max(map(abs, line)) + abs(at) < width + workspace.clearance
                            for line, at, width in zip((xs, ys), spot, widths))

    spots = sorted(((x, y) for x in xs for y in ys), key=lambda spot: (crowded(*spot), math.hypot(*spot)))
    poses = tuple(Pose((*below.pose.apply((x, y, 0.0))[:2], middle.position[2]), middle.orientation) for x, y in spots)
    return [Round(lambda: poses, space) for space in (workspace.clearance, TIGHT)]


def evenly(most: float, steps: int) -> List[float]:
    """Return distances to both sides of a middle, evenly apart, with 0 among them.

    Args:
        most: the greatest distance, metres.
        steps: how many there are to each side.

    Returns:
        Metres, ascending; 0 alone where there is no room.
    """
    return [most * step / steps for step in range(-steps, steps + 1)] if steps and most > 0.0 else [0.0]


def free(
    item: WorldObject, world: WorldState, workspace: Workspace, within: Optional[WorldObject] = None
) -> List[Round]:
    """Return the free spots of the table, or of a surface or region, nearest to the item first, within easy reach if
    that is not much farther; spots with space all around come before others.

    Args:
        item: the object to place.
        world: observed objects, robots and facts; poses in the world frame.
        workspace: limits of the arm.
        within: surface or region; the table by default.

    Returns:
        Rounds of candidate poses, to be tried in order.
    """
    surface = within or table_of(world)
    if surface is None or surface.pose is None:
        return []
    start = item.pose.position if item.pose else surface.pose.position
    height = _height_on(table_of(world), item)
    poses = [Pose((x, y, height), from_yaw(0.0)) for x, y in _grid(surface, workspace)]

    def cost(pose: Pose) -> float:
        beyond = math.dist(pose.position[:2], workspace.base) - (workspace.reach[1] - _EASY)
        return math.dist(pose.position[:2], start[:2]) + _STRETCH * max(0.0, beyond)

    poses.sort(key=cost)
    return [Round(partial(tuple, poses), space) for space in (workspace.hand, workspace.clearance)]


def apart(item: WorldObject, world: WorldState, workspace: Workspace) -> List[Round]:
    """Return the spots of the table with the most room around them first.

    Room is the distance to other objects, and on each side to the limit of reach and table.

    Args:
        item: the object to place.
        world: observed objects, robots and facts; poses in the world frame.
        workspace: limits of the arm.

    Returns:
        One round of candidate poses; empty without a table.
    """
    table = table_of(world)
    if table is None:
        return []
    height = _height_on(table, item)
    poses = tuple(Pose((x, y, height), from_yaw(0.0)) for x, y in _grid(table, workspace))
    return [Round(lambda: poses, workspace.clearance, partial(_room, table, workspace))]


def _room(table: WorldObject, workspace: Workspace, pose: Pose, space: float) -> float:
    """Score a pose by the least distance to other objects and to the limits on each side, metres; of equal ones
    the longer distances to the limits win.
    """
    ways = [_way(table, workspace, pose.position, bearing) for bearing in DIRECTIONS.values()]
    return min(space + _YIELDS, *ways) + 0.1 * sum(ways) / len(ways)


def _way(table: WorldObject, workspace: Workspace, start: Vector, bearing: float) -> float:
    """Return how far an object could move from a spot in a direction (radians) within reach and on the table,
    metres."""
    along = (math.cos(bearing), math.sin(bearing))
    x, y = start[0] - workspace.base[0], start[1] - workspace.base[1]
    closing, square = x * along[0] + y * along[1], x * x + y * y
    way = math.sqrt(max(0.0, closing ** 2 - square + workspace.reach[1] ** 2)) - closing
    inner = closing ** 2 - square + workspace.reach[0] ** 2
    if closing < 0.0 and inner >= 0.0:
        way = min(way, -closing - math.sqrt(inner))
    if table.pose is not None:
        here = table.pose.seen(start)
        there = table.pose.seen((start[0] + along[0], start[1] + along[1], start[2]))
        for at, to, size in zip(here[:2], there[:2], table.size):
            if abs(to - at) > 1e-6:
                way = min(way, (size / 2.0 - math.copysign(1.0, to - at) * at) / abs(to - at))
    return way


def allowed(item: WorldObject, pose: Pose, table: Optional[WorldObject], workspace: Workspace) -> bool:
    """Check whether an item may stand at a pose: within reach, on the table, and not at a spot to avoid.

    Args:
        item: the object.
        pose: world frame.
        table: on which it has to be; any place is good without one.
        workspace: limits of the arm.

    Returns:
        True if it may; other objects are not considered.
    """
    reach = math.dist(pose.position[:2], workspace.base)
    if not workspace.reach[0] <= reach <= workspace.reach[1]:
        return False
    if any(planar_distance(pose.position, spot) < workspace.apart for spot in workspace.avoid):
        return False
    if table is None or table.pose is None:
        return True
    x, y, _ = table.pose.seen(pose.position)
    turn = pose.yaw - table.pose.yaw
    cosine, sine = abs(math.cos(turn)), abs(math.sin(turn))
    half_x, half_y = (item.size[0] * a / 2.0 + item.size[1] * b / 2.0 for a, b in ((cosine, sine), (sine, cosine)))
    return abs(x) + half_x <= table.size[0] / 2.0 - workspace.margin \
        and abs(y) + half_y <= table.size[1] / 2.0 - workspace.margin


def _height_on(table: Optional[WorldObject], item: WorldObject) -> float:
    """Return the height of an item's centre on a table, metres; on the floor without one."""
    return (vertical_span(table, table.pose)[1] if table and table.pose else 0.0) + item.size[2] / 2.0


def table_of(world: WorldState) -> Optional[WorldObject]:
    """Find the table of a world.

    Args:
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The object; ``None`` without one.
    """
    return next((item for _, item in sorted(world.objects.items())
                 if item.form.ground and item.form.solids(item.size)), None)


def _grid(surface: WorldObject, workspace: Workspace) -> Iterator[Tuple[float, float]]:
    if surface.pose is None:
        return
    for i in range(int(surface.size[0] / _STEP)):
        for j in range(int(surface.size[1] / _STEP)):
            local = (-surface.size[0] / 2.0 + (i + 0.5) * _STEP, -surface.size[1] / 2.0 + (j + 0.5) * _STEP, 0.0)
            x, y, _ = surface.pose.apply(local)
            if workspace.reach[0] <= math.dist((x, y), workspace.base) <= workspace.reach[1]:
                yield x, y
