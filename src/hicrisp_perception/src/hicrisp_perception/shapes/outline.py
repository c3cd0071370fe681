"""Where an object stands so that its outline is where the picture shows it: least squares on contour points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Tuple

import cv2
import numpy as np

from hicrisp_perception.shapes.shape_models import Lie
from hicrisp_perception.view import Rays

_GATES = (13.0, 6.0, 3.5)
"""Pixels beyond which a contour point is not taken for this outline, for each round."""
_ROUNDS = 8
_STILL = 2e-4
"""Step below which a fit has converged, metres."""
_SOFT = 1.0
"""Error above which a point gets less weight, pixels."""
_MARGIN = -0.5
"""How far within the true outline the middle of the outermost pixels is, pixels."""
_MARGIN_SPREAD = 0.6
_RELATED = 3.0
"""Neighbouring contour points err together: so many count as one."""
_LEAST_ERROR = 0.35
"""Pixels by which a contour point is off at least."""
_LEAST_POINTS = 8
_FEW = 0.3
"""Part of the contour below which it is another object's, and no further round makes it fit."""


@dataclass(frozen=True)
class OutlineFit:
    """Where an outline fits.

    Args:
        x, y: metres in the world frame.
        yaw: radians.
        covariance: of x, y, yaw.
        error: root of the mean square of the distances, pixels.
        points: how many contour points were used.
    """

    x: float
    y: float
    yaw: float
    covariance: np.ndarray
    error: float
    points: int


class Projection:
    """The pixels of an object's points as it moves over a level plane, and how they change.

    Args:
        points: (N, 3) in the frame of its lie, metres.
        z: height of its middle, metres.
    """

    def __init__(self, points: np.ndarray, z: float, rays: Rays) -> None:
        along, aside, up = rays.rotation  # The world's axes in the optical frame.
        # Columns and rows count in focal lengths from here on: what is divided by the distance is pixels.
        scale = np.array([rays.lens.fx, rays.lens.fy, 1.0])
        self._along, self._aside = along * scale, aside * scale
        self._ways = np.empty((len(points), 3, 3))
        self._ways[:, :, 0] = (np.outer(points[:, 2] + z, up) - rays.origin @ rays.rotation) * scale
        self._ways[:, :, 1] = np.outer(points[:, 0], self._along) + np.outer(points[:, 1], self._aside)
        self._ways[:, :, 2] = np.outer(points[:, 0], self._aside) - np.outer(points[:, 1], self._along)
        self._middle = np.array([rays.lens.cx, rays.lens.cy])
        self.choose(None)

    def choose(self, order: Optional[np.ndarray]) -> None:
        """Restrict the projection to some points.

        Args:
            order: indices of the points; ``None`` for all.
        """
        self._chosen = self._ways if order is None else self._ways[order]
        self._change = np.empty((3, len(self._chosen), 3))
        self._change[0], self._change[1] = self._along, self._aside

    def outline(self, place: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Return the outline at a place.

        Args:
            place: array (3,): x, y (m), yaw (rad).

        Returns:
            Indices of the outline's points in order, and their pixels (M, 2), columns first.
        """
        seen = self._seen(self._ways, place)
        every = seen[:, :2] / np.maximum(seen[:, 2:], 1e-3) + self._middle
        order = cv2.convexHull(every.astype(np.float32), returnPoints=False)[:, 0]
        return order, every[order]

    def moving(self, place: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Project the chosen points, with their derivatives.

        Args:
            place: array (3,): x, y (m), yaw (rad).

        Returns:
            Pixels (M, 2), and their derivatives (3, M, 2) by x, y (per metre) and yaw (per radian).
        """
        seen = self._seen(self._chosen, place)
        self._change[2] = self._chosen[:, :, 1:] @ (-math.sin(place[2]), math.cos(place[2]))
        near = 1.0 / np.maximum(seen[:, 2:], 1e-3)
        flat = seen[:, :2] * near
        return flat + self._middle, (self._change[:, :, :2] - flat * self._change[:, :, 2:]) * near

    def _seen(self, ways: np.ndarray, place: np.ndarray) -> np.ndarray:
        x, y, yaw = place
        return ways @ (1.0, math.cos(yaw), math.sin(yaw)) + (x * self._along + y * self._aside)


def fit_outline(lie: Lie, start: Tuple[float, float, float], z: float, contour: np.ndarray, rays: Rays,
                first_gate: float = _GATES[0]) -> OutlineFit:
    """Move an object over a level plane until its outline meets contour points.

    Args:
        lie: shape and size with the side that it lies on.
        start: initial x, y (m) and yaw (rad).
        z: height of its middle, metres.
        contour: (N, 2) centres of the outermost pixels of the segment, columns first.
        rays: viewing direction of each pixel in the world frame.
        first_gate: greatest distance of contour points in the first round, pixels.

    Returns:
        The place with its covariance and error.
    """
    count = 2 if lie.round else 3
    projection = Projection(lie.corners(), z, rays)
    place = np.array(start, dtype=float)
    margin, error, used = _MARGIN, 99.0, 0
    normal = np.eye(count + 1)
    gates = [gate for gate in _GATES if gate <= first_gate] or [first_gate]
    for turn in range(_ROUNDS):
        gate = gates[min(turn, len(gates) - 1)]
        if turn < 2:
            projection.choose(projection.outline(place)[0])
        polygon, moves = projection.moving(place)
        distance, slope = _distances(polygon, moves[:count], contour)
        rest = distance - margin
        near = np.abs(rest) < gate
        used = int(np.count_nonzero(near))
        if used < _LEAST_POINTS:
            return _placement(place, np.full((3, 3), np.inf), 99.0, used)
        left = rest[near]
        slopes = np.empty((used, count + 1))
        slopes[:, :count], slopes[:, count] = slope[near], -1.0
        weight = np.minimum(1.0, _SOFT / np.maximum(np.abs(left), 1e-6))
        weighed = (slopes * weight[:, None]).T
        normal = weighed @ slopes
        normal[count, count] += 1.0 / _MARGIN_SPREAD ** 2
        normal[range(count), range(count)] += 1e2  # Unseen directions stay where they were.
        pull = weighed @ left
        pull[count] += (margin - _MARGIN) / _MARGIN_SPREAD ** 2
        move = -np.linalg.solve(normal, pull)
        length = math.hypot(move[0], move[1])
        move[:2] *= min(1.0, 0.03 / max(length, 1e-9))
        if count == 3:
            move[2] = min(0.3, max(-0.3, move[2]))
            place[2] += move[2]
        place[:2] += move[:2]
        margin += move[count]
        error = math.sqrt(float(weight @ (left * left)) / used)
        if gate == gates[-1] and (length < _STILL or used < _FEW * len(contour)):
            break
    spread = max(error, _LEAST_ERROR) ** 2 * _RELATED
    covariance = np.zeros((3, 3))
    covariance[:count, :count] = (np.linalg.inv(normal) * spread)[:count, :count]
    return _placement(place, covariance, error, used)


def _placement(place: np.ndarray, covariance: np.ndarray, error: float, points: int) -> OutlineFit:
    x, y, yaw = (float(value) for value in place)
    return OutlineFit(x, y, yaw, covariance, error, points)


def _distances(polygon: np.ndarray, slopes: np.ndarray, points: np.ndarray
               ) -> Tuple[np.ndarray, np.ndarray]:
    """Signed distances of points to a convex polygon, positive outside, pixels, and how they change.

    Args:
        slopes: (K, M, 2) how the polygon's corners change.

    Returns:
        (N,) and (N, K).
    """
    edges = np.concatenate([polygon[1:], polygon[:1]])
    edges -= polygon
    along_x, along_y = edges[:, 0], edges[:, 1]
    lengths = np.hypot(along_x, along_y) + 1e-6
    # Outwards, whichever way the hull turns.
    outwards = 1.0 if float(polygon[:, 0] @ along_y - polygon[:, 1] @ along_x) > 0.0 else -1.0
    normals = np.stack([along_y, -along_x]) * (outwards / lengths)
    every = points @ normals - (normals[0] * polygon[:, 0] + normals[1] * polygon[:, 1])
    nearest = every.argmax(axis=1)
    distance = every[np.arange(len(points)), nearest]
    from_corner, along = points - polygon[nearest], edges[nearest]
    part = (from_corner[:, 0] * along[:, 0] + from_corner[:, 1] * along[:, 1]) / (lengths * lengths)[nearest]
    part = np.minimum(np.maximum(part, 0.0), 1.0)
    # How far each corner moves outwards with the edge that begins and with the one that ends there.
    after = np.concatenate([slopes[:, 1:], slopes[:, :1]], axis=1)
    begins = slopes[:, :, 0] * normals[0] + slopes[:, :, 1] * normals[1]
    ends = (after[:, :, 0] * normals[0] + after[:, :, 1] * normals[1] - begins)[:, nearest]
    return distance, -(begins[:, nearest] + part * ends).T
