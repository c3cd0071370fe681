"""Hand-eye calibration: where a camera is, from a tag that it sees while an arm moves one of the two.

A camera that stands still sees a tag on a link; a camera on a link sees a tag that stands still. Both are the
same equation, ``eye_tag = inverse(mounting) * link * tag``, where ``link`` leads from the camera's parent
frame to the tag's: the link's pose in the world for the camera that stands still, its inverse for the one in
the hand. Neither the mounting nor the tag's place needs to be known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple, Union

import cv2
import numpy as np
from hicrisp_core.model.geometry import Pose, distance, turn_between
from hicrisp_core.model.picture import Lens
from hicrisp_core.scene.tags import Tag
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from hicrisp_perception.view import matrix_of, pose_of, vector_of

LEAST = 6
"""Views with which a mounting is worked out."""
_SOFT = 1.0
"""Error above which a corner gets less weight in the first fit, pixels."""
_OUTLIER, _OUTLIER_LEAST = 3.0, 0.6
"""A view is left out whose error is that many times the median, and at least so many pixels."""
_WORST = 2.0
"""Pixels of root mean square error with which tag, arm and picture do not fit together."""
_MIDDLE, _PRINT = 0.05, 0.001
"""Standard deviations of the lens's middle, pixels, and of the tag's size as a part of it."""
_TURN = math.radians(12.0)
"""By which the views must differ in direction about two axes."""


@dataclass(frozen=True, eq=False)
class TagView:
    """A tag as it was seen once.

    Args:
        corners: (4, 2) pixels, in the order of ``Tag.corners``.
        link: the tag's parent frame in the camera's parent frame at that moment.
    """

    corners: np.ndarray
    link: Pose


@dataclass(frozen=True)
class Calibration:
    """A mounting that was worked out.

    Args:
        mounting: the optical frame in its parent frame: the world, or the link that carries the camera.
        tag: the tag in its parent frame: the link that carries it, or the world.
        position: standard deviation of the mounting's position, metres.
        turn: of its orientation, radians.
        error: root mean square of the corners' distances from where they belong, pixels.
        used: views that count.
        left_out: numbers of the views that fit with none of the others.
    """

    mounting: Pose
    tag: Pose
    position: float
    turn: float
    error: float
    used: int
    left_out: Tuple[int, ...] = ()


@dataclass(frozen=True)
class NoCalibration:
    """Why views do not tell where a camera is, and what to do."""

    reason: str


def hand_eye(views: Sequence[TagView], tag: Tag, lens: Lens, told: Optional[Pose] = None
             ) -> Union[Calibration, NoCalibration]:
    """Compute the mounting of a camera.

    A closed form (Park and Martin, "Robot sensor calibration: solving AX=XB on the Euclidean group", 1994) initializes
    a least-squares fit of all corners over both unknown poses; inconsistent views are left out. The uncertainty treats
    errors within a view as correlated and between views as independent, and includes the uncertainty of principal
    point and tag size.

    Args:
        views: corners of the tag with the pose of the moving link.
        tag: its size and approximate pose, which is the second initial guess.
        lens: intrinsic parameters of the camera.
        told: approximate pose of the camera in its parent frame; ``None`` if unknown.

    Returns:
        The calibration, or why there is none.
    """
    if len(views) < LEAST:
        return NoCalibration(f"The tag {tag.number} was seen {len(views)} times, and {LEAST} are needed; "
                             "turn it towards the camera, or correct its place in the tag file.")
    first = Rotation.from_matrix(matrix_of(views[0].link)).inv()
    turns = np.array([(Rotation.from_matrix(matrix_of(view.link)) * first).as_rotvec() for view in views])
    if np.linalg.svd(turns - turns.mean(axis=0), compute_uv=False)[1] <= _TURN * math.sqrt(len(views)):
        return NoCalibration("The tag was seen from one direction only; let the arm turn it about two axes.")
    kept: np.ndarray = np.arange(len(views))
    fitting = _Fit(views, tag, lens)
    best = min((fitting.run(guess, kept, robust=True) for guess in _guesses(views, tag, lens, told)),
               key=lambda found: found[1], default=None)
    if best is None:
        return NoCalibration("No mounting explains the views.")
    unknown = best[0]
    errors = fitting.errors(unknown)
    for _ in range(3):
        limit = max(_OUTLIER_LEAST, _OUTLIER * float(np.median(errors)))
        fine = np.flatnonzero(errors < limit)
        if len(fine) < LEAST or np.array_equal(fine, kept):
            break
        kept = np.asarray(fine)
        unknown = fitting.run(unknown, kept)[0]
        errors = fitting.errors(unknown)
    unknown = fitting.run(unknown, kept)[0]
    error = float(np.sqrt(np.mean(fitting.errors(unknown)[kept] ** 2)))
    if error > _WORST:
        return NoCalibration(f"No mounting explains the views better than to {error:.1f} pixels: check the "
                             "tag's size, that it is fixed, and that the arm stands still when a picture is taken.")
    mounting, placed = pose_of(unknown[:6]).inverse(), pose_of(unknown[6:])
    turn, position = fitting.uncertainty(unknown, kept)
    left = tuple(number for number in range(len(views)) if number not in kept)
    return Calibration(mounting, placed, position, turn, error, len(kept), left)


def misplaced(found: Pose, told: Pose) -> Tuple[float, float]:
    """Return the difference of two mountings.

    Args:
        found: measured pose.
        told: configured pose.

    Returns:
        Metres and radians.
    """
    return distance(found.position, told.position), turn_between(found.orientation, told.orientation)


class _Fit:
    """The corners of all views as functions of both unknown poses: camera from parent, parent from tag."""

    def __init__(self, views: Sequence[TagView], tag: Tag, lens: Lens) -> None:
        self._turns = np.array([matrix_of(view.link) for view in views])
        self._shifts = np.array([view.link.position for view in views])
        self._seen = np.array([view.corners for view in views], float)
        self._corners = np.array(tag.corners)
        self._lens = lens
        self._spread = np.array(lens.distortion or (0.0,) * 5)

    def residuals(self, unknown: np.ndarray, kept: np.ndarray, larger: float = 1.0) -> np.ndarray:
        """(views, 4, 2) pixels, for a tag whose size differs by a factor from the configured one."""
        inner = larger * self._corners @ Rotation.from_rotvec(unknown[6:9]).as_matrix().T + unknown[9:12]
        outer = np.einsum("vij,cj->vci", self._turns[kept], inner) + self._shifts[kept][:, None]
        seen = outer @ Rotation.from_rotvec(unknown[:3]).as_matrix().T + unknown[3:6]
        seen[..., 2] = np.maximum(seen[..., 2], 1e-3)
        pixels, _ = cv2.projectPoints(seen.reshape(-1, 3), np.zeros(3), np.zeros(3), self._lens.matrix,
                                      self._spread)
        return pixels.reshape(-1, 4, 2) - self._seen[kept]

    def run(self, begin: np.ndarray, kept: np.ndarray, robust: bool = False) -> Tuple[np.ndarray, float]:
        """Return the best poses from a beginning on, and their cost."""
        done = least_squares(lambda unknown: self.residuals(unknown, kept).ravel(), begin, x_scale="jac",
                             loss="soft_l1" if robust else "linear", f_scale=_SOFT, max_nfev=200)
        return done.x, float(done.cost)

    def errors(self, unknown: np.ndarray) -> np.ndarray:
        """Root mean square error of each view's corners, pixels."""
        every = self.residuals(unknown, np.arange(len(self._seen)))
        return np.sqrt((every ** 2).sum(axis=2).mean(axis=1))

    def jacobian(self, unknown: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """(views, 8, 12) pixels for each radian and metre."""
        step = 1e-6
        columns = [(self.residuals(unknown + step * unit, kept) - self.residuals(unknown - step * unit, kept)
                    ).reshape(len(kept), 8) / (2.0 * step) for unit in np.eye(12)]
        return np.stack(columns, axis=2)

    def uncertainty(self, unknown: np.ndarray, kept: np.ndarray) -> Tuple[float, float]:
        """Standard deviations of the mounting's turn (radians) and position (metres)."""
        slopes = self.jacobian(unknown, kept)
        rest = self.residuals(unknown, kept).reshape(len(kept), 8)
        inverse = np.linalg.pinv(np.einsum("vri,vrj->ij", slopes, slopes))
        # Jackknife: what each view would be off by if it had not been used.
        hat = np.einsum("vri,ij,vsj->vrs", slopes, inverse, slopes)
        free = np.linalg.solve(np.eye(8) * (1.0 + 1e-6) - hat, rest[..., None])[..., 0]
        pulls = np.einsum("vri,vr->vi", slopes, free)
        # What lens and print do to all views alike, one standard deviation of each, pixels.
        columns = np.tile([_MIDDLE, 0.0], (len(kept), 4))
        larger = self.residuals(unknown, kept, 1.0 + _PRINT).reshape(len(kept), 8) - rest
        common = np.einsum("vri,kvr->ki", slopes, np.stack([columns, np.roll(columns, 1, axis=1), larger]))
        covariance = inverse @ (pulls.T @ pulls + common.T @ common) @ inverse
        # Fitted was the parent in the camera; wanted is the camera in its parent.
        step, moved = 1e-6, np.zeros((6, 6))
        here = pose_of(unknown[:6]).inverse()
        for column, unit in enumerate(np.eye(6)):
            there = pose_of(unknown[:6] + step * unit).inverse()
            twist = Rotation.from_matrix(matrix_of(there) @ matrix_of(here).T).as_rotvec()
            moved[:, column] = np.concatenate([twist, np.subtract(there.position, here.position)]) / step
        own = moved @ covariance[:6, :6] @ moved.T
        return math.sqrt(float(np.trace(own[:3, :3]))), math.sqrt(float(np.trace(own[3:, 3:])))


def information(tag: Tag, lens: Lens, unknown: np.ndarray, links: Sequence[Pose]) -> np.ndarray:
    """Return the information that views would add about both unknown poses.

    Args:
        tag: size and approximate pose of the tag.
        lens: intrinsic parameters of the camera.
        unknown: array (12,), both poses as vectors.
        links: candidate poses of the moving link, world frame.

    Returns:
        Array (links, 12, 12).
    """
    views = [TagView(np.zeros((4, 2)), link) for link in links]
    slopes = _Fit(views, tag, lens).jacobian(unknown, np.arange(len(views)))
    return np.einsum("vri,vrj->vij", slopes, slopes)


def _guesses(views: Sequence[TagView], tag: Tag, lens: Lens, told: Optional[Pose]) -> List[np.ndarray]:
    links, seen = [], []
    for view in views:
        worked, turn, shift = cv2.solvePnP(np.array(tag.corners), view.corners.astype(float), lens.matrix,
                                           np.array(lens.distortion or (0.0,) * 5), flags=cv2.SOLVEPNP_IPPE_SQUARE)
        if worked:
            links.append(view.link)
            seen.append(pose_of(np.concatenate([turn.ravel(), shift.ravel()])).inverse())
    found = [np.concatenate([_between(seen, links), _between(links, seen)])]
    if told is not None:
        found.append(np.concatenate([vector_of(told.inverse()), vector_of(tag.pose)]))
    return found


def _between(before: Sequence[Pose], after: Sequence[Pose]) -> np.ndarray:
    """The pose for which ``before * pose * after`` is the same in all views: how one side moves from view to view is
    how the other does, seen from elsewhere.
    """
    ones = [first.inverse().compose(then) for first, then in zip(before, before[1:])]
    others = [first.compose(then.inverse()) for first, then in zip(after, after[1:])]
    turns, alike = (Rotation.from_quat([each.orientation for each in side]) for side in (ones, others))
    turn = Rotation.align_vectors(turns.as_rotvec(), alike.as_rotvec())[0]
    aside = turn.apply([each.position for each in others]) - [each.position for each in ones]
    shift = np.linalg.lstsq(np.vstack(turns.as_matrix() - np.eye(3)), aside.ravel(), rcond=None)[0]
    return np.concatenate([turn.as_rotvec(), shift])
