"""Poses as MuJoCo writes them: quaternions with w first."""

from __future__ import annotations

import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import Quaternion


def placement(pose: Pose) -> "dict[str, list[float]]":
    """Convert a pose to MuJoCo's ``pos`` and ``quat`` (w first).

    Args:
        pose: metres and unit quaternion (x, y, z, w).

    Returns:
        Keyword arguments of a MuJoCo body.
    """
    return {"pos": list(pose.position), "quat": w_first(pose.orientation)}


def w_first(orientation: Quaternion) -> "list[float]":
    """Convert a quaternion to MuJoCo's order.

    Args:
        orientation: (x, y, z, w).

    Returns:
        [w, x, y, z].
    """
    x, y, z, w = orientation
    return [w, x, y, z]


def pose_of(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    """Convert MuJoCo's position and quaternion to a pose.

    Args:
        position: array (3,), metres.
        quaternion: array (4,), w first.

    Returns:
        The pose.
    """
    w, x, y, z = (float(value) for value in quaternion)
    return Pose((float(position[0]), float(position[1]), float(position[2])), (x, y, z, w))
