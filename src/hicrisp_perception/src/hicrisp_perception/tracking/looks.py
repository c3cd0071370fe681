"""How objects look of which a model is known: what of it a picture shows."""

from __future__ import annotations

from typing import Sequence, Tuple

import numpy as np
from hicrisp_core.model import Pose
from scipy.spatial import cKDTree

from hicrisp_perception.shapes.evidence import tolerance
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.view import matrix_of

GAP = 0.04
"""Metres between two points of a model at most."""
_CELL = 4
"""Pixels within which the nearest points of a model hide others."""
_CLOSE = 0.02
"""Metres from a known object's surface within which what is seen is no other object."""
_FRONT = 0.012
_GRAZING = 0.1
"""Cosine of the angle between a surface's normal and the ray that meets it, below which it hardly shows."""


class Look:
    """How an object looks of which a model is known.

    Args:
        rows: array (n, 9) of points on its surface in its own frame, metres, with red, green and blue, 0 to 255, and
            normals.
    """

    def __init__(self, rows: np.ndarray) -> None:
        self.points, self.normals = rows[:, :3], rows[:, 6:]
        self.tree = cKDTree(self.points)
        self.radius = float(np.linalg.norm(self.points[:, :2], axis=1).max())
        around = rows[:, 3:6][self.tree.query(self.points, k=min(8, len(rows)))[1]]
        self.colours = around.mean(axis=1)  # A pixel shows the mean of the paint around a point.
        self.motley = around.std(axis=1) / 2.0  # By which that may be off.

    def explains(self, points: np.ndarray, pose: Pose, near: float) -> np.ndarray:
        """Check which measured points are on its surface.

        Args:
            points: array (n, 3), world frame, metres.
            pose: of the object, world frame.
            near: greatest distance from the surface, metres.

        Returns:
            Boolean array (n,).
        """
        seen = local(points, pose)
        away, nearest = self.tree.query(seen, k=4)
        off = np.abs(((seen[:, None] - self.points[nearest]) * self.normals[nearest]).sum(axis=2))
        return np.asarray(((off < near) & (away < GAP)).any(axis=1))

    def facing(self, pose: Pose, ground: Ground) -> np.ndarray:
        """Check which of its points are on the side toward the camera; no other one shows, nor what is seen edgewise.

        Args:
            pose: of the object, world frame.
            ground: the picture.

        Returns:
            Boolean array.
        """
        toward = (ground.view.rays.origin - np.array(pose.position)) @ matrix_of(pose) - self.points
        return np.asarray((toward * self.normals).sum(axis=1) > _GRAZING * np.linalg.norm(toward, axis=1))

    def against(self, pose: Pose, ground: Ground) -> Tuple[float, int, int]:
        """Compare what of it is not hidden by itself with a picture.

        Args:
            pose: of the object, world frame.
            ground: the picture, split into table and objects.

        Returns:
            How many of its points are seen, the better the depth fits the more, how many show what is behind, and how
            many would be seen if nothing were before it.
        """
        points = self.points[self.facing(pose, ground)] @ matrix_of(pose).T + np.array(pose.position)
        depth = ground.view.rays.depth_of(points)
        column, row = np.round(ground.view.rays.project(points)).astype(int).T
        height, width = ground.view.shape
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        if not inside.any():
            return 0.0, 0, 0
        row, column, depth = row[inside], column[inside], depth[inside]
        cell = (row // _CELL) * (width // _CELL + 1) + column // _CELL
        nearest = np.full(int(cell.max()) + 1, np.inf)
        np.minimum.at(nearest, cell, depth)
        front = depth < nearest[cell] + _FRONT
        measured = ground.view.depth[row[front], column[front]]
        behind = measured - depth[front]
        known = (measured > 0.0) & ~ground.robot[row[front], column[front]]
        near = tolerance(ground, float(depth.mean()))
        agree = 1.0 - np.square(behind[known & (np.abs(behind) <= near)] / near)
        return float(agree.sum()), np.count_nonzero(known & (behind > near)), len(measured)


def claim_close(placed: Sequence[Tuple[Look, Pose]], ground: Ground, claimed: np.ndarray) -> None:
    """Claim what is seen close to known objects: depth is mixed at edges, and sides are not as flat as their shapes.

    Args:
        placed: how they look, and where they are, world frame.
        ground: the picture, split into table and objects.
        claimed: pixels that known objects account for, added to.
    """
    for part in ground.parts if placed else ():
        free = ground.things[part] & ~claimed[part]
        rows, columns = np.nonzero(free)
        points = ground.places(part, free)
        for look, pose in placed if len(points) else ():
            own = look.tree.query(local(points, pose), distance_upper_bound=_CLOSE)[0] < _CLOSE
            claimed[part][rows[own], columns[own]] = True


def local(points: np.ndarray, pose: Pose) -> np.ndarray:
    """Return points in an object's frame.

    Args:
        points: array (n, 3), world frame, metres.
        pose: of the object, world frame.

    Returns:
        Array (n, 3).
    """
    return (points - np.array(pose.position)) @ matrix_of(pose)
