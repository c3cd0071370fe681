"""Objects that only the simulator knows of, as bodies of a MuJoCo model."""

from __future__ import annotations

from typing import Any, Mapping

import mujoco
from hicrisp_core.scene.undescribed import Ware

_SHARES = {"friction": [0.8, 0.01, 0.0015], "condim": 6, "group": 1}
"""Of every piece: with rolling friction, so that round ones come to rest."""


def add_ware(spec: mujoco.MjSpec, body: Any, item: Ware, contype: int, conaffinity: int) -> None:
    """Give a body the pieces of an object.

    Args:
        spec: the MuJoCo model under construction.
        body: of the object.
        item: with its pieces.
        contype: collision bits.
        conaffinity: collision bits.
    """
    for index, piece in enumerate(item.pieces):
        name, paint = f"{item.name}/{index}", item.paints[min(piece.paint, len(item.paints) - 1)]
        own: Mapping[str, Any] = {"name": name, "density": item.density, "rgba": list(paint), "contype": contype,
                                  "conaffinity": conaffinity, **_SHARES}
        if piece.box:
            low, high = piece.corners.min(axis=0), piece.corners.max(axis=0)
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=list((high - low) / 2.0), pos=list((low + high) / 2.0),
                          **own)
            continue
        spec.add_mesh(name=name, uservert=list(piece.corners.flatten()),
                      inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **own)
