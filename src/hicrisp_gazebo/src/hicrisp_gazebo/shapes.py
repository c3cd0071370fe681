"""The solids that things, furniture and arenas are made of."""

from __future__ import annotations

import math
from typing import Dict, List, Tuple

from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.footprint import BOWL_WALL
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene.scene import Arena, Wall

from hicrisp_gazebo.inertia import Solid

_STAVES = 16
"""Boxes that make the wall of a bowl."""
_LEG, _LEG_INSET = 0.05, 0.04
_PEDESTAL, _PEDESTAL_WIDTH = (-0.04, 0.0), 0.26
"""Middle and width of what an arm stands on beside the table, metres."""


def solids_of(thing: WorldObject) -> Tuple[Solid, ...]:
    """A thing's solids, with the body's origin in the middle of its bounding box, as everywhere in the workspace."""
    if thing.shape == "bowl":
        return _bowl(thing)
    return (Solid("body", "cylinder" if thing.shape == "cylinder" else "box", thing.size),)


def table(top: WorldObject, floor: float) -> Tuple[Solid, ...]:
    """A table's top (its first solid) and what carries it, and the pedestal of the arm, on a floor of that height."""
    if top.pose is None:
        return ()
    x, y, z = top.pose.position
    high = z - top.size[2] / 2.0 - floor
    half_x, half_y = (size / 2.0 - _LEG_INSET for size in top.size[:2])
    legs = [Solid(f"leg_{number}", "box", (_LEG, _LEG, high),
                  Pose((x + side * half_x, y + end * half_y, floor + high / 2.0)))
            for number, (side, end) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1)))]
    pedestal = Solid("pedestal", "cylinder", (_PEDESTAL_WIDTH, _PEDESTAL_WIDTH, -floor),
                     Pose((*_PEDESTAL, floor / 2.0)))
    return (Solid("top", "box", top.size, top.pose), *legs, pedestal)


def walls(arena: Arena) -> Tuple[Solid, ...]:
    """The walls around and inside an arena, in the map frame."""
    every: Dict[str, Wall] = {**arena.border(), **arena.walls}
    return tuple(_wall(name, wall, arena.floor) for name, wall in every.items())


def _wall(name: str, wall: Wall, floor: float) -> Solid:
    (ax, ay), (bx, by) = wall.start, wall.end
    middle = ((ax + bx) / 2.0, (ay + by) / 2.0, floor + wall.height / 2.0)
    return Solid(name, "box", (math.dist(wall.start, wall.end) + wall.thickness, wall.thickness, wall.height),
                 Pose(middle, from_yaw(math.atan2(by - ay, bx - ax))))


def _bowl(thing: WorldObject) -> Tuple[Solid, ...]:
    """A disc with a ring of flat staves on it; open at the top."""
    radius, height, half = thing.size[0] / 2.0, thing.size[2], BOWL_WALL / 2.0
    solids: List[Solid] = [Solid("floor", "cylinder", (2 * radius - BOWL_WALL, 2 * radius - BOWL_WALL, BOWL_WALL),
                                 Pose((0.0, 0.0, half - height / 2.0)))]
    wall, width = radius - half, 2.0 * radius * math.tan(math.pi / _STAVES)
    for stave in range(_STAVES):
        angle = math.tau * stave / _STAVES
        # Only the floor stands on the table: fewer contacts.
        solids.append(Solid(f"stave_{stave}", "box", (BOWL_WALL, width, height - BOWL_WALL), Pose(
            (wall * math.cos(angle), wall * math.sin(angle), half), from_yaw(angle))))
    return tuple(solids)
