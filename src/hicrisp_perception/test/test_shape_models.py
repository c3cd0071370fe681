"""Rays meet things where their surfaces are; things lie on their sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn import at, bowl, box, cylinder
from hicrisp_core.model.geometry import from_euler
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_perception.shapes.shape_models import cast, lie_at, lies_of

DOWN = np.array([[0.0], [0.0], [-1.0]], np.float32)


def from_above(thing, x, y):
    lie = lies_of(thing)[0]
    pose = at(0.5, 0.0, lie.height / 2.0, 0.3)
    return float(1.0 - cast(lie, pose, np.array([0.5 + x, y, 1.0]), DOWN)[0])


def test_the_height_of_surfaces_from_above():
    assert from_above(box("box"), 0.01, 0.01) == pytest.approx(0.05, abs=1e-5)
    assert from_above(cylinder("can"), 0.028, 0.0) == pytest.approx(0.09, abs=1e-5)
    assert from_above(cylinder("can"), 0.031, 0.0) == -math.inf
    assert from_above(bowl(), 0.0, 0.0) == pytest.approx(BOWL_WALL, abs=1e-5)
    assert from_above(bowl(), 0.072, 0.0) == pytest.approx(0.055, abs=1e-5)


def test_a_bowl_is_seen_into_over_its_rim_and_not_through_its_wall():
    lie = lies_of(bowl())[0]
    pose = at(0.0, 0.0, 0.0275)
    low = cast(lie, pose, np.array([1.0, 0.0, 0.03]), np.array([[-1.0], [0.0], [0.0]], np.float32))
    over = cast(lie, pose, np.array([1.0, 0.0, 0.2]), np.array([[-1.0], [0.0], [-0.155]], np.float32))
    assert low[0] == pytest.approx(0.925, abs=1e-5)
    assert over[0] > 1.0


def test_things_lie_on_every_side_that_looks_different():
    assert len(lies_of(box("cube"))) == 1
    assert {lie.height for lie in lies_of(box("tea", size=(0.07, 0.05, 0.09)))} == {0.05, 0.07, 0.09}
    upright, lying = lies_of(cylinder("can"))
    assert upright.round
    assert (lying.height, lying.across, lying.period) == (0.06, (0.09, 0.06), math.pi)


def test_a_lie_says_the_pose_it_was_made_of():
    thing = box("tea", size=(0.07, 0.05, 0.09))
    for lie in lies_of(thing):
        again, yaw = lie_at(thing, lie.pose(0.4, 0.1, 0.03, 0.7))
        assert yaw == pytest.approx(lie.pose(0.0, 0.0, 0.0, 0.7).yaw)
        assert again.height == pytest.approx(lie.height)
    leaning = at(0.4, 0.1, 0.05)
    tilted = type(leaning)(leaning.position, from_euler(0.3, 0.0, 0.0))
    assert lie_at(thing, tilted)[0].height > 0.09
