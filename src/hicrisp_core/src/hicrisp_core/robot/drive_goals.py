"""Where in an area a base shall stand: clear of what was seen there, and elsewhere after every goal that
failed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

from shapely.geometry import Point, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from hicrisp_core.model import KeepOut, Pose, RobotState, Vector, WorldObject, WorldState
from hicrisp_core.model.geometry import Planar, from_yaw, planar_distance
from hicrisp_core.model.keep_out import footprint, space_to
from hicrisp_core.ports.robot import UNCONSTRAINED, Constraints
from hicrisp_core.scene.floor_plan import Arena
from hicrisp_core.scene.scene import Scene

_OPTIMISM = 0.01
"""Metres by which the footprint is taken as smaller: what is just possible is the driver's to decide."""
_SQUEEZED = 0.15
"""Metres within which a base that stands too near to a wall still finds into the open."""


@dataclass(frozen=True)
class FreeSpace:
    """The floor on which the middle of a base can be; obstacles that no map knows are not in it.

    Args:
        radius: of the base's round footprint, metres.
    """

    arena: Arena
    radius: float
    _known: Dict[Tuple[KeepOut, ...], Tuple[BaseGeometry, ...]] = field(default_factory=dict, compare=False)

    def leads(self, start: Sequence[float], goals: Sequence[Planar], zones: Sequence[KeepOut] = ()) -> bool:
        """Check whether a path exists from a point to any of the goals.

        Args:
            start: (x, y) in the map frame, metres.
            goals: points (x, y) in the map frame, metres.
            zones: areas to keep out of.

        Returns:
            True if at least one goal is reachable; obstacles that are not on the map are ignored.
        """
        at = Point(*start[:2])
        parts = [part for part in self._parts(tuple(zones)) if part.distance(at) <= _SQUEEZED]
        near = [part for part in parts if part.distance(at) == 0.0] or parts
        return any(part.covers(Point(*goal)) for goal in goals for part in near)

    def closed_by(self, start: Sequence[float], goals: Sequence[Planar], zones: Sequence[KeepOut]) -> Tuple[str, ...]:
        """Return the zones that block every path to the goals.

        Args:
            start: (x, y) in the map frame, metres.
            goals: points (x, y) in the map frame, metres.
            zones: areas to keep out of.

        Returns:
            Their names; empty if a path exists, or walls block it already.
        """
        if not zones or self.leads(start, goals, zones) or not self.leads(start, goals):
            return ()
        alone = [zone.name for zone in zones
                 if self.leads(start, goals, [other for other in zones if other is not zone])]
        return tuple(alone or [zone.name for zone in zones])

    def _parts(self, zones: Tuple[KeepOut, ...]) -> Tuple[BaseGeometry, ...]:
        """Return the connected parts of the floor."""
        if zones not in self._known:
            reach = self.radius - _OPTIMISM
            (x, y), (width, depth) = self.arena.origin, self.arena.size
            taken: List[BaseGeometry] = [
                each.ground.buffer(reach) for each in (*self.arena.obstructions, *zones)]
            inside = box(x + reach, y + reach, x + width - reach, y + depth - reach)
            free = inside.difference(unary_union(taken)) if taken else inside
            self._known.clear()  # The zones of a scene stay as they are: one answer is enough.
            self._known[zones] = tuple(getattr(free, "geoms", (free,)))
        return self._known[zones]


@dataclass(frozen=True)
class Reached:
    """The first of some poses that a trajectory leads to, by what is known now; not ``known`` where nobody
    can say.
    """

    pose: Optional[Pose] = None
    known: bool = True


FirstReached = Callable[[str, Sequence[Pose], Constraints], Reached]
"""Asked for a base by its name, for poses, the best first, and for what its trajectory must respect."""


@dataclass(frozen=True)
class DriveSpace:
    """What a goal must respect, metres.

    Args:
        radius: of the base's round footprint.
        margin: least space between the footprint and an obstacle that was seen, or a zone.
        inside: how far within an area's edge the base's middle shall be.
        step: distance of neighbouring candidates.
        apart: least distance of a goal to one that failed.
        tries: drives to an area, each to another place or on another path, that may fail before it counts as
            unreachable; of those that reached one at last, in the layouts of ``scripts/bench``, none was
            beyond its fourth.
        first_reached: which of many poses a trajectory leads to as far as is known now; ``None`` if no planner can be
            asked.
        floor: the floor by the map; ``None`` if it is unknown.
    """

    radius: float = 0.18
    margin: float = 0.05
    inside: float = 0.03
    step: float = 0.03
    apart: float = 0.08
    tries: int = 5
    first_reached: Optional[FirstReached] = None
    floor: Optional[FreeSpace] = None

    def first(self, robot: str, poses: Sequence[Pose], constraints: Constraints = UNCONSTRAINED) -> Reached:
        """Return the first pose that a trajectory can reach.

        Args:
            robot: name of the base.
            poses: candidates in the map frame, preferred first.
            constraints: keep-out zones and clearance of the trajectory.

        Returns:
            The pose, or none; not known if no planner can be asked.
        """
        return Reached(known=False) if self.first_reached is None else self.first_reached(robot, poses, constraints)

    def clear_of(self, pose: Pose, zones: Sequence[KeepOut]) -> bool:
        """Check whether a base keeps its margin to every zone.

        Args:
            pose: where the base stands, map frame.
            zones: areas that its footprint must not enter.

        Returns:
            True if it does; always true without zones.
        """
        return all(space_to(zone, pose.position, self.radius) >= self.margin for zone in zones)


def drive_space_of(scene: Scene) -> DriveSpace:
    """Return what the goals of the scene's base must respect, from its floor and its footprint.

    Args:
        scene: the initial objects, robots and facts, as its file describes them.

    Returns:
        The limits; without a floor if the scene has no base.
    """
    bases = scene.arena.starts if scene.arena is not None else {}
    start = next((bases[name] for name in scene.robots if name in bases), None)
    if scene.arena is None or start is None:
        return DriveSpace()
    return DriveSpace(radius=start.radius, floor=FreeSpace(scene.arena, start.radius))


def goal_within(
    area: WorldObject, robot: Optional[RobotState], world: WorldState, failed: Sequence[Vector], space: DriveSpace,
    riding: FrozenSet[str] = frozenset(), constraints: Constraints = UNCONSTRAINED,
) -> Optional[Pose]:
    """Choose the goal for a base in an area.

    At first the free place nearest to the area's middle. After failures the places farthest from them come
    first, so that the area is tried from another side; if a planner can be asked, its answer decides, also over
    the discs that stand for obstacles.

    Args:
        area: the target area.
        robot: state of the base; ``None`` if unknown.
        world: observed objects, robots and facts; poses in the world frame.
        failed: goal positions that failed before, map frame, metres.
        space: what a goal must respect.
        riding: names of objects on a base; they block no place.
        constraints: keep-out zones and clearance.

    Returns:
        A pose in the map frame; ``None`` if no candidate is left.
    """
    zones = _zones(constraints)
    untried = [pose for pose in _candidates(area, robot, space) if space.clear_of(pose, zones)
               and all(planar_distance(pose.position, spot) >= space.apart for spot in failed)]
    free = [pose for pose in untried if _free(pose, world, space, riding)]
    if free and not failed:
        return free[0]
    if failed:
        for poses in (free, untried):
            poses.sort(key=lambda pose: -min(planar_distance(pose.position, spot) for spot in failed))
    in_the_open = set(map(id, free))
    squeezed = (pose for pose in untried if id(pose) not in in_the_open)
    reached = space.first(robot.name if robot else "", (*free, *squeezed), constraints)
    if not reached.known:
        return free[0] if free else None
    return reached.pose


def leads_into(
    area: WorldObject, robot: Optional[RobotState], space: DriveSpace, constraints: Constraints = UNCONSTRAINED
) -> Optional[bool]:
    """Check whether a trajectory leads a base to any place in an area.

    Only every other place is asked for: each may cost a plan, and a planner accepts the neighbourhood of a
    goal.

    Args:
        area: the target area.
        robot: state of the base; ``None`` if unknown.
        space: what a goal must respect.
        constraints: keep-out zones and clearance.

    Returns:
        ``None`` if it cannot be determined.
    """
    if closed_by(area, robot, space, constraints):
        return False
    zones = _zones(constraints)
    places = _candidates(area, robot, replace(space, step=2.0 * space.step))
    poses = [pose for pose in places if space.clear_of(pose, zones)]
    reached = space.first(robot.name if robot else "", poses, constraints)
    return reached.pose is not None if reached.known else None


def closed_by(
    area: WorldObject, robot: Optional[RobotState], space: DriveSpace, constraints: Constraints, exactly: bool = False
) -> Tuple[str, ...]:
    """Return the zones that leave a base no path to an area, or no place in it, as far as the map tells.
    Nothing moves.

    Args:
        area: the target area.
        robot: state of the base; ``None`` if unknown.
        space: what a goal must respect.
        constraints: keep-out zones and clearance.
        exactly: whether only the area's own pose will do, as at a station.

    Returns:
        Names of the zones; empty if the area is not closed.
    """
    zones = _zones(constraints)
    if area.pose is None or not zones:
        return ()
    poses = [area.pose] if exactly else _candidates(area, robot, space)
    clear = [pose for pose in poses if space.clear_of(pose, zones)]
    if not clear:
        return tuple(zone.name for zone in zones if not all(space.clear_of(pose, (zone,)) for pose in poses))
    if space.floor is None or robot is None or robot.pose is None:
        return ()
    return space.floor.closed_by(robot.pose.position, [(pose.position[0], pose.position[1]) for pose in clear], zones)


def _zones(constraints: Constraints) -> List[KeepOut]:
    """Return the ground that is known as a zone, and not only assumed to be taken."""
    return [each for each in constraints.keep_out if each.name]


def standing_in(
    area: WorldObject, world: WorldState, space: DriveSpace, riding: FrozenSet[str] = frozenset()
) -> Tuple[str, ...]:
    """Return the movable objects in an area, or so near that no base fits beside them.

    Args:
        area: the area to check.
        world: observed objects, robots and facts; poses in the world frame.
        space: footprint and margin of the base.
        riding: names of objects on a base, which are left out.

    Returns:
        The names, sorted.
    """
    if area.pose is None:
        return ()
    ground = footprint(area, area.pose)
    return tuple(name for name, item in sorted(world.objects.items()) if item.movable and name not in riding
                 and item.pose is not None and not item.form.ground
                 and footprint(item, item.pose).distance(ground) < space.radius + space.margin)


def _candidates(area: WorldObject, robot: Optional[RobotState], space: DriveSpace) -> List[Pose]:
    """Poses in the area, from its middle outwards, each heading away from where the base comes from."""
    if area.pose is None:
        return []
    found: List[Tuple[float, Pose]] = []
    reach = [max(0.0, size / 2.0 - space.inside) for size in area.size[:2]]
    counts = [int(half / space.step) for half in reach]
    for i in range(-counts[0], counts[0] + 1):
        for j in range(-counts[1], counts[1] + 1):
            local = (i * space.step, j * space.step, 0.0)
            x, y, _ = area.pose.apply(local)
            came_from = robot.pose.position if robot and robot.pose else area.pose.position
            apart = math.dist((x, y), came_from[:2])
            yaw = math.atan2(y - came_from[1], x - came_from[0])
            if apart < 0.05 and robot and robot.pose:
                yaw = robot.pose.yaw
            found.append((math.hypot(*local[:2]), Pose((x, y, 0.0), from_yaw(yaw))))
    return [pose for _, pose in sorted(found, key=lambda entry: entry[0])]


def _free(pose: Pose, world: WorldState, space: DriveSpace, riding: FrozenSet[str]) -> bool:
    """Check whether nothing stands there; what a base carries is not in its way."""
    spot = Point(*pose.position[:2])
    return all(footprint(item, item.pose).distance(spot) >= space.radius + space.margin
               for name, item in world.objects.items()
               if name not in riding and item.pose is not None and not item.form.ground)
