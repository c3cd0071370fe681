"""Objects as MuJoCo geometry; one description for physics and for planning."""

from __future__ import annotations

from typing import Any

import mujoco
from hicrisp_core.model import WorldObject
from hicrisp_core.model.shapes import shares
from hicrisp_core.scene.colours import paint_of

from hicrisp_sim.mujoco_poses import placement

_CONTACT, _ROLLING_CONTACT = 3, 6
"""Contact dimensions of objects, and of round ones: with rolling friction, so that a toppled cylinder comes
to rest.
"""


def add_geometry(body: Any, item: WorldObject, mass: float, contype: int, conaffinity: int,
                 name: str = "") -> None:
    """Give a body the shape of an object, with the origin in the centre of its bounding box.

    Args:
        name: prefix of the geoms' names; the object's own by default.
    """
    solids = item.form.solids(item.size)
    for index, (solid, share) in enumerate(zip(solids, shares(solids))):
        x, y, z = (size / 2.0 for size in solid.size)
        is_round = solid.kind == "cylinder"
        body.add_geom(
            name=f"{name or item.name}/{index}", mass=mass * share, contype=contype, conaffinity=conaffinity,
            type=mujoco.mjtGeom.mjGEOM_CYLINDER if is_round else mujoco.mjtGeom.mjGEOM_BOX,
            size=[x, z, 0.0] if is_round else [x, y, z], rgba=paint_of(item), group=1,
            friction=[item.form.friction, 0.01, 0.001],
            condim=_ROLLING_CONTACT if item.form.rod else _CONTACT, **placement(solid.pose))
