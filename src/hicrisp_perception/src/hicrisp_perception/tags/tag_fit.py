"""Where an object is by the corners of its AprilTags: standing upright at a height, or in any orientation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import List, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose, Uncertainty
from hicrisp_core.model.geometry import conjugate, multiply
from hicrisp_core.scene.tags import Tag

from hicrisp_perception.shapes.outline import OutlineFit, Projection
from hicrisp_perception.shapes.shape_models import Lie, unit
from hicrisp_perception.view import Rays, View, matrix_of, pose_of, vector_of

_CORNER = 0.35
"""Pixels by which a corner may be off."""
_ROUNDS = 12
_STILL = 5e-5
"""Step below which a fit has converged, metres and radians."""
WORST = 2.5
"""Pixels by which corners may be off in the mean where tags are where their file says."""
_DEPTH_LEAST = 12
_SMALL = 12.0
"""Pixels along the edge of a tag below which it is not trusted to be turned as it seems."""


@dataclass(frozen=True)
class Sighting:
    """A tag in a picture.

    Args:
        corners: (4, 2) pixels, in the order of ``Tag.corners``.
    """

    number: int
    corners: np.ndarray

    def same(self, other: Sighting) -> bool:
        """Check whether two sightings show the same tag.

        Args:
            other: another sighting in the same image.

        Returns:
            True if number and place agree.
        """
        away = float(np.abs(self.corners.mean(axis=0) - other.corners.mean(axis=0)).max())
        return self.number == other.number and away < self.edge / 2.0

    @property
    def edge(self) -> float:
        """Mean length of its edges, pixels."""
        return float(np.mean(np.linalg.norm(self.corners - np.roll(self.corners, -1, axis=0), axis=1)))


@dataclass(frozen=True, eq=False)
class TagFit:
    """An object by its tags.

    Args:
        points, pixels: the corners of its tags in its own frame, metres, and where they are seen.
        pairs: its tags and where they are seen.
        rays: of the picture that shows them.
    """

    points: np.ndarray
    pixels: np.ndarray
    pairs: Tuple[Tuple[Tag, Sighting], ...]
    rays: Rays

    @classmethod
    def of(cls, pairs: Sequence[Tuple[Tag, Sighting]], rays: Rays) -> TagFit:
        """Collect the corners of an object's visible tags.

        Args:
            pairs: tags and their sightings.
            rays: viewing direction of each pixel in the world frame.

        Returns:
            The fit.
        """
        return cls(np.concatenate([[tag.pose.apply(corner) for corner in tag.corners] for tag, _ in pairs]),
                   np.concatenate([one.corners for _, one in pairs]), tuple(pairs), rays)

    @cached_property
    def guesses(self) -> Tuple[Pose, ...]:
        """Its pose from its largest tag: a small flat tag has two nearly equal solutions."""
        tag, one = max(self.pairs, key=lambda pair: pair[1].edge)
        found, turns, shifts, _ = cv2.solvePnPGeneric(
            np.array(tag.corners), one.corners, self.rays.lens.matrix, None, flags=cv2.SOLVEPNP_IPPE_SQUARE)
        return tuple(self.rays.camera.compose(pose_of(np.concatenate([turn, shift]).ravel())).compose(tag.to_middle)
                     for turn, shift in (zip(turns, shifts) if found else ()))

    @property
    def numbers(self) -> str:
        """The numbers of its tags, for messages."""
        return ", ".join(str(tag.number) for tag, _ in self.pairs)

    def standing(self, lie: Lie, start: Tuple[float, float, float], bottom: float, rays: Rays) -> OutlineFit:
        """Return the place of an object that stands upright at a height: three parameters, fitted to many corners.

        Args:
            lie: shape and size with the side that it lies on.
            start: initial x, y (m) and yaw (rad).
            bottom: height of its lowest point, metres.
            rays: viewing direction of each pixel in the world frame.

        Returns:
            The place with its covariance and error.
        """
        projection = Projection(self.points @ unit(lie.turn).T, bottom + lie.height / 2.0, rays)
        place, normal = np.array(start, dtype=float), np.eye(3)
        for _ in range(_ROUNDS):
            shown, slopes = projection.moving(place)
            rest = (shown - self.pixels).ravel()
            slope = slopes.reshape(3, -1).T
            normal = slope.T @ slope
            normal[range(3), range(3)] += (1.0, 1.0, 1e-3)
            move = -np.linalg.solve(normal, slope.T @ rest)
            place += move
            if float(np.abs(move).max()) < _STILL:
                break
        rest = (projection.moving(place)[0] - self.pixels).ravel()
        error = math.sqrt(float(rest @ rest) / len(rest) * 2.0)
        x, y, yaw = (float(value) for value in place)
        return OutlineFit(x, y, yaw, np.linalg.inv(normal) * max(error, _CORNER) ** 2, error,
                         len(self.points))

    def free(self, view: View) -> Optional[FreeFit]:
        """Return the pose of an object in any orientation.

        Args:
            view: the current image with its viewing rays.

        Returns:
            The pose; ``None`` if its tags contradict each other.
        """
        found = [_refined(guess, self.points, self.pixels, view.rays) for guess in self.guesses]
        best = min(found, key=lambda each: each.error) if found else None
        if best is None or best.error > WORST:
            return None
        poor = max(1.0, _SMALL / max(one.edge for _, one in self.pairs))
        sure = best.uncertainty
        rough = Uncertainty(sure.position * poor, sure.height * poor, sure.yaw * poor)
        shift, pose = depth_shift(best.pose, self.pairs, view), best.pose
        if shift is not None and abs(shift) <= 0.05:  # Along its ray: small tags determine the distance poorly.
            middle = np.array(pose.position)
            ray = (middle - view.rays.origin) / float(view.rays.depth_of(middle))
            x, y, z = (shift * ray).tolist()
            pose = pose.shifted((x, y, z))
        return replace(best, pose=pose, uncertainty=rough)


@dataclass(frozen=True)
class FreeFit:
    """A pose that all corners of an object's tags were fitted to.

    Args:
        error: root of the mean square of the corners' distances, pixels.
    """

    pose: Pose
    uncertainty: Uncertainty
    error: float


def yaw_of(pose: Pose, lie: Lie) -> float:
    """Return the yaw that brings a lie nearest to a pose.

    Args:
        pose: of the object, world frame.
        lie: shape and size with the side that it lies on.

    Returns:
        Radians.
    """
    return Pose((0.0, 0.0, 0.0), multiply(pose.orientation, conjugate(lie.turn))).yaw


def _refined(pose: Pose, points: np.ndarray, pixels: np.ndarray, rays: Rays) -> FreeFit:
    """Least squares over all corners."""
    start, matrix = vector_of(rays.camera.inverse().compose(pose)), rays.lens.matrix
    moved = np.concatenate(cv2.solvePnP(points, pixels, matrix, None, start[:3], start[3:], True)[1:]).ravel()
    # Turned as the camera already, so that its slopes are those of turns about the camera's axes.
    arms = points @ matrix_of(pose_of(moved)).T
    shown, slopes = cv2.projectPoints(arms, np.zeros(3), moved[3:], matrix, None)
    error = math.sqrt(float(np.mean((shown.reshape(-1, 2) - pixels) ** 2)) * 2.0)
    normal = slopes[:, :6].T @ slopes[:, :6] + np.diag([1e-3] * 3 + [1.0] * 3)
    covariance = np.linalg.inv(normal) * max(error, _CORNER) ** 2
    turn, place = (rays.rotation @ part @ rays.rotation.T for part in (covariance[:3, :3], covariance[3:, 3:]))
    level = float(np.linalg.eigvalsh(place[:2, :2]).max())
    return FreeFit(rays.camera.compose(pose_of(moved)), Uncertainty(
        math.sqrt(level), math.sqrt(float(place[2, 2])), math.sqrt(float(turn[2, 2]))), error)


def depth_shift(pose: Pose, pairs: Sequence[Tuple[Tag, Sighting]], view: View) -> Optional[float]:
    """Measure how much farther tags appear than expected.

    Args:
        pose: of the object, world frame.
        pairs: tags and their sightings.
        view: the current image with its viewing rays.

    Returns:
        Metres along the optical axis; ``None`` with too little depth.
    """
    rests: List[np.ndarray] = []
    for tag, one in pairs:
        low = np.maximum(np.floor(one.corners.min(axis=0)).astype(int), 0)
        high = np.maximum(np.ceil(one.corners.max(axis=0)).astype(int), 0)
        part = (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))
        depth = view.depth[part]
        if depth.size == 0:
            continue
        mask = np.zeros(depth.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.rint(one.corners - low).astype(np.int32), 1)
        inside = (mask > 0) & (depth > 0.0)
        if np.count_nonzero(inside) < _DEPTH_LEAST:
            continue
        turn = pose.compose(tag.pose)
        normal, middle = np.array(turn.axes[2]), np.array(turn.position)
        slant = view.rays.part(part).T.reshape(*depth.shape, 3)[inside] @ normal
        if float(np.abs(slant).min()) < 0.1:
            continue
        rests.append(depth[inside] - float((middle - view.rays.origin) @ normal) / slant)
    return float(np.median(np.concatenate(rests))) if rests else None
