"""A depth camera's messages as the pictures of the model, and back."""

from __future__ import annotations

from typing import Dict, Tuple

import numpy as np
import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.model.picture import Lens
from sensor_msgs.msg import CameraInfo, Image

_COLOURS: Dict[str, Tuple[int, Tuple[int, int, int]]] = {
    "rgb8": (3, (0, 1, 2)), "bgr8": (3, (2, 1, 0)), "rgba8": (4, (0, 1, 2)), "bgra8": (4, (2, 1, 0)),
    "mono8": (1, (0, 0, 0))}
"""Encodings of colour: the channels of a pixel, and which of them are red, green and blue."""
_DEPTHS: Dict[str, Tuple[str, float]] = {
    "16UC1": ("u2", 0.001), "mono16": ("u2", 0.001), "32FC1": ("f4", 1.0)}
"""Encodings of depth: the type of a pixel, and metres for one of its units."""
_COEFFICIENTS = {"plumb_bob": 5, "rational_polynomial": 8, "": 5}
"""Distortion models, with how many coefficients they have at most: k1, k2, p1, p2, k3, and k4 to k6 of the second."""


class PictureError(HicrispError):
    """A camera's message that cannot be read; it says what is wrong and what would be right."""


def colour_from_msg(message: Image) -> np.ndarray:
    """Convert a colour image.

    Args:
        message: the ROS message.

    Returns:
        Array (height, width, 3) of uint8: red, green, blue.

    Raises:
        PictureError: for another encoding, or too few bytes.
    """
    if message.encoding not in _COLOURS:
        raise PictureError(f"the encoding '{message.encoding}' is no colour that is known; there are: "
                           f"{', '.join(_COLOURS)}")
    channels, order = _COLOURS[message.encoding]
    pixels = _rows(message, np.dtype("u1"), channels)
    if channels == 3 and order == (0, 1, 2):
        return pixels  # Picking channels takes 5 ms of a frame.
    return np.ascontiguousarray(pixels[..., list(order)])


def depth_from_msg(message: Image) -> np.ndarray:
    """Convert a depth image.

    Args:
        message: the ROS message.

    Returns:
        Array (height, width), metres; 0 without a measurement.

    Raises:
        PictureError: for another encoding, or too few bytes.
    """
    if message.encoding not in _DEPTHS:
        raise PictureError(f"the encoding '{message.encoding}' is no depth that is known; there are: "
                           f"{', '.join(_DEPTHS)}")
    kind, unit = _DEPTHS[message.encoding]
    order = ">" if message.is_bigendian else "<"
    metres = _rows(message, np.dtype(order + kind), 1)[..., 0].astype(np.float32) * np.float32(unit)
    return np.where(np.isfinite(metres), metres, np.float32(0.0))


def lens_from_msg(message: CameraInfo) -> Lens:
    """Convert a camera calibration.

    Args:
        message: the ROS message.

    Returns:
        The lens.

    Raises:
        PictureError: for a camera that was never calibrated, or an unknown distortion.
    """
    fx, fy, cx, cy = message.K[0], message.K[4], message.K[2], message.K[5]
    if not np.isfinite([*message.K, *message.D]).all():
        raise PictureError("the camera's calibration (K, D) holds numbers that are not finite; calibrate it again")
    if not (fx > 0.0 and fy > 0.0):
        raise PictureError("the camera is not calibrated: the focal lengths are 0")
    distortion: Tuple[float, ...] = ()
    if any(message.D):
        most = _COEFFICIENTS.get(message.distortion_model, 0)
        if not most:
            raise PictureError(f"the distortion model '{message.distortion_model}' is not known; rectify the "
                               "pictures, or use plumb_bob")
        if len(message.D) < 4 or any(message.D[most:]):
            raise PictureError(f"the distortion model '{message.distortion_model or 'plumb_bob'}' has 4 to {most} "
                               f"coefficients, got {len(message.D)}")
        distortion = (*message.D, *(0.0,) * most)[:most]
    return Lens(message.width, message.height, fx, fy, cx, cy, distortion)


def colour_to_msg(colour: np.ndarray, frame: str, stamp: rospy.Time) -> Image:
    """Convert a colour image to a message.

    Args:
        colour: array (height, width, 3) of uint8: red, green, blue.
        frame: optical frame of the camera.
        stamp: ROS time.

    Returns:
        The message, encoding ``rgb8``.
    """
    return _image(np.ascontiguousarray(colour, dtype="u1"), "rgb8", frame, stamp)


def depth_to_msg(depth: np.ndarray, frame: str, stamp: rospy.Time) -> Image:
    """Convert a depth image to a message, in whole millimetres as depth cameras do.

    Args:
        depth: array (height, width), metres; values are clipped to 65 m.
        frame: optical frame of the camera.
        stamp: ROS time.

    Returns:
        The message, encoding ``16UC1``.
    """
    return _image(np.rint(np.clip(depth, 0.0, 65.0) * 1000.0).astype("<u2"), "16UC1", frame, stamp)


def lens_to_msg(lens: Lens, frame: str, stamp: rospy.Time) -> CameraInfo:
    """Convert a lens to a camera calibration.

    Args:
        lens: intrinsic parameters of the camera.
        frame: optical frame of the camera.
        stamp: ROS time.

    Returns:
        The message.
    """
    model = "rational_polynomial" if len(lens.distortion) > _COEFFICIENTS["plumb_bob"] else "plumb_bob"
    message = CameraInfo(width=lens.width, height=lens.height, distortion_model=model)
    message.header.frame_id, message.header.stamp = frame, stamp
    message.D = [*lens.distortion, *([0.0] * (_COEFFICIENTS[model] - len(lens.distortion)))]
    message.K = [lens.fx, 0.0, lens.cx, 0.0, lens.fy, lens.cy, 0.0, 0.0, 1.0]
    message.R = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.P = [lens.fx, 0.0, lens.cx, 0.0, 0.0, lens.fy, lens.cy, 0.0, 0.0, 0.0, 1.0, 0.0]
    return message


def _rows(message: Image, kind: np.dtype, channels: int) -> np.ndarray:
    """Return the pixels, without what pads the rows."""
    wide = message.width * channels * kind.itemsize
    step = message.step or wide
    if step < wide or len(message.data) < step * message.height or message.height < 1:
        raise PictureError(f"{message.width} x {message.height} pixels of '{message.encoding}' need "
                           f"{wide * message.height} bytes, and there are {len(message.data)}")
    raw = np.frombuffer(message.data, dtype="u1", count=step * message.height).reshape(message.height, step)
    pixels = np.ascontiguousarray(raw[:, :wide]).view(kind)
    return pixels.reshape(message.height, message.width, channels)


def _image(pixels: np.ndarray, encoding: str, frame: str, stamp: rospy.Time) -> Image:
    height, width = pixels.shape[:2]
    message = Image(height=height, width=width, encoding=encoding, is_bigendian=0,
                    step=pixels.strides[0], data=pixels.tobytes())
    message.header.frame_id, message.header.stamp = frame, stamp
    return message
