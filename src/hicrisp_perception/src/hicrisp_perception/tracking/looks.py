"""How objects look of which a model is known: what of it a picture shows."""

from __future__ import annotations

from typing import Tuple

import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import as_vector, from_yaw, multiply
from scipy.spatial import cKDTree

from hicrisp_perception.shapes.evidence import tolerance
from hicrisp_perception.shapes.segments import Ground
from hicrisp_perception.view import matrix_of

GAP = 0.04
"""Metres between two points of a model at most."""
_CELL = 4
"""Pixels within which the nearest points of a model hide others."""
_FRONT = 0.012
_SLIDES, _HELD = 6, 1e-3
"""How often a model slides along what is measured, and how much it is held back where that does not say where."""


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

    def slid(self, points: np.ndarray, pose: Pose, near: float, least: int) -> Pose:
        """Move it, and turn it about the vertical, until measured points are in its surface: flat parts slide freely.

        Args:
            points: array (n, 3), world frame, metres.
            pose: where it begins, world frame.
            near: greatest distance of a point that counts, metres.
            least: number of these below which it stays.

        Returns:
            Its pose, world frame.
        """
        for _ in range(_SLIDES):
            turn, at = matrix_of(pose), np.array(pose.position)
            away, nearest = self.tree.query((points - at) @ turn)
            own, nearest = points[away < near] - at, nearest[away < near]
            if len(own) < least:
                break
            normals = self.normals[nearest] @ turn.T
            off = ((own - self.points[nearest] @ turn.T) * normals).sum(axis=1)
            ways = np.column_stack([normals, own[:, 0] * normals[:, 1] - own[:, 1] * normals[:, 0]])
            held = len(own) * _HELD * np.array([1.0, 1.0, 1.0, self.radius ** 2])
            *shift, yaw = np.linalg.solve(ways.T @ ways + np.diag(held), ways.T @ off)
            pose = Pose(as_vector(at + shift), multiply(from_yaw(float(yaw)), pose.orientation))
        return pose

    def against(self, pose: Pose, ground: Ground) -> Tuple[float, int, int]:
        """Compare what of it is not hidden by itself with a picture.

        Args:
            pose: of the object, world frame.
            ground: the picture, split into table and objects.

        Returns:
            How many of its points are seen, the better the depth fits the more, how many show what is behind, and how
            many would be seen if nothing were before it.
        """
        points = self.points @ matrix_of(pose).T + np.array(pose.position)
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


def local(points: np.ndarray, pose: Pose) -> np.ndarray:
    """Return points in an object's frame.

    Args:
        points: array (n, 3), world frame, metres.
        pose: of the object, world frame.

    Returns:
        Array (n, 3).
    """
    return (points - np.array(pose.position)) @ matrix_of(pose)
