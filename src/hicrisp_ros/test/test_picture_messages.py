"""A depth camera's messages: read as they come from drivers, and refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest
import rospy
from hicrisp_core.model.picture import Lens
from hicrisp_ros.conversions.picture import (
    PictureError,
    colour_from_msg,
    colour_to_msg,
    depth_from_msg,
    depth_to_msg,
    lens_from_msg,
    lens_to_msg,
)
from sensor_msgs.msg import CameraInfo, Image

STAMP, LENS = rospy.Time(12, 5), Lens(6, 4, 610.0, 611.0, 3.2, 1.9, (0.1, -0.05, 0.0, 0.001, 0.0))
COLOUR = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
DEPTH = np.linspace(0.3, 1.5, 24, dtype=np.float32).reshape(4, 6)


def test_what_is_sent_is_what_is_read() -> None:
    assert np.array_equal(colour_from_msg(colour_to_msg(COLOUR, "camera", STAMP)), COLOUR)
    assert np.allclose(depth_from_msg(depth_to_msg(DEPTH, "camera", STAMP)), DEPTH, atol=0.0006)
    assert lens_from_msg(lens_to_msg(LENS, "camera", STAMP)) == LENS


@pytest.mark.parametrize(("encoding", "pixel"), [
    ("rgb8", [10, 20, 30]), ("bgr8", [30, 20, 10]), ("rgba8", [10, 20, 30, 99]), ("bgra8", [30, 20, 10, 99])])
def test_every_usual_order_of_colours_is_read(encoding: str, pixel: list) -> None:
    data = bytes(pixel) * 2
    message = Image(height=1, width=2, encoding=encoding, step=len(data), data=data)
    assert colour_from_msg(message).tolist() == [[[10, 20, 30]] * 2]


def test_padded_rows_are_read() -> None:
    rows = [bytes([index] * 6) + b"\xff\xff" for index in (1, 2)]
    message = Image(height=2, width=2, encoding="rgb8", step=8, data=b"".join(rows))
    assert colour_from_msg(message)[:, :, 0].tolist() == [[1, 1], [2, 2]]


def test_depth_in_metres_is_read_and_what_was_not_measured_is_0() -> None:
    metres = np.array([[0.5, np.nan, np.inf]], dtype="<f4")
    message = Image(height=1, width=3, encoding="32FC1", step=12, data=metres.tobytes())
    assert depth_from_msg(message).tolist() == [[0.5, 0.0, 0.0]]


@pytest.mark.parametrize(("read", "message", "said"), [
    (colour_from_msg, Image(height=1, width=1, encoding="yuv422", step=2, data=b"ab"), "yuv422"),
    (colour_from_msg, Image(height=2, width=2, encoding="rgb8", step=6, data=b"abc"), "need 12 bytes"),
    (depth_from_msg, Image(height=1, width=1, encoding="rgb8", step=3, data=b"abc"), "16UC1"),
    (lens_from_msg, CameraInfo(width=6, height=4), "not calibrated"),
    (lens_from_msg, CameraInfo(K=[1.0] * 9, D=[0.1] * 4, distortion_model="equidistant"), "equidistant"),
    (lens_from_msg, CameraInfo(K=[1.0] * 9, D=[0.1] * 8, distortion_model="plumb_bob"), "4 to 5 coefficients, got 8"),
    (lens_from_msg, CameraInfo(K=[1.0] * 9, D=[0.1, np.nan, 0.0, 0.0, 0.0]), "not finite"),
    (lens_from_msg, CameraInfo(K=[1.0, 0.0, np.nan, *[1.0] * 6]), "not finite"),
])
def test_what_cannot_be_read_is_refused_with_the_reason(read, message, said) -> None:
    with pytest.raises(PictureError, match=said):
        read(message)
