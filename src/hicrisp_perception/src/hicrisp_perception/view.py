"""A picture made ready to be measured: without distortion, with the height of each pixel above the table."""

from __future__ import annotations

from typing import Optional, Tuple

import cv2
import numpy as np
from hicrisp_core.errors import HicrispError
from hicrisp_core.model.geometry import Pose
from hicrisp_core.model.picture import Lens, Picture

NOWHERE = -9.0
"""Height of a pixel without a measured depth, metres."""
_NEAREST, _FARTHEST = 1e-6, 10.0
"""Depths beyond them are no measurements of things on a table, metres."""


class PictureError(HicrispError):
    """A picture's parts do not fit together; the message says which, and what would be right."""


def check(picture: Picture) -> None:
    """Refuse what is no picture.

    Raises:
        PictureError: for colour or depth of a wrong kind or size, a lens that is none, a pose that is none.
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
    """The rotation matrix of a pose, 3 x 3: its axes are the columns."""
    return np.array(pose.axes).T


def enlarged(mask: np.ndarray, step: int, shape: Tuple[int, ...]) -> np.ndarray:
    """A mask of every ``step``-th row and column as one of all of them, of a shape that is no larger."""
    if step == 1:
        return mask
    fine = cv2.resize(mask.view(np.uint8), None, fx=step, fy=step, interpolation=cv2.INTER_NEAREST)
    found: np.ndarray = fine.view(mask.dtype)[:shape[0], :shape[1]]
    return found


def along(lens: Lens, way: np.ndarray, step: int = 1) -> np.ndarray:
    """How far each pixel's ray comes along a way, for each metre along the optical axis.

    Args:
        way: in the optical frame.
        step: of the rows and columns that are wanted.
    """
    columns = (np.arange(0, lens.width, step) - lens.cx) / lens.fx
    rows = (np.arange(0, lens.height, step) - lens.cy) / lens.fy
    found: np.ndarray = (way[0] * columns[None, :] + (way[1] * rows + way[2])[:, None]).astype(np.float32)
    return found


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
        """One world coordinate of every second pixel of every second row."""
        found: np.ndarray = depth * self._halves[axis] + np.float32(self.origin[axis])
        return found

    def point(self, axis: int, depth: np.ndarray, part: Tuple[slice, slice]) -> np.ndarray:
        """One world coordinate of the pixels of a part of the picture."""
        found: np.ndarray = depth * self._axes[axis][part] + np.float32(self.origin[axis])
        return found

    def directions(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """(3, N) directions of pixels."""
        return np.stack([axis[rows, columns] for axis in self._axes])

    def part(self, part: Tuple[slice, slice]) -> np.ndarray:
        """(3, N) directions of the pixels of a part, row by row."""
        return np.stack([axis[part].ravel() for axis in self._axes])

    def on_plane(self) -> Tuple[np.ndarray, np.ndarray]:
        """Where each pixel's ray meets the plane z = 0: x and y, metres; far away where it does not."""
        down = np.minimum(self._axes[2], np.float32(-1e-3))
        reach = np.float32(-self.origin[2]) / down
        return (self._axes[0] * reach + np.float32(self.origin[0]),
                self._axes[1] * reach + np.float32(self.origin[1]))

    def project(self, points: np.ndarray) -> np.ndarray:
        """World points (..., 3) as pixels (..., 2), columns first."""
        seen = (points - self.origin) @ self.rotation
        ahead = np.maximum(seen[..., 2], 1e-3)
        return np.stack([self.lens.fx * seen[..., 0] / ahead + self.lens.cx,
                         self.lens.fy * seen[..., 1] / ahead + self.lens.cy], axis=-1)

    def depth_of(self, points: np.ndarray) -> np.ndarray:
        """Distance of world points (..., 3) along the optical axis, metres."""
        found: np.ndarray = (points - self.origin) @ self.rotation[:, 2]
        return found


class Straightener:
    """Takes the distortion out of a lens's pictures; cheap where there is none."""

    def __init__(self, lens: Lens) -> None:
        self.lens = Lens(lens.width, lens.height, lens.fx, lens.fy, lens.cx, lens.cy)
        self.told = lens
        self._maps: Optional[Tuple[np.ndarray, np.ndarray]] = None
        if any(lens.distortion):
            size = (lens.width, lens.height)
            self._maps = cv2.initUndistortRectifyMap(
                lens.matrix, np.array(lens.distortion), None, lens.matrix, size, cv2.CV_32FC1)

    def straighten(self, picture: Picture) -> Tuple[np.ndarray, np.ndarray]:
        """Colour and depth as a pinhole camera would take them."""
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
