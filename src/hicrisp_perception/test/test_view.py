"""A picture whose parts do not fit together is refused with what would be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn import CAMERA, LENS, at, box, draw, scene_of
from hicrisp_core.model import Pose
from hicrisp_core.model.picture import Lens
from hicrisp_perception.view import Rays, Straightener

from hicrisp_perception import PictureError, SceneSight


@pytest.fixture(scope="module")
def picture():
    return draw([])


@pytest.mark.parametrize(("change", "told"), [
    ({"depth": np.zeros((240, 320), np.float32)}, "depth picture has the size (320, 240)"),
    ({"depth": np.zeros((480, 640), np.uint16)}, "depth picture is uint16"),
    ({"colour": np.zeros((480, 640), np.uint8)}, "colour picture is uint8 (480, 640)"),
    ({"lens": Lens(0, 0, 0.0, 0.0, 0.0, 0.0)}, "CameraInfo"),
    ({"camera": Pose((0.0, 0.0, float("nan")))}, "optical frame"),
])
def test_what_is_no_picture_is_refused(picture, change, told):
    sight = SceneSight(scene_of(box("box")))
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
