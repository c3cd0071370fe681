"""A picture whose parts do not fit together is refused with what would be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import rospy
from drawn import CAMERA, LENS, at, box, draw, scene_of
from hicrisp_core.model import Pose
from hicrisp_core.model.picture import Lens, Picture
from hicrisp_perception.view import Rays, Straightener
from hicrisp_ros.conversions.picture import lens_from_msg, lens_to_msg

from hicrisp_perception import PictureError, SceneTracker


@pytest.fixture(scope="module")
def picture():
    return draw([])


@pytest.mark.parametrize(("change", "told"), [
    ({"depth": np.zeros((240, 320), np.float32)}, "depth picture has the size (320, 240)"),
    ({"depth": np.zeros((480, 640), np.uint16)}, "depth picture is uint16"),
    ({"colour": np.zeros((480, 640), np.uint8)}, "colour picture is uint8 (480, 640)"),
    ({"lens": Lens(0, 0, 0.0, 0.0, 0.0, 0.0)}, "CameraInfo"),
    ({"lens": replace(LENS, cx=float("nan"))}, "not finite"),
    ({"camera": Pose((0.0, 0.0, float("nan")))}, "optical frame"),
])
def test_what_is_no_picture_is_refused(picture, change, told):
    sight = SceneTracker(scene_of(box("box")))
    with pytest.raises(PictureError) as refused:
        sight.look(replace(picture, **change), {})
    assert told in str(refused.value)


def test_points_come_back_to_their_pixels():
    rays = Rays(LENS, CAMERA)
    point = np.array([0.5, 0.2, 0.03])
    column, row = rays.project(point)
    pixel = (slice(round(row), round(row) + 1), slice(round(column), round(column) + 1))
    depth = float(rays.depth_of(point))
    back = rays.origin + rays.part(pixel)[:, 0] * depth
    assert np.linalg.norm(back - point) < 0.002


def test_a_bent_lens_is_straightened():
    bent = replace(LENS, distortion=(0.1, -0.05, 0.0, 0.0, 0.0))
    picture = replace(draw([(box("box"), at(0.45, 0.3, 0.025))]), lens=bent)
    colour, _ = Straightener(bent).straighten(picture)
    assert colour.shape == picture.colour.shape
    assert np.abs(colour.astype(int) - picture.colour).max() > 50


def test_a_lens_of_eight_coefficients_is_read_and_straightened_with_all_of_them():
    """As of a real depth camera: k4 to k6 nearly cancel k1 to k3."""
    told = Lens(1280, 720, 610.0, 610.0, 640.0, 366.0, (0.50, -2.70, 0.0008, -0.0002, 1.55, 0.38, -2.50, 1.47))
    lens = lens_from_msg(lens_to_msg(told, "camera", rospy.Time(1)))
    assert lens == told
    x, y = 0.6, 0.3
    r = x * x + y * y
    k1, k2, p1, p2, k3, k4, k5, k6 = told.distortion
    scale = (1 + k1 * r + k2 * r ** 2 + k3 * r ** 3) / (1 + k4 * r + k5 * r ** 2 + k6 * r ** 3)
    shown = (610.0 * (x * scale + 2 * p1 * x * y + p2 * (r + 2 * x * x)) + 640.0,
             610.0 * (y * scale + p1 * (r + 2 * y * y) + 2 * p2 * x * y) + 366.0)
    ramp = np.broadcast_to(np.arange(1280, dtype=np.float32), (720, 1280))
    colour = np.zeros((720, 1280, 3), np.uint8)
    _, straight = Straightener(lens).straighten(Picture(0.0, lens, colour, ramp, CAMERA))
    assert straight[round(610.0 * y + 366.0), round(610.0 * x + 640.0)] == pytest.approx(shown[0], abs=1.5)
