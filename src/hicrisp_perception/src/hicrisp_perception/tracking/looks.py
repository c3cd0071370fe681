"""How objects look of which a model is known: what of it a picture shows."""

from __future__ import annotations

from typing import List, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import as_vector, from_euler, from_yaw, multiply
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
_SLIDES, _HELD = (0.02,) * 8 + (0.012,) * 5, 1e-3
"""Metres within which points count while a model slides along them, and how much it is held back where they do not say
where it is.
"""
_SIDES, _LEAST = 6, 10
"""Nearest points of a model of which one is on the side that shows, and measured ones that do not say where it is."""
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

    def bottom(self, pose: Pose) -> float:
        """Return how high its lowest point is at a pose, metres.

        Args:
            pose: world frame.
        """
        return float((self.points @ matrix_of(pose)[2]).min()) + pose.position[2]

    def slid(self, points: np.ndarray, pose: Pose, eye: np.ndarray, leans: bool = False) -> Pose:
        """Move it, and turn it about the vertical, until measured points are in its surface: flat parts slide freely.

        Args:
            points: array (n, 3), world frame, metres.
            pose: where it begins, world frame.
            eye: array (3,), where the camera is, world frame, metres: it sees the side of a wall that faces it.
            leans: whether it may turn about any axis.

        Returns:
            Its pose, world frame; where it begins if too few points are near it.
        """
        rows = np.arange(len(points))
        for near in _SLIDES:
            lies, at = matrix_of(pose), np.array(pose.position)
            away, several = self.tree.query((points - at) @ lies, k=_SIDES)
            faces = (((eye - at) @ lies - self.points[several]) * self.normals[several]).sum(axis=2) > 0.0
            first = faces.argmax(axis=1)
            close = faces[rows, first] & (away[rows, first] < near)
            own, nearest = points[close] - at, several[rows, first][close]
            if len(own) < _LEAST:
                break
            normals = self.normals[nearest] @ lies.T
            off = ((own - self.points[nearest] @ lies.T) * normals).sum(axis=1)
            ways = np.hstack([normals, np.cross(own, normals)[:, 0 if leans else 2:]])
            held = len(own) * _HELD * np.array([1.0] * 3 + [self.radius ** 2] * (ways.shape[1] - 3))
            x, y, z, *turn = np.linalg.solve(ways.T @ ways + np.diag(held), ways.T @ off)
            about = from_euler(*turn) if leans else from_yaw(*turn)
            pose = Pose(as_vector(at + (x, y, z)), multiply(about, pose.orientation))
        return pose

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


def pulled(look: Look, points: np.ndarray, starts: Sequence[Pose], steps: Sequence[Tuple[float, int]]
           ) -> Tuple[List[Pose], np.ndarray]:
    """Move and turn a model about the vertical to where measured points are nearest to it.

    Args:
        points: array (n, 3), world frame, metres.
        starts: where it begins, world frame.
        steps: metres within which points pull at it, and how often.

    Returns:
        Where it gets to from each start, and how far the points are from it there, metres.
    """
    at, lies = np.array([start.position for start in starts]), np.array([matrix_of(start) for start in starts])
    turned, going = np.zeros(len(starts)), np.ones(len(starts), bool)
    for gate in (gate for gate, times in steps for _ in range(times)):
        away, nearest = look.tree.query((points - at[:, None]) @ lies)
        near = away < gate
        count = near.sum(axis=1)
        going &= count >= _LEAST
        weight = near[..., None] / np.maximum(count, 1)[:, None, None]
        there = look.points[np.where(near, nearest, 0)] @ lies.transpose(0, 2, 1) + at[:, None]
        one, other = (there * weight).sum(axis=1), (points * weight).sum(axis=1)
        a, b = ((each - middle[:, None])[..., :2] for each, middle in ((there, one), (points, other)))
        turn = np.arctan2(((a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]) * near).sum(axis=1),
                          ((a * b).sum(axis=2) * near).sum(axis=1)) * going
        sine, cosine, flat = np.sin(turn), np.cos(turn), np.zeros(len(starts))
        about = np.stack([cosine, -sine, flat, sine, cosine, flat, flat, flat, flat + 1.0], axis=1).reshape(-1, 3, 3)
        at = np.where(going[:, None], (about @ (at - one)[..., None])[..., 0] + other, at)
        lies, turned = about @ lies, turned + turn
    poses = [Pose(as_vector(place), multiply(from_yaw(float(turn)), start.orientation))
             for place, turn, start in zip(at, turned, starts)]
    return poses, np.minimum(look.tree.query((points - at[:, None]) @ lies)[0], GAP).mean(axis=1)
