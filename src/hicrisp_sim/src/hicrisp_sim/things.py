"""Objects as MuJoCo geometry; one description for physics and for planning."""

from __future__ import annotations

from typing import Any, Tuple

import mujoco
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.joint import HANDLE_AWAY, Joint
from hicrisp_core.model.shapes import Solid, shares
from hicrisp_core.scene.colours import paint_of

from hicrisp_sim.mujoco_poses import placement

_CONTACT, _ROLLING_CONTACT = 3, 6
"""Contact dimensions of objects, and of round ones: with rolling friction, so that a toppled cylinder comes
to rest.
"""
_HANDLE = 0.02
"""Share of a part's mass that each solid of its handle has."""


def handle_of(joint: Joint) -> Tuple[Solid, ...]:
    """Return the solids of a handle: a bar on a post, which leaves the upper part to the fingers.

    Args:
        joint: with the handle of its part.

    Returns:
        Solids in the frame of the part.
    """
    thick, length = joint.bar
    post, back = ((thick / 2.0, HANDLE_AWAY, thick / 2.0), (0.0, HANDLE_AWAY / 2.0, 0.0)) if joint.lies else \
        ((HANDLE_AWAY, thick / 2.0, thick / 2.0), (-HANDLE_AWAY / 2.0, 0.0, (thick / 2.0 - length) / 2.0))
    return (Solid("cylinder", (thick, thick, length), joint.handle, _HANDLE),
            Solid("box", post, joint.handle.compose(Pose(back)), _HANDLE))


def add_geometry(body: Any, item: WorldObject, mass: float, contype: int, conaffinity: int,
                 name: str = "") -> None:
    """Give a body the shape of an object, with the origin in the centre of its bounding box.

    Args:
        name: prefix of the geoms' names; the object's own by default.
    """
    solids = (*item.form.solids(item.size), *(() if item.joint is None else handle_of(item.joint)))
    for index, (solid, share) in enumerate(zip(solids, shares(solids))):
        x, y, z = (size / 2.0 for size in solid.size)
        is_round = solid.kind == "cylinder"
        body.add_geom(
            name=f"{name or item.name}/{index}", mass=mass * share, contype=contype, conaffinity=conaffinity,
            type=mujoco.mjtGeom.mjGEOM_CYLINDER if is_round else mujoco.mjtGeom.mjGEOM_BOX,
            size=[x, z, 0.0] if is_round else [x, y, z], rgba=paint_of(item), group=1,
            friction=[item.form.friction, 0.01, 0.001],
            condim=_ROLLING_CONTACT if item.form.rod else _CONTACT, **placement(solid.pose))
