"""Where in an area a base shall stand: clear of what was seen there, and elsewhere after every goal that failed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, FrozenSet, List, Optional, Sequence, Tuple

from shapely.geometry import Point

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Pose, RobotState, Vector, WorldObject, WorldState
from hicrisp_core.model.footprint import footprint
from hicrisp_core.model.geometry import from_yaw, planar_distance


@dataclass(frozen=True)
class Reached:
    """The first of some poses that a trajectory leads to, by what is known now; not ``known`` where nobody can say."""

    pose: Optional[Pose] = None
    known: bool = True


FirstReached = Callable[[str, Sequence[Pose]], Reached]
"""Asked for a base by its name and for poses, the best first."""


@dataclass(frozen=True)
class DriveSpace:
    """What a goal must respect, metres.

    Args:
        radius: of the base's round footprint.
        margin: least space between the footprint and an obstacle that was seen.
        inside: how far within an area's edge the base's middle shall be.
        step: distance of neighbouring candidates.
        apart: least distance of a goal to one that failed.
        reaches: whether a trajectory leads to a pose by what is known now; ``None`` where nobody can say.
        first_reached: the same for many poses at once, where asking takes its time; goes before ``reaches``.
    """

    radius: float = 0.18
    margin: float = 0.05
    inside: float = 0.03
    step: float = 0.03
    apart: float = 0.08
    reaches: Optional[Callable[[Pose], bool]] = None
    first_reached: Optional[FirstReached] = None

    def first(self, robot: str, poses: Sequence[Pose]) -> Reached:
        """The first pose that a trajectory leads a base to."""
        if self.first_reached is not None:
            return self.first_reached(robot, poses)
        if self.reaches is None:
            return Reached(known=False)
        return Reached(next((pose for pose in poses if self.reaches(pose)), None))


def goal_within(
    area: WorldObject, robot: Optional[RobotState], world: WorldState, failed: Sequence[Vector], space: DriveSpace,
    riding: FrozenSet[str] = frozenset(),
) -> Optional[Pose]:
    """The goal for a base in an area; ``None`` when none is left. What is ``riding`` on a base is in nobody's way.

    At first the free place nearest to the area's middle. After failures the places farthest from them come first, so
    that the area is tried from another side; where it is known what a trajectory leads to, that decides, also over
    the discs by which obstacles are seen.
    """
    untried = [pose for pose in _candidates(area, robot, space)
               if all(planar_distance(pose.position, spot) >= space.apart for spot in failed)]
    free = [pose for pose in untried if _free(pose, world, space, riding)]
    if free and not failed:
        return free[0]
    if failed:
        for poses in (free, untried):
            poses.sort(key=lambda pose: -min(planar_distance(pose.position, spot) for spot in failed))
    in_the_open = set(map(id, free))
    squeezed = (pose for pose in untried if id(pose) not in in_the_open)
    reached = space.first(robot.name if robot else "", (*free, *squeezed))
    if not reached.known:
        return free[0] if free else None
    return reached.pose


def leads_into(area: WorldObject, robot: Optional[RobotState], space: DriveSpace) -> bool:
    """Whether a trajectory leads a base to any place in an area, or nobody can say that none does."""
    reached = space.first(robot.name if robot else "", _candidates(area, robot, space))
    return not reached.known or reached.pose is not None


def standing_in(
    area: WorldObject, world: WorldState, space: DriveSpace, riding: FrozenSet[str] = frozenset()
) -> Tuple[str, ...]:
    """The things in an area, or so near that no base fits beside them, that somebody may carry away."""
    if area.pose is None:
        return ()
    ground = footprint(area, area.pose)
    return tuple(name for name, thing in sorted(world.objects.items()) if thing.movable and name not in riding
                 and thing.pose is not None and thing.shape not in ("region", "surface")
                 and footprint(thing, thing.pose).distance(ground) < space.radius + space.margin)


def kept_out(world: WorldState, domain: Domain) -> Tuple[Vector, ...]:
    """Discs (x, y, radius) around the zones that no base may enter."""
    forbidden = domain.roles.forbidden
    zones = [thing for _, thing in sorted(world.objects.items())
             if forbidden and domain.is_a(thing.type, forbidden) and thing.pose is not None]
    return tuple((zone.pose.position[0], zone.pose.position[1], math.hypot(*zone.size[:2]) / 2.0)
                 for zone in zones if zone.pose is not None)


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
    """Whether nothing stands there; what a base carries is not in its way."""
    spot = Point(*pose.position[:2])
    return all(footprint(thing, thing.pose).distance(spot) >= space.radius + space.margin
               for name, thing in world.objects.items()
               if name not in riding and thing.pose is not None and thing.shape not in ("region", "surface"))
