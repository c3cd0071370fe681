"""A picture made ready to be measured: without distortion, with the height of each pixel above the table."""

from __future__ import annotations

from typing import Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.errors import HicrispError
from hicrisp_core.model.geometry import Pose
from hicrisp_core.model.picture import Lens, Picture
from scipy.spatial.transform import Rotation

NOWHERE = -9.0
"""Height of a pixel without a measured depth, metres."""
_NEAREST, _FARTHEST = 1e-6, 10.0
"""Depths beyond them are no measurements of objects on a table, metres."""
NEIGHBOURS = np.ones((3, 3), np.uint8)
"""A pixel and those around it, by which masks grow and shrink."""


class PictureError(HicrispError):
    """A picture's parts do not fit together; the message says which, and what would be right."""


def check(picture: Picture) -> None:
    """Check that an image is consistent.

    Args:
        picture: colour and depth with stamp, lens and camera pose.

    Raises:
        PictureError: for colour or depth of a wrong type or size, an invalid lens or pose.
    """
    lens, colour, depth = picture.lens, picture.colour, picture.depth
    if not np.isfinite([lens.fx, lens.fy, lens.cx, lens.cy, *lens.distortion]).all():
        raise PictureError("the camera's lens holds numbers that are not finite; calibrate it again")
    if not (lens.width > 0 and lens.height > 0 and lens.fx > 0.0 and lens.fy > 0.0):
        raise PictureError(f"the camera's lens has the size {lens.width} x {lens.height} and the focal "
                           f"lengths {lens.fx:g} and {lens.fy:g}; wait for its CameraInfo")
    shape = (lens.height, lens.width)
    if colour.dtype != np.uint8 or colour.shape != (*shape, 3):
        raise PictureError(f"the colour picture is {colour.dtype} {colour.shape}; the lens asks for uint8 "
                           f"{(*shape, 3)}, red, green, blue")
    if depth.shape != shape:
        raise PictureError(f"the depth picture has the size {depth.shape[::-1]} and the colour picture "
                           f"{shape[::-1]}; register the depth to the colour (align_depth)")
    if depth.dtype != np.float32:
        raise PictureError(f"the depth picture is {depth.dtype}; float32 metres were expected")
    if not picture.camera.finite:
        raise PictureError("the camera's pose is no pose; check the transform of its optical frame")


def matrix_of(pose: Pose) -> np.ndarray:
    """Return the rotation matrix of a pose; its columns are the axes.

    Args:
        pose: metres and unit quaternion (x, y, z, w).

    Returns:
        Array (3, 3).
    """
    return np.array(pose.axes).T


def vector_of(pose: Pose) -> np.ndarray:
    """Convert a pose to a vector.

    Args:
        pose: metres and unit quaternion (x, y, z, w).

    Returns:
        Array (6,): rotation vector (rad), position (m).
    """
    return np.concatenate([Rotation.from_quat(pose.orientation).as_rotvec(), pose.position])


def pose_of(vector: np.ndarray) -> Pose:
    """Convert a vector to a pose.

    Args:
        vector: array (6,): rotation vector (rad), position (m).

    Returns:
        The pose.
    """
    x, y, z, w = (float(value) for value in Rotation.from_rotvec(vector[:3]).as_quat())
    px, py, pz = (float(value) for value in vector[3:6])
    return Pose((px, py, pz), (x, y, z, w))


def enlarged(mask: np.ndarray, step: int, shape: Tuple[int, ...]) -> np.ndarray:
    """Enlarge a mask that covers every ``step``-th row and column.

    Args:
        mask: boolean array.
        step: stride of rows and columns.
        shape: shape of the result, at most ``step`` times the mask's.

    Returns:
        Boolean array of the shape.
    """
    if step == 1:
        return mask
    fine = cv2.resize(mask.view(np.uint8), None, fx=step, fy=step, interpolation=cv2.INTER_NEAREST)
    return fine.view(mask.dtype)[:shape[0], :shape[1]]


def along(lens: Lens, way: np.ndarray, step: int = 1) -> np.ndarray:
    """Return the component of each pixel's ray along a direction, for one metre along the optical axis.

    Args:
        lens: intrinsic parameters of the camera.
        way: vector (3,) in the optical frame.
        step: stride of rows and columns.

    Returns:
        Array (height, width) with this stride, float32.
    """
    columns = (np.arange(0, lens.width, step) - lens.cx) / lens.fx
    rows = (np.arange(0, lens.height, step) - lens.cy) / lens.fy
    return (way[0] * columns[None, :] + (way[1] * rows + way[2])[:, None]).astype(np.float32)


def project(lens: Lens, rotation: np.ndarray, origin: np.ndarray, points: np.ndarray
            ) -> Tuple[np.ndarray, np.ndarray]:
    """Project points into a picture without distortion.

    Args:
        lens: intrinsic parameters of the camera.
        rotation: array (3, 3), the axes of its optical frame in the world.
        origin: array (3,), where it is, metres.
        points: array (..., 3), world frame, metres.

    Returns:
        Pixels (..., 2), columns first, and how far ahead the points are, metres.
    """
    seen = (points - origin) @ rotation
    ahead = np.maximum(seen[..., 2], 1e-3)
    return np.stack([lens.fx * seen[..., 0] / ahead + lens.cx, lens.fy * seen[..., 1] / ahead + lens.cy],
                    axis=-1), seen[..., 2]


class Rays:
    """Where a camera looks: the direction of each pixel in the world frame, one metre along its axis.

    Args:
        lens: without distortion.
    """

    def __init__(self, lens: Lens, camera: Pose) -> None:
        self.lens, self.camera = lens, camera
        self.rotation = matrix_of(camera)
        self.origin = np.array(camera.position)
        self._axes = [along(lens, axis) for axis in self.rotation]
        self._halves = [np.ascontiguousarray(axis[::2, ::2]) for axis in self._axes]

    def half(self, axis: int, depth: np.ndarray) -> np.ndarray:
        """Return one world coordinate of every second pixel of every second row.

        Args:
            axis: 0, 1 or 2.
            depth: depth of these pixels, metres.

        Returns:
            Array of the same shape, metres.
        """
        return depth * self._halves[axis] + np.float32(self.origin[axis])

    def point(self, axis: int, depth: np.ndarray, part: Tuple[slice, slice]) -> np.ndarray:
        """Return one world coordinate of the pixels of a window.

        Args:
            axis: 0, 1 or 2.
            depth: depth of these pixels, metres.
            part: rows and columns.

        Returns:
            Array of the same shape, metres.
        """
        return depth * self._axes[axis][part] + np.float32(self.origin[axis])

    def directions(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the directions of pixels.

        Args:
            rows: array (N,).
            columns: array (N,).

        Returns:
            Array (3, N), world frame, one metre along the optical axis.
        """
        return np.stack([axis[rows, columns] for axis in self._axes])

    def part(self, part: Tuple[slice, slice]) -> np.ndarray:
        """Return the directions of the pixels of a window, row by row.

        Args:
            part: rows and columns.

        Returns:
            Array (3, N), world frame, one metre along the optical axis.
        """
        return np.stack([axis[part].ravel() for axis in self._axes])

    def on_plane(self) -> Tuple[np.ndarray, np.ndarray]:
        """Intersect each pixel's ray with the plane z = 0.

        Returns:
            x and y of each pixel, metres; far away without an intersection.
        """
        down = np.minimum(self._axes[2], np.float32(-1e-3))
        reach = np.float32(-self.origin[2]) / down
        return (self._axes[0] * reach + np.float32(self.origin[0]),
                self._axes[1] * reach + np.float32(self.origin[1]))

    def project(self, points: np.ndarray) -> np.ndarray:
        """Project points.

        Args:
            points: array (..., 3), world frame, metres.

        Returns:
            Pixels (..., 2), columns first.
        """
        return project(self.lens, self.rotation, self.origin, points)[0]

    def depth_of(self, points: np.ndarray) -> np.ndarray:
        """Return the distance of points along the optical axis.

        Args:
            points: array (..., 3), world frame, metres.

        Returns:
            Array (...), metres.
        """
        return (points - self.origin) @ self.rotation[:, 2]


class Straightener:
    """Removes the lens distortion from images; cheap without one."""

    def __init__(self, lens: Lens) -> None:
        self.lens = Lens(lens.width, lens.height, lens.fx, lens.fy, lens.cx, lens.cy)
        self.told = lens
        self._maps: Optional[Tuple[np.ndarray, np.ndarray]] = None
        if any(lens.distortion):
            size = (lens.width, lens.height)
            self._maps = cv2.initUndistortRectifyMap(
                lens.matrix, np.array(lens.distortion), None, lens.matrix, size, cv2.CV_32FC1)

    def straighten(self, picture: Picture) -> Tuple[np.ndarray, np.ndarray]:
        """Remove the lens distortion.

        Args:
            picture: colour and depth with stamp, lens and camera pose.

        Returns:
            Colour and depth of an ideal pinhole camera.
        """
        if self._maps is None:
            return picture.colour, picture.depth
        return (cv2.remap(picture.colour, *self._maps, cv2.INTER_LINEAR),
                cv2.remap(picture.depth, *self._maps, cv2.INTER_NEAREST))


class View:
    """A picture with the depth smoothed and the height of each pixel.

    Args:
        rays: of the picture's lens and camera.
    """

    def __init__(self, stamp: float, colour: np.ndarray, depth: np.ndarray, rays: Rays) -> None:
        self.stamp, self.colour, self.rays = stamp, colour, rays
        # One pass in place of four: no number and infinity are out of the range, too.
        self.depth: np.ndarray = cv2.bitwise_and(depth, depth, mask=cv2.inRange(depth, _NEAREST, _FARTHEST))
        self.shape: Tuple[int, int] = (depth.shape[0], depth.shape[1])


class Views:
    """Makes the views of one camera; what follows from its lens and pose is computed once."""

    def __init__(self) -> None:
        self._straightener: Optional[Straightener] = None
        self._rays: Optional[Rays] = None

    def of(self, picture: Picture) -> View:
        """Return the view of a picture.

        Args:
            picture: colour and depth with stamp, lens and camera pose.

        Returns:
            It without the lens distortion, with the rays of its pixels.
        """
        if self._straightener is None or self._straightener.told != picture.lens:
            self._straightener, self._rays = Straightener(picture.lens), None
        if self._rays is None or self._rays.camera != picture.camera:
            self._rays = Rays(self._straightener.lens, picture.camera)
        return View(picture.stamp, *self._straightener.straighten(picture), self._rays)
