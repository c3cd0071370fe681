"""Check whether a camera's pose matches its configuration: what it sees of the table and of the robot's markers says
so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

import cv2
import numpy as np
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Pose, Track
from hicrisp_core.model.picture import Lens, Picture
from hicrisp_core.ports.observer import Frames
from hicrisp_core.ports.perception import ObjectTracker
from hicrisp_core.scene import Scene
from hicrisp_core.scene.tags import Tag, load_tags
from scipy.optimize import least_squares

from hicrisp_perception.calibration.table_edges import STRIDE, TablePlane, expected_table, find_ends, find_plane
from hicrisp_perception.tags.reader import TagFinder
from hicrisp_perception.view import Straightener, check, matrix_of, pose_of, project

_SPACING = 0.015
"""Metres between the points at which the end of a side is looked for."""
_REACHES = (60, 25, 10)
"""Pixels around where a side should end, for each round."""
_RIM = 12
"""Border of the image in which no edge of the table is searched, pixels."""
_END, _CORNER = 2.0, 0.7
"""Standard deviations of an end and of a tag's corner, pixels."""
_RELATED = 8.0
"""So many neighbouring ends count as one: what spoils them is the same."""
_PLANE_POINTS, _PLANE_NOISE = 60, 0.002
"""Points of the plane that count, and the standard deviation that they share, metres."""
_STILL = 1e-4
"""Least relative decrease of the cost in a round for another round to follow."""
_DOUBT = np.array([0.15] * 3 + [0.15] * 3)
"""Of the turn (radians) and the shift (metres) before anything is seen."""
_MARGIN = 0.06
"""What is asked for a plane keeps that far inside the table's sides, metres."""
_SHOWN = 0.03
"""Part of the picture that should show the table for that to say anything."""
_SURE = 2.0
"""A deviation counts that is so many standard deviations."""
_AGAIN = 1.0
"""Time after a misfit until the mounting is checked again, seconds of the images' stamps."""
_KNOCKED = 5.0
"""Seconds of the same from one check of a camera that was in its place to the next."""


@dataclass(frozen=True)
class MountingError:
    """A camera whose pose differs from its configuration.

    Args:
        offset: of the camera, metres; infinite where the table is not found at all.
        turn: of the camera, radians.
        deviation: how far off the worst place of the table is seen, metres.
        allowed: how far it may be, metres.
        camera: its estimated pose; ``None`` if it is unknown.
    """

    offset: float
    turn: float
    deviation: float
    allowed: float
    camera: Optional[Pose] = None

    @property
    def reason(self) -> str:
        """What is wrong and what to do, as a sentence."""
        mend = "Put the camera back, or find its mounting with scripts/calibrate_camera."
        if self.camera is None:
            return f"The camera does not see the table where its mounting says that it is. {mend}"
        off = f"{1000.0 * self.offset:.0f} mm and {math.degrees(self.turn):.1f} degrees"
        return (f"The camera is about {off} off its mounting: places on the table are seen up to "
                f"{1000.0 * self.deviation:.0f} mm off, and {1000.0 * self.allowed:.0f} mm are allowed. "
                f"{mend}")


def mounting_check(picture: Picture, robots: Frames, scene: Scene, finder: Optional[TagFinder] = None
                   ) -> Optional[MountingError]:
    """Compare what is seen with where it should be: the table's plane and sides, and the markers on robot and table.

    What nothing in the picture speaks for is taken to be right: with a view in which no side of the table
    ends, only its height and lean are compared.

    Args:
        robots: frames of the robots' links at the picture's moment.
        finder: for the markers' tags.

    Returns:
        ``None`` if the picture fits, or says nothing.

    Raises:
        PictureError: when the picture's parts do not fit together.
    """
    check(picture)
    straightener = Straightener(picture.lens)
    colour, depth = straightener.straighten(picture)
    depth = cv2.medianBlur(np.where(np.isfinite(depth), depth, np.float32(0.0)).astype(np.float32), 3)
    lens, camera = straightener.lens, picture.camera
    middle = np.array(scene.table.pose.position[:2] if scene.table.pose is not None else (0.0, 0.0))
    half = np.array(scene.table.size[:2]) / 2.0
    low, high = middle - half, middle + half
    expected = expected_table(lens, camera, low + _MARGIN, high - _MARGIN, STRIDE)
    if np.count_nonzero(expected) < _SHOWN * expected.size:
        return None
    plane = find_plane(depth, lens, camera, expected)
    if plane is None:
        return MountingError(math.inf, math.inf, math.inf, scene.camera_error)
    corners, placed = _markers(colour, robots, scene, finder) if scene.markers else ([], [])
    fit = _Alignment(lens, camera, plane, low, high, corners, placed)
    moved, covariance = fit.solve()
    return _judged(moved, covariance, camera, _grid(lens, camera, low, high), scene.camera_error)


class _Alignment:
    """The turn and shift of the camera, in its own frame, with which the picture fits."""

    def __init__(self, lens: Lens, camera: Pose, plane: TablePlane, low: np.ndarray, high: np.ndarray,
                 corners: Sequence[np.ndarray], placed: Sequence[np.ndarray]) -> None:
        self._lens, self._plane = lens, plane
        self._turn, self._eye = matrix_of(camera), np.array(camera.position)
        self._corners, self._placed = list(corners), list(placed)
        points = plane.points[:: max(1, len(plane.points) // _PLANE_POINTS)]
        self._points = points
        self._weight = 1.0 / np.maximum(_PLANE_NOISE, plane.noise * points[:, 2] ** 2)
        self._edge, self._across = _edge_points(low, high)
        self._ends: Tuple[np.ndarray, np.ndarray, np.ndarray] = (np.zeros((0, 3)), np.zeros((0, 2)),
                                                                 np.zeros((0, 2)))

    def solve(self) -> Tuple[np.ndarray, np.ndarray]:
        """Turn (radians) and shift (metres) of the camera in its told frame, and their covariance."""
        moved = np.zeros(6)
        for reach in _REACHES:
            self._look_for_ends(moved, reach)
            done = least_squares(self._residuals, moved, loss="soft_l1", f_scale=2.0, x_scale=_DOUBT,
                                 ftol=_STILL)
            moved = done.x
        return moved, np.linalg.inv(done.jac.T @ done.jac)

    def _look_for_ends(self, moved: np.ndarray, reach: int) -> None:
        at, ahead = self._project(self._edge, moved)
        aside, behind = self._project(self._edge + 0.02 * self._across, moved)
        along, _ = self._project(self._edge + 0.02 * self._across[:, [1, 0, 2]] * (1.0, -1.0, 0.0), moved)
        tangent = along - at
        tangent /= np.maximum(1e-9, np.linalg.norm(tangent, axis=1))[:, None]
        outwards = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1)
        outwards *= np.sign(((aside - at) * outwards).sum(axis=1))[:, None]
        framed = ((at >= _RIM) & (at < (self._lens.width - _RIM, self._lens.height - _RIM))).all(axis=1)
        good = framed & (ahead > 0.2) & (behind > 0.2)
        found = find_ends(self._plane, at[good], outwards[good], reach)
        seen = np.isfinite(found)
        where = at[good][seen] + found[seen][:, None] * outwards[good][seen]
        self._ends = (self._edge[good][seen], where, outwards[good][seen])

    def _moved(self, moved: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Return the moved camera's axes and position in the world."""
        return self._turn @ cv2.Rodrigues(moved[:3])[0], self._eye + self._turn @ moved[3:]

    def _project(self, points: np.ndarray, moved: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """World points as pixels of the moved camera, and their distances along its axis."""
        return project(self._lens, *self._moved(moved), points)

    def _residuals(self, moved: np.ndarray) -> np.ndarray:
        turn, eye = self._moved(moved)
        height = self._points @ turn[2] + eye[2]
        parts: List[np.ndarray] = [height * self._weight / math.sqrt(len(height) / 12.0), moved / _DOUBT]
        edge, where, outwards = self._ends
        if len(edge):
            pixels, _ = self._project(edge, moved)
            parts.append(((pixels - where) * outwards).sum(axis=1) / (_END * math.sqrt(_RELATED)))
        for seen, placed in zip(self._corners, self._placed):
            pixels, _ = self._project(placed, moved)
            parts.append((pixels - seen).ravel() / _CORNER)
        return np.concatenate(parts)


def _edge_points(low: np.ndarray, high: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """(N, 3) points of the table's sides without their ends, and (N, 3) the directions across them, outwards."""
    points, across = [], []
    for axis in (0, 1):
        along = np.arange(low[1 - axis] + _MARGIN, high[1 - axis] - _MARGIN, _SPACING)
        for side, sign in ((low[axis], -1.0), (high[axis], 1.0)):
            line, out = np.zeros((len(along), 3)), np.zeros(3)
            line[:, axis], line[:, 1 - axis], out[axis] = side, along, sign
            points.append(line)
            across.append(np.tile(out, (len(along), 1)))
    return np.concatenate(points), np.concatenate(across)


def _markers(colour: np.ndarray, robots: Frames, scene: Scene, finder: Optional[TagFinder]
             ) -> Tuple[List[np.ndarray], List[np.ndarray]]:
    """Return the corners of the markers that are seen, and where they are in the world."""
    tags: Sequence[Tag] = load_tags(scene.markers, beside=scene.source or None)
    seen = (finder or TagFinder()).find(colour)
    corners, placed = [], []
    for tag in tags:
        on = scene.table.pose if tag.thing == scene.table.name else robots.get(tag.thing, (None, 0.0))[0]
        if tag.number in seen and on is not None:
            corners.append(seen[tag.number])
            placed.append(np.array([on.compose(tag.pose).apply(corner) for corner in tag.corners]))
    return corners, placed


def _grid(lens: Lens, camera: Pose, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(N, 3) places of the table in the picture."""
    x, y = np.meshgrid(np.linspace(low[0], high[0], 7), np.linspace(low[1], high[1], 7))
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    pixels, ahead = project(lens, matrix_of(camera), np.array(camera.position), points)
    inside = (ahead > 0.1) & ((pixels >= 0) & (pixels < (lens.width, lens.height))).all(axis=1)
    return points[inside]


def _judged(moved: np.ndarray, covariance: np.ndarray, camera: Pose, places: np.ndarray, allowed: float
            ) -> Optional[MountingError]:
    """Return a misfit if a place surely deviates by more than is allowed."""
    shifts = _shifts(moved, camera, places)
    slopes = np.stack([(_shifts(moved + 1e-5 * unit, camera, places) - shifts) / 1e-5 for unit in np.eye(6)],
                      axis=2)
    lengths = np.linalg.norm(shifts, axis=1)
    ways = shifts / np.maximum(lengths, 1e-9)[:, None]
    along = np.einsum("ni,nij->nj", ways, slopes)
    spread = np.sqrt(np.einsum("ni,ij,nj->n", along, covariance, along))
    worst = float(lengths[lengths > _SURE * spread].max(initial=0.0))
    if worst <= allowed:
        return None
    offset, turn = float(np.linalg.norm(moved[3:])), float(np.linalg.norm(moved[:3]))
    return MountingError(offset, turn, worst, allowed, camera.compose(pose_of(moved)))


def _shifts(moved: np.ndarray, camera: Pose, places: np.ndarray) -> np.ndarray:
    """(N, 3) how far off places are taken to be, metres."""
    true = camera.compose(pose_of(moved))
    local = (places - np.array(true.position)) @ matrix_of(true)
    return local @ matrix_of(camera).T + np.array(camera.position) - places


class CameraMisplaced(HicrispError):
    """A camera's pose differs from its configuration: its images cannot locate objects."""

    def __init__(self, misfit: MountingError) -> None:
        super().__init__(misfit.reason)
        self.misfit = misfit


class CheckedTracker:
    """A perception that begins once a picture fits the camera's mounting; implements ``ObjectTracker``.

    It goes on to compare, and ends when two checks one after the other find that the camera was knocked.

    Args:
        sight: what looks at the pictures then.
        scene: the table, the markers, and how far off the camera may be.
    """

    def __init__(self, sight: ObjectTracker, scene: Scene) -> None:
        self._sight, self._scene, self._finder = sight, scene, TagFinder()
        self._fits = self._doubted = False
        self._misfit: Optional[MountingError] = None
        self._last: Optional[Tuple[Picture, Frames]] = None
        self._next = self._checked = -math.inf

    def look(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """Return all tracks after an image.

        Args:
            picture: colour and depth with stamp, lens and camera pose.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            The tracks.

        Raises:
            CameraMisplaced: until an image has fitted the mounting, and again after the camera was moved.
            PictureError: if the parts of the image are inconsistent.
        """
        if self._doubted:
            self._check_again(picture, robots)
        if not self._fits:
            if self._misfit is None or not self._next - _AGAIN <= picture.stamp < self._next:
                self._misfit = mounting_check(picture, robots, self._scene, self._finder)
                self._next = picture.stamp + _AGAIN
            if self._misfit is not None:
                raise CameraMisplaced(self._misfit)
            self._fits, self._doubted, self._checked = True, False, picture.stamp
        self._last = picture, robots
        return self._sight.look(picture, robots)

    def look_closer(self, picture: Picture, robots: Frames) -> Tuple[Track, ...]:
        """Look for what the last image hid in that of another camera, whose mounting is not checked.

        Args:
            picture: colour and depth with stamp, lens and camera pose.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            All tracks.
        """
        return self._sight.look_closer(picture, robots)

    def afterwards(self) -> None:
        """Compare the last image with the mounting if that is due; this takes longer than most images."""
        self._sight.afterwards()
        if self._fits and self._last is not None and not (
                self._checked <= self._last[0].stamp < self._checked + _KNOCKED):
            self._check_again(*self._last)

    def forget(self) -> None:
        """Reset after the world was reset; the camera's mounting stays valid."""
        self._sight.forget()
        self._next = self._checked = -math.inf

    def _check_again(self, picture: Picture, robots: Frames) -> None:
        """One picture that does not fit may show anything before the table; two show a knocked camera."""
        misfit = mounting_check(picture, robots, self._scene, self._finder)
        self._checked = picture.stamp
        if misfit is not None and self._doubted:
            self._fits, self._misfit, self._next = False, misfit, picture.stamp + _AGAIN
            self._sight.forget()  # What was seen since the knock is not where it seemed to be.
        self._doubted = misfit is not None
