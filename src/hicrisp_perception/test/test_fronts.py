"""Upright planes and handles in points as a depth camera measures them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn import box, draw, ground_of
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_perception.shapes.fronts import Case, Front, Handle, handle_in, upright_plane
from hicrisp_perception.tracking.fronts import Fronts

EYE = np.array([0.5, -0.3, 0.6])


def scattered(low: tuple, high: tuple, number: int, seed: int = 0) -> np.ndarray:
    dice = np.random.default_rng(seed)
    return dice.uniform(low, high, (number, 3)) + dice.normal(0.0, 0.0015, (number, 3))


@pytest.mark.parametrize("yaw", [-2.9, -1.0, 0.3, 2.0])
def test_the_plane_with_most_points_is_found_among_others(yaw: float) -> None:
    front = Pose((0.6, 0.1, 0.1), from_yaw(yaw))
    points = np.concatenate([scattered((0.0, -0.2, -0.08), (0.0, 0.2, 0.08), 3000),
                             scattered((-0.2, -0.2, -0.08), (0.0, -0.2, 0.08), 1200),
                             scattered((-0.2, -0.2, 0.0), (0.1, 0.2, 0.0), 800)])
    found = upright_plane(points @ np.array(front.axes) + front.position)
    assert found is not None
    turned, offset = found
    assert abs(math.remainder(turned - yaw, math.pi)) < math.radians(0.5)
    x, y = front.position[:2]
    assert abs(math.cos(turned) * x + math.sin(turned) * y - offset) < 0.001


def test_few_points_are_no_plane() -> None:
    assert upright_plane(np.zeros((10, 3))) is None


def surface(thick: float, low: tuple, high: tuple, axis: int) -> np.ndarray:
    """The half of a round bar along an axis that the eye sees."""
    dice = np.random.default_rng(1)
    along = dice.uniform(low[axis], high[axis], 600)
    middle = (np.array(low) + high) / 2.0
    angles = dice.uniform(0.0, math.tau, 600)
    points = np.tile(middle, (600, 1))
    others = [each for each in range(3) if each != axis]
    points[:, axis] = along
    points[:, others[0]] += thick / 2.0 * np.cos(angles)
    points[:, others[1]] += thick / 2.0 * np.sin(angles)
    out = points - middle
    out[:, axis] = 0.0
    return points[(out @ (EYE - middle)) > 0.0]


@pytest.mark.parametrize(("axis", "half", "level"), [(1, 0.05, True), (2, 0.05, False)], ids=["level", "upright"])
def test_a_bar_is_measured_with_the_way_it_lies(axis: int, half: float, level: bool) -> None:
    low, high = np.array([0.05, 0.02, 0.0]), np.array([0.05, 0.02, 0.0])
    low[axis] -= half
    high[axis] += half
    handle = handle_in(surface(0.012, tuple(low), tuple(high), axis), EYE)
    assert handle.bar == pytest.approx((0.012, 0.1), abs=0.006)
    assert math.dist(handle.pose.position, (0.05, 0.02, 0.0)) < 0.005
    assert abs(handle.pose.axes[2][axis]) > 0.99
    assert level is (handle.pose.axes[1][0] < -0.99)  # Into its front.


def test_what_is_hardly_longer_than_thick_is_a_knob() -> None:
    handle = handle_in(surface(0.026, (0.05, 0.02, -0.014), (0.05, 0.02, 0.014), 2), EYE)
    assert handle.bar == pytest.approx((0.026, 0.028), abs=0.008)


@pytest.mark.parametrize("there", [True, False])
def test_a_case_of_which_no_front_ever_moved_is_none_once_what_is_behind_it_shows(there: bool) -> None:
    size, pose = (0.1, 0.16, 0.12), Pose((0.5, 0.0, 0.06))
    handle = Handle(Pose((0.03, 0.0, 0.0)), (0.01, 0.05))
    front = Front(pose.shifted((0.05, 0.0, 0.0)), (0.016, 0.15, 0.11), handle, 900)
    names = iter(("unknown_1", "unknown_2"))
    fronts = Fronts(lambda: next(names))
    for _ in range(3):
        fronts._welcome(Case(pose, size, (front,)))
    ground = ground_of(draw([(box("crate", "red", size), pose)] if there else []))
    fronts.look(ground, np.zeros(ground.view.shape, bool), {})
    assert [track.name for track in fronts.tracks] == (["unknown_1", "unknown_2"] if there else [])
