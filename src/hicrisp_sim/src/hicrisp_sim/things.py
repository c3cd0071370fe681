"""Table, boxes, cylinders and bowls as MuJoCo geometry; one description for physics and for planning."""

from __future__ import annotations

import math
from typing import Any, Mapping

import mujoco
from hicrisp_core.model import WorldObject
from hicrisp_core.model.footprint import BOWL_WALL
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.scene.colours import paint_of

from hicrisp_sim.mujoco_poses import w_first

_STAVES = 20
"""Boxes that make the wall of a bowl."""
_ROUND_CONTACT = 6
"""Contact dimensions of round things: with rolling friction, so that a toppled cylinder comes to rest."""


def add_geometry(body: Any, thing: WorldObject, mass: float, contype: int, conaffinity: int, name: str = "") -> None:
    """Give a body the shape of a thing, with the origin in the centre of its bounding box.

    Args:
        name: prefix of the geoms' names; the thing's own by default.
    """
    common = {"contype": contype, "conaffinity": conaffinity, "rgba": paint_of(thing), "condim": 3,
              "friction": [0.7, 0.01, 0.001], "group": 1}
    prefix = name or thing.name
    x, y, z = (size / 2.0 for size in thing.size)
    if thing.shape == "bowl":
        _add_bowl(body, thing, mass, prefix, common)
    elif thing.shape == "cylinder":
        body.add_geom(name=f"{prefix}/0", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[x, z, 0.0], mass=mass,
                      **{**common, "condim": _ROUND_CONTACT})
    else:
        body.add_geom(name=f"{prefix}/0", type=mujoco.mjtGeom.mjGEOM_BOX, size=[x, y, z], mass=mass, **common)


def _add_bowl(body: Any, thing: WorldObject, mass: float, prefix: str, common: Mapping[str, Any]) -> None:
    radius, height, half = thing.size[0] / 2.0, thing.size[2], BOWL_WALL / 2.0
    body.add_geom(name=f"{prefix}/floor", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[radius - half, half, 0.0],
                  pos=[0.0, 0.0, -height / 2.0 + half], mass=mass / 2.0, **common)
    wall = radius - half
    width = radius * math.tan(math.pi / _STAVES)
    lifted = half  # Only the floor stands on the table: fewer contacts.
    for stave in range(_STAVES):
        angle = 2.0 * math.pi * stave / _STAVES
        body.add_geom(
            name=f"{prefix}/wall{stave}", type=mujoco.mjtGeom.mjGEOM_BOX, size=[half, width, (height - lifted) / 2.0],
            pos=[wall * math.cos(angle), wall * math.sin(angle), lifted / 2.0], mass=mass / 2.0 / _STAVES,
            quat=w_first(from_yaw(angle)), **common)
