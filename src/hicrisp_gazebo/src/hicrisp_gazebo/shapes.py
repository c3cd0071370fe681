"""The solids that objects, furniture and arenas are made of."""

from __future__ import annotations

import math
from typing import Dict, Tuple

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene.scene import PEDESTAL, PEDESTAL_WIDTH, Arena, Wall

from hicrisp_gazebo.inertia import Solid

_LEG, _LEG_INSET = 0.05, 0.04


def solids_of(item: WorldObject) -> Tuple[Solid, ...]:
    """Return an object's solids, with the body's origin in the middle of its bounding box.

    Args:
        item: shape and size.

    Returns:
        The solids in the object's frame, metres.
    """
    return tuple(Solid(f"solid_{number}", solid.kind, solid.size, solid.pose)
                 for number, solid in enumerate(item.form.solids(item.size)))


def table(top: WorldObject, floor: float) -> Tuple[Solid, ...]:
    """Return a table's top (its first solid) with what carries it, and the pedestal of the arm.

    Args:
        top: the table; its pose is that of the top's middle, world frame.
        floor: height of the floor, metres.

    Returns:
        The solids in the world frame.
    """
    if top.pose is None:
        return ()
    x, y, z = top.pose.position
    high = z - top.size[2] / 2.0 - floor
    half_x, half_y = (size / 2.0 - _LEG_INSET for size in top.size[:2])
    legs = [Solid(f"leg_{number}", "box", (_LEG, _LEG, high),
                  Pose((x + side * half_x, y + end * half_y, floor + high / 2.0)))
            for number, (side, end) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1)))]
    pedestal = Solid("pedestal", "cylinder", (PEDESTAL_WIDTH, PEDESTAL_WIDTH, -floor),
                     Pose((*PEDESTAL, floor / 2.0)))
    return (Solid("top", "box", top.size, top.pose), *legs, pedestal)


def walls(arena: Arena) -> Tuple[Solid, ...]:
    """Return the walls around and inside an arena.

    Args:
        arena: its border and walls.

    Returns:
        The solids in the map frame.
    """
    every: Dict[str, Wall] = {**arena.border(), **arena.walls}
    found = []
    for name, wall in every.items():
        (ax, ay), (bx, by) = wall.start, wall.end
        middle = ((ax + bx) / 2.0, (ay + by) / 2.0, arena.floor + wall.height / 2.0)
        size = (math.dist(wall.start, wall.end) + wall.thickness, wall.thickness, wall.height)
        found.append(Solid(name, "box", size, Pose(middle, from_yaw(math.atan2(by - ay, bx - ax)))))
    return tuple(found)
