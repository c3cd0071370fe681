"""Poses as MuJoCo writes them: quaternions with w first."""

from __future__ import annotations

import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import Quaternion


def placement(pose: Pose) -> "dict[str, list[float]]":
    """A pose as MuJoCo's ``pos`` and ``quat`` (w first)."""
    return {"pos": list(pose.position), "quat": w_first(pose.orientation)}


def w_first(orientation: Quaternion) -> "list[float]":
    """A quaternion (x, y, z, w) in MuJoCo's order."""
    x, y, z, w = orientation
    return [w, x, y, z]


def pose_of(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    """A pose from MuJoCo's position (3) and quaternion (4, w first)."""
    w, x, y, z = (float(value) for value in quaternion)
    return Pose((float(position[0]), float(position[1]), float(position[2])), (x, y, z, w))
