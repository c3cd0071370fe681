"""Objects that no file describes to other nodes, as models of Gazebo under names that do not tell what they are."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Sequence

import numpy as np
import rospkg
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.scene import Scene
from hicrisp_core.scene.forms import Piece
from hicrisp_core.scene.undescribed import Ware, fittings_of, with_undescribed
from scipy.spatial import ConvexHull

from hicrisp_gazebo import sdf
from hicrisp_gazebo.inertia import Solid, inertia_of_mesh
from hicrisp_gazebo.surface import THING

UNDESCRIBED = "undescribed_"
"""Prefix of their names, which no TF frame has."""
_ROLLING = 0.01
"""Share of a rotation that is lost in each step of the physics: ODE has no rolling friction."""


def with_wares(scene: Scene, seed: int) -> Scene:
    """Put on a scene's table what its file leaves to the simulator; see ``with_undescribed``.

    Args:
        scene: as other nodes have it.
        seed: draws which objects, their colours and their places.

    Returns:
        The scene with numbered objects among its ``unknown``.
    """
    loaded = with_undescribed(scene, seed)
    if fittings_of(loaded):
        raise ConfigError(f"scene {scene.name} has a cabinet, whose joints only the embedded world has; "
                          f"run scripts/demo --scene {scene.name}")
    return replace(loaded, unknown=tuple(replace(item, name=f"{UNDESCRIBED}{number}")
                                         for number, item in enumerate(loaded.unknown, 1)))


def ware_sdf(item: Ware) -> str:
    """Return the SDF of an object; its meshes are written to files below ROS_HOME, named by their content.

    Gazebo reads a file of one name only once, and the window needs it later.
    """
    element = sdf.model(item.name)
    body = sdf.link(element, "link", inertia_of_mesh(np.concatenate([_triangles(piece) for piece in item.pieces]),
                                                     item.density))
    sdf.add(body, "velocity_decay", {"angular": (_ROLLING,)})
    for number, colour in enumerate(item.paints):
        painted = [piece for piece in item.pieces if min(piece.paint, len(item.paints) - 1) == number]
        boxes = [piece.corners for piece in painted if piece.box]
        sdf.add_solids(body, [
            Solid(f"box_{number}_{index}", "box", tuple(np.ptp(corners, axis=0).tolist()),
                  Pose(tuple(((corners.min(axis=0) + corners.max(axis=0)) / 2.0).tolist())))
            for index, corners in enumerate(boxes)], colour, THING)
        others = [piece for piece in painted if not piece.box]
        if others:
            mesh = {"uri": _written(others).as_uri()}
            sdf.add_shape(body, f"mesh_{number}", {"geometry": {"mesh": mesh}}, colour, THING)
    return sdf.document(element)


def _triangles(piece: Piece) -> np.ndarray:
    """Return the hull of a piece: array (n, 3, 3), counter-clockwise from outside."""
    hull = ConvexHull(piece.corners)
    triangles = piece.corners[hull.simplices]
    turned = np.einsum("ni,ni->n", np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]),
                       hull.equations[:, :3]) < 0.0
    triangles[turned] = triangles[turned][:, ::-1]
    return triangles


def _written(pieces: Sequence[Piece]) -> Path:
    """Return the STL file of pieces."""
    triangles = np.concatenate([_triangles(piece) for piece in pieces])
    facets = np.zeros(len(triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    facets["corners"] = triangles
    facets["normal"] = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    facets["normal"] /= np.linalg.norm(facets["normal"], axis=1)[:, None]
    content = bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes()
    file = Path(rospkg.get_ros_home()) / "hicrisp_meshes" / f"{hashlib.sha256(content).hexdigest()[:16]}.stl"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(content)
        part.replace(file)
    return file
