"""Inertia of bodies, against what is known of simple ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_gazebo.inertia import Solid, inertia_of


def test_a_cube_of_one_kilogram() -> None:
    found = inertia_of([Solid("cube", "box", (0.3, 0.3, 0.3))], 1.0)
    assert found.tensor == pytest.approx(np.eye(3) * 0.3 ** 2 / 6.0)


def test_a_box_in_two_halves_is_the_whole_box() -> None:
    whole = inertia_of([Solid("box", "box", (0.4, 0.1, 0.2))], 3.0)
    halves = [Solid(side, "box", (0.2, 0.1, 0.2), Pose((x, 0.0, 0.0)))
              for side, x in (("left", -0.1), ("right", 0.1))]
    found = inertia_of(halves, 3.0)
    assert found.tensor == pytest.approx(whole.tensor)
    assert found.centre == pytest.approx(np.zeros(3))


def test_a_turned_box_has_its_moments_along_other_axes() -> None:
    turned = inertia_of([Solid("box", "box", (0.4, 0.1, 0.2),
                               Pose((0.0, 0.0, 0.0), from_yaw(math.pi / 2.0)))], 3.0)
    other = inertia_of([Solid("box", "box", (0.1, 0.4, 0.2))], 3.0)
    assert turned.tensor == pytest.approx(other.tensor, abs=1e-12)


def test_the_heavier_part_draws_the_centre_to_itself() -> None:
    big, small = Solid("big", "box", (0.2, 0.1, 0.1)), Solid("small", "box", (0.1, 0.1, 0.1),
                                                             Pose((0.3, 0.0, 0.0)))
    found = inertia_of([big, small], 3.0)
    assert found.centre == pytest.approx([0.1, 0.0, 0.0])


def test_a_body_without_mass_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0 kg"):
        inertia_of([Solid("cube", "box", (0.3, 0.3, 0.3))], 0.0)
