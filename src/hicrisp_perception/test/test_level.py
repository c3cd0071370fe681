"""The table's plane, and the noise of the depth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn import CAMERA, at, box, draw, ground_of
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_euler, multiply
from hicrisp_perception.shapes.level import TablePlane, fit_level


def test_a_level_table_is_seen_level_with_things_on_it():
    ground = ground_of(draw([(box("box"), at(0.5, 0.1, 0.025))], noise=0.002))
    assert abs(ground.level.offset) < 0.001
    assert ground.level.tilt < math.radians(0.1)
    assert ground.level.noise_at(1.0) == pytest.approx(0.002, rel=0.6)


def test_a_camera_that_is_not_where_it_is_said_to_be_shows_by_the_tables_plane():
    picture = draw([])
    told = Pose((CAMERA.position[0], CAMERA.position[1], CAMERA.position[2] + 0.01),
                multiply(from_euler(0.0, math.radians(1.0), 0.0), CAMERA.orientation))
    level = ground_of(type(picture)(0.0, picture.lens, picture.colour, picture.depth, told)).level
    assert level.tilt == pytest.approx(math.radians(1.0), abs=math.radians(0.15))


def test_too_little_table_keeps_the_plane_before():
    before = TablePlane(0.001)
    nothing = np.zeros((60, 80), np.float32)
    assert fit_level(nothing, nothing, nothing, nothing + 1.0, nothing > 1.0, before) is before
