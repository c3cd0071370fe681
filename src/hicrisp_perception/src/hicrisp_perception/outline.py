"""Where a thing stands so that its outline is where the picture shows it: least squares on contour points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Tuple

import cv2
import numpy as np

from hicrisp_perception.forms import Lie
from hicrisp_perception.view import Rays

_GATES = (14.0, 8.0, 5.0, 3.5)
"""Pixels beyond which a contour point is not taken for this outline, for each round."""
_ROUNDS = 8
_STILL = 1e-4
"""Metres of a move from which on nothing changes any more."""
_SOFT = 1.0
"""Pixels from which on a point counts less."""
_MARGIN = -0.5
"""How far within the true outline the middle of the outermost pixels is, pixels."""
_MARGIN_SPREAD = 0.6
_RELATED = 3.0
"""Neighbouring contour points err together: so many count as one."""
_LEAST_ERROR = 0.35
"""Pixels by which a contour point is off at least."""
_LEAST_POINTS = 8


@dataclass(frozen=True)
class Placement:
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
    """The pixels of a lie's corners as it moves over a level plane, and how they change.

    Args:
        z: height of its middle, metres.
    """

    def __init__(self, lie: Lie, z: float, rays: Rays) -> None:
        corners, turn = lie.corners(), rays.rotation
        along, aside, up = turn  # The world's axes in the optical frame.
        self._ahead = np.outer(corners[:, 0], along) + np.outer(corners[:, 1], aside)
        self._across = np.outer(corners[:, 0], aside) - np.outer(corners[:, 1], along)
        self._fixed = np.outer(corners[:, 2] + z, up) - rays.origin @ turn
        self._along, self._aside = along, aside
        self._lens = rays.lens

    def pixels(self, place: np.ndarray) -> np.ndarray:
        """(M, 2), columns first, at x, y, yaw."""
        return self._shown(self._seen(place))

    def slopes(self, place: np.ndarray, order: np.ndarray) -> np.ndarray:
        """(3, M, 2) how chosen corners' pixels change for a metre in x and y and a radian."""
        seen = self._seen(place)[order]
        sine, cosine = math.sin(place[2]), math.cos(place[2])
        turned = cosine * self._across[order] - sine * self._ahead[order]
        ahead = np.maximum(seen[:, 2], 1e-3)
        found = np.empty((3, len(order), 2))
        for number, shift in enumerate((self._along, self._aside, turned)):
            change = np.broadcast_to(shift, seen.shape)
            for axis, focal in enumerate((self._lens.fx, self._lens.fy)):
                found[number, :, axis] = focal * (change[:, axis] * ahead - seen[:, axis] * change[:, 2]
                                                  ) / (ahead * ahead)
        return found

    def outline(self, place: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """The corners that make the outline, in order, and the outline (M, 2) in pixels."""
        every = self.pixels(place)
        order = cv2.convexHull(every.astype(np.float32), returnPoints=False)[:, 0]
        return order, every[order]

    def _seen(self, place: np.ndarray) -> np.ndarray:
        x, y, yaw = place
        found: np.ndarray = (self._fixed + math.cos(yaw) * self._ahead + math.sin(yaw) * self._across
                             + (x * self._along + y * self._aside))
        return found

    def _shown(self, seen: np.ndarray) -> np.ndarray:
        lens, ahead = self._lens, np.maximum(seen[:, 2:], 1e-3)
        return seen[:, :2] / ahead * (lens.fx, lens.fy) + (lens.cx, lens.cy)


def fit_outline(lie: Lie, start: Tuple[float, float, float], z: float, contour: np.ndarray, rays: Rays,
                first_gate: float = _GATES[0]) -> Placement:
    """Move a thing over a level plane until its outline meets the contour points.

    Args:
        start: x, y, yaw to begin with.
        z: height of its middle, metres.
        contour: (N, 2) middles of the outermost pixels of what is seen, columns first.
        first_gate: pixels from which on a point is not taken for this outline in the first round.
    """
    count = 2 if lie.round else 3
    projection = Projection(lie, z, rays)
    place = np.array(start, dtype=float)
    margin, error, used = _MARGIN, 99.0, 0
    normal = np.eye(count + 1)
    gates = [gate for gate in _GATES if gate <= first_gate] or [first_gate]
    for turn in range(_ROUNDS):
        gate = gates[min(turn, len(gates) - 1)]
        order, polygon = projection.outline(place)
        distance, slope = _distances(polygon, projection.slopes(place, order)[:count], contour)
        rest = distance - margin
        near = np.abs(rest) < gate
        used = int(np.count_nonzero(near))
        if used < _LEAST_POINTS:
            return Placement(*place, np.full((3, 3), np.inf), 99.0, used)
        left = rest[near]
        slope = np.hstack([slope[near], np.full((used, 1), -1.0)])
        weight = np.minimum(1.0, _SOFT / np.maximum(np.abs(left), 1e-6))
        normal = (slope * weight[:, None]).T @ slope
        normal[count, count] += 1.0 / _MARGIN_SPREAD ** 2
        normal += np.diag([1e2] * count + [0.0])  # Unseen directions stay where they were.
        pull = (slope * weight[:, None]).T @ left
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
        if gate == gates[-1] and length < _STILL:
            break
    spread = max(error, _LEAST_ERROR) ** 2 * _RELATED
    covariance = np.zeros((3, 3))
    covariance[:count, :count] = (np.linalg.inv(normal) * spread)[:count, :count]
    return Placement(*place, covariance, error, used)


def _distances(polygon: np.ndarray, slopes: np.ndarray, points: np.ndarray
               ) -> Tuple[np.ndarray, np.ndarray]:
    """Signed distances of points to a convex polygon, positive outside, pixels, and how they change.

    Args:
        slopes: (K, M, 2) how the polygon's corners change.

    Returns:
        (N,) and (N, K).
    """
    edges = np.concatenate([polygon[1:], polygon[:1]]) - polygon
    lengths = np.maximum(np.sqrt((edges * edges).sum(axis=1)), 1e-6)
    # Outwards, whichever way the hull turns.
    area = float((polygon[:, 0] * edges[:, 1] - polygon[:, 1] * edges[:, 0]).sum())
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1) * ((1.0 if area > 0.0 else -1.0)
                                                               / lengths)[:, None]
    every = points @ normals.T - (normals * polygon).sum(axis=1)
    nearest = every.argmax(axis=1)
    distance = every[np.arange(len(points)), nearest]
    along = ((points - polygon[nearest]) * edges[nearest]).sum(axis=1) / lengths[nearest] ** 2
    part = np.clip(along, 0.0, 1.0)[:, None]
    following = (nearest + 1) % len(polygon)
    moved = (1.0 - part) * slopes[:, nearest] + part * slopes[:, following]
    return distance, -(moved * normals[nearest]).sum(axis=2).T
