"""AprilTags in a picture, and the objects that wear them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import conjugate, from_axes, multiply
from hicrisp_core.model.track import Uncertainty
from hicrisp_core.scene.tags import Tag

from hicrisp_perception.outline import Placement, Projection
from hicrisp_perception.segments import Window
from hicrisp_perception.shape_models import Lie, unit
from hicrisp_perception.view import Rays, View

_CORNER = 0.35
"""Pixels by which a corner may be off."""
_ROUNDS = 12
_STILL = 5e-5
"""Step below which a fit has converged, metres and radians."""
WORST = 2.5
"""Pixels by which corners may be off in the mean where tags are where their file says."""
_WIDEST = 27
"""Widest neighbourhood for the threshold between dark and light, pixels."""
_LARGE = 80
"""Pixels along a part beyond which it shows its tags at first sight."""
_CLOSER, _RIM = 4, 8
"""Factor by which parts are enlarged, and the pixels around them."""
_DEPTH_LEAST = 12
_LEAST_AROUND = 20.0
"""Pixels around the smallest tag; what is smaller is not tried."""
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
        poses: List[Pose] = []
        for turn, shift in zip(turns, shifts) if found else ():
            matrix = cv2.Rodrigues(turn)[0]
            own = Pose(_vector(shift), from_axes(*(_vector(matrix[:, axis]) for axis in range(3))))
            poses.append(self.rays.camera.compose(own).compose(tag.to_middle))
        return tuple(poses)

    @property
    def numbers(self) -> str:
        """The numbers of its tags, for messages."""
        return ", ".join(str(tag.number) for tag, _ in self.pairs)

    def standing(self, lie: Lie, start: Tuple[float, float, float], bottom: float, rays: Rays) -> Placement:
        """Return the place of an object that stands upright at a height: three parameters, fitted to many
        corners.

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
        return Placement(x, y, yaw, np.linalg.inv(normal) * max(error, _CORNER) ** 2, error,
                         len(self.points))

    def free(self, view: View) -> Optional[FreeFit]:
        """Return the pose of an object in any orientation.

        Args:
            view: the current image with its viewing rays.

        Returns:
            The pose; ``None`` if its tags contradict each other.
        """
        found = [_refined(guess, self.points, self.pixels, view) for guess in self.guesses]
        best = min(found, key=lambda each: each.error) if found else None
        if best is None or best.error > WORST:
            return None
        poor = max(1.0, _SMALL / max(one.edge for _, one in self.pairs))
        sure = best.uncertainty
        rough = Uncertainty(sure.position * poor, sure.height * poor, sure.yaw * poor)
        return replace(best, pose=_at_depth(best.pose, self.pairs, view), uncertainty=rough)


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


@dataclass(frozen=True)
class TagReport:
    """What tags say of a picture, and what is wrong with them, as sentences for people.

    Args:
        seen: all tags, known or not.
    """

    fits: Mapping[str, TagFit]
    warnings: Tuple[str, ...] = ()
    seen: Tuple[Sighting, ...] = ()

    def shown_in(self, window: Window) -> bool:
        """Check whether a tag is visible in a window.

        Args:
            window: rows and columns in pixels.

        Returns:
            True if at least one corner lies in it or just outside.
        """
        rows, columns = window
        return any(rows.start - _RIM <= y < rows.stop + _RIM
                   and columns.start - _RIM <= x < columns.stop + _RIM
                   for one in self.seen for x, y in one.corners)


class TagReader:
    """Finds tags and the objects that wear them.

    Args:
        tags: those that are known.
    """

    def __init__(self, tags: Sequence[Tag]) -> None:
        self._tags = {tag.number: tag for tag in tags}
        self._detector = _Detector(_WIDEST, (_WIDEST - 5) // 2)
        self._closer = _Detector(2 * _WIDEST - 1, 8)

    def sightings(self, view: View) -> List[Sighting]:
        """Find all tags in an image.

        Args:
            view: the current image with its viewing rays.

        Returns:
            Known and unknown tags.
        """
        grey = cv2.cvtColor(view.colour, cv2.COLOR_RGB2GRAY)
        return [Sighting(number, corners) for number, corners in self._detector.find(grey, _LEAST_AROUND)]

    def among(self, view: View, windows: Sequence[Window]) -> List[Sighting]:
        """Find tags in parts of an image.

        Args:
            view: the current image with its viewing rays.
            windows: the parts.

        Returns:
            Known and unknown tags.
        """
        found: List[Sighting] = []
        for window in windows:
            grey, corner = _grey_part(view, window)
            for number, corners in self._detector.find(grey, _LEAST_AROUND):
                one = Sighting(number, corners + corner)
                if not any(one.same(other) for other in found):  # Parts may overlap.
                    found.append(one)
        return found

    def closer(self, view: View, windows: Sequence[Window]) -> List[Sighting]:
        """Find tags in enlarged parts of an image, for small and dark ones.

        Args:
            view: the current image with its viewing rays.
            windows: the parts; large ones are skipped.

        Returns:
            Known and unknown tags.
        """
        found: Dict[int, Sighting] = {}
        for rows, columns in windows:
            if max(rows.stop - rows.start, columns.stop - columns.start) > _LARGE:
                continue
            grey, corner = _grey_part(view, (rows, columns))
            large = cv2.resize(grey, None, fx=_CLOSER, fy=_CLOSER, interpolation=cv2.INTER_CUBIC)
            for number, corners in self._closer.find(large, _CLOSER * _LEAST_AROUND):
                found[number] = Sighting(number, (corners + 0.5) / _CLOSER - 0.5 + corner)
        return list(found.values())

    def read(self, view: View, windows: Optional[Sequence[Window]] = None, closer: bool = False
             ) -> TagReport:
        """Find the objects whose tags are visible.

        Args:
            view: the current image with its viewing rays.
            windows: parts of the image; ``None`` for the whole.
            closer: whether to enlarge them.

        Returns:
            Tags by object, and warnings for the user.
        """
        if windows is None:
            seen = self.sightings(view)
        else:
            seen = self.closer(view, windows) if closer else self.among(view, windows)
        warnings = [f"Tag {one.number} is in no file of tags; add it to the file, or cover it."
                    for one in seen if one.number not in self._tags]
        twice = sorted({one.number for one in seen if sum(other.number == one.number for other in seen) > 1})
        for number in twice:
            whose = f" of {self._tags[number].thing}" if number in self._tags else ""
            warnings.append(f"Tag {number}{whose} is seen at two places at once; remove one of them. "
                            "Neither is used.")
        worn: Dict[str, List[Tuple[Tag, Sighting]]] = {}
        for one in seen:
            if one.number in self._tags and one.number not in twice:
                tag = self._tags[one.number]
                worn.setdefault(tag.thing, []).append((tag, one))
        fits = {name: TagFit.of(pairs, view.rays) for name, pairs in worn.items()}
        return TagReport(fits, tuple(warnings), tuple(seen))


class _Detector:
    """OpenCV's detector of markers for pictures of any size.

    Args:
        widest: largest neighbourhood for the threshold between dark and light, pixels.
        step: by which the neighbourhood grows to it, pixels.
    """

    def __init__(self, widest: int, step: int) -> None:
        self._settings = settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        settings.cornerRefinementWinSize = 3
        settings.adaptiveThreshWinSizeMin = 5
        settings.adaptiveThreshWinSizeMax = widest
        settings.adaptiveThreshWinSizeStep = step
        settings.minOtsuStdDev = 3.0  # On sides in the shade white is dark.
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
        self._detector = cv2.aruco.ArucoDetector(dictionary, settings)

    def find(self, grey: np.ndarray, around: float) -> List[Tuple[int, np.ndarray]]:
        """Return the numbers of the tags in a picture with their corners, (4, 2) pixels.

        Args:
            around: pixels around the smallest one.
        """
        self._settings.minMarkerPerimeterRate = around / max(grey.shape)
        self._detector.setDetectorParameters(self._settings)
        corners, numbers, _ = self._detector.detectMarkers(grey)
        return [(int(number), each.reshape(4, 2).astype(float))
                for number, each in zip(() if numbers is None else numbers.ravel(), corners)]


def _grey_part(view: View, window: Window) -> Tuple[np.ndarray, Tuple[int, int]]:
    """Return a part of a picture with a rim in grey, and the column and row at which it begins."""
    rows, columns = window
    height, width = view.shape
    top, left = max(0, rows.start - _RIM), max(0, columns.start - _RIM)
    part = view.colour[top:min(height, rows.stop + _RIM), left:min(width, columns.stop + _RIM)]
    return cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2GRAY), (left, top)


def _vector(values: np.ndarray) -> Tuple[float, float, float]:
    x, y, z = (float(value) for value in np.ravel(values))
    return x, y, z


def _turned(pose: Pose, step: np.ndarray) -> Pose:
    """Return a pose moved by metres and turned by radians about the world's axes."""
    matrix = cv2.Rodrigues(step[3:])[0] @ np.array(pose.axes).T
    return Pose(_vector(np.array(pose.position) + step[:3]),
                from_axes(*(_vector(matrix[:, axis]) for axis in range(3))))


def _refined(pose: Pose, points: np.ndarray, pixels: np.ndarray, view: View) -> FreeFit:
    """Least squares over all corners."""
    normal = np.eye(6)
    for _ in range(_ROUNDS):
        shown, slopes = _moving(pose, points, view)
        rest = (shown - pixels).ravel()
        slope = slopes.reshape(-1, 6)
        normal = slope.T @ slope + np.diag([1.0] * 3 + [1e-3] * 3)
        move = -np.linalg.solve(normal, slope.T @ rest)
        length = float(np.linalg.norm(move))
        pose = _turned(pose, move * min(1.0, 0.3 / max(length, 1e-9)))
        if length < 1e-6:
            break
    rest = (_moving(pose, points, view)[0] - pixels).ravel()
    error = math.sqrt(float(np.mean(rest ** 2)) * 2.0)
    covariance = np.linalg.inv(normal) * max(error, _CORNER) ** 2
    level = float(np.linalg.eigvalsh(covariance[:2, :2]).max())
    return FreeFit(pose, Uncertainty(math.sqrt(level), math.sqrt(float(covariance[2, 2])),
                                     math.sqrt(float(covariance[5, 5]))), error)


def _moving(pose: Pose, points: np.ndarray, view: View) -> Tuple[np.ndarray, np.ndarray]:
    """(N, 2) the pixels of an object's points, and (N, 2, 6) how they change for a metre along the world's axes
    and a radian about them.
    """
    rays, arms = view.rays, points @ np.array(pose.axes)
    seen = (arms + np.array(pose.position) - rays.origin) @ rays.rotation
    ways = np.empty((len(points), 6, 3))
    ways[:, :3] = np.eye(3)
    ways[:, 3:] = np.cross(np.eye(3), arms[:, None])
    changes = ways @ rays.rotation
    near = 1.0 / np.maximum(seen[:, 2:], 1e-3)
    flat = seen[:, :2] * near
    scale = np.array([rays.lens.fx, rays.lens.fy])
    slopes = (changes[:, :, :2] - flat[:, None] * changes[:, :, 2:]) * (near[:, None] * scale)
    return flat * scale + (rays.lens.cx, rays.lens.cy), slopes.transpose(0, 2, 1)


def _at_depth(pose: Pose, pairs: Sequence[Tuple[Tag, Sighting]], view: View) -> Pose:
    """Return the pose moved along its ray to the measured distance, which small tags determine poorly."""
    shift = depth_shift(pose, pairs, view)
    if shift is None or abs(shift) > 0.05:
        return pose
    ray = np.array(pose.position) - view.rays.origin
    return pose.shifted(_vector(shift * ray / float(view.rays.depth_of(np.array(pose.position)))))


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
