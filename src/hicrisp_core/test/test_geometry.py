"""Quaternion and Euler helpers: each agrees with the others, for turns of every kind."""

from __future__ import annotations

import math
import random

import pytest
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import (
    IDENTITY,
    conjugate,
    from_euler,
    from_yaw,
    multiply,
    rotate,
    to_euler,
    turn_between,
    upright_turn,
)

DICE = random.Random(7)
EULERS = [(DICE.uniform(-3.1, 3.1), DICE.uniform(-1.5, 1.5), DICE.uniform(-3.1, 3.1)) for _ in range(30)]


@pytest.mark.parametrize("angles", EULERS)
def test_euler_angles_come_back_from_their_quaternion(angles) -> None:
    assert to_euler(from_euler(*angles)) == pytest.approx(angles, abs=1e-9)


def test_a_roll_comes_before_a_pitch_and_that_before_a_yaw_about_fixed_axes() -> None:
    turned = rotate(from_euler(math.pi / 2.0, 0.0, math.pi / 2.0), (0.0, 1.0, 0.0))
    assert turned == pytest.approx((0.0, 0.0, 1.0))
    assert from_euler(0.0, 0.0, 0.4) == pytest.approx(from_yaw(0.4))


@pytest.mark.parametrize("angles", EULERS)
def test_a_turn_and_its_inverse_are_no_turn(angles) -> None:
    q = from_euler(*angles)
    assert multiply(q, conjugate(q)) == pytest.approx(IDENTITY, abs=1e-9)
    assert turn_between(q, tuple(-part for part in q)) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("angles", EULERS)
def test_the_way_between_two_poses_turns_evenly_and_the_shorter_way_round(angles) -> None:
    begin, end = Pose((0.0, 0.0, 0.0), from_yaw(0.3)), Pose((1.0, 2.0, 3.0), from_euler(*angles))
    whole, quarter = turn_between(begin.orientation, end.orientation), begin.towards(end, 0.25)
    assert turn_between(begin.orientation, quarter.orientation) == pytest.approx(whole / 4.0, abs=1e-6)
    assert turn_between(quarter.orientation, end.orientation) == pytest.approx(0.75 * whole, abs=1e-6)
    assert quarter.position == pytest.approx((0.25, 0.5, 0.75))


def test_the_way_between_two_equal_orientations_keeps_it() -> None:
    pose = Pose((0.0, 0.0, 0.0), from_yaw(1.0))
    assert pose.towards(Pose((1.0, 0.0, 0.0), pose.orientation),
                        0.5).orientation == pytest.approx(pose.orientation)


@pytest.mark.parametrize("axis", [
    (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.6, -0.8, 0.0), (0.0, 0.6, -0.8)])
def test_an_axis_is_turned_up(axis) -> None:
    assert rotate(upright_turn(axis), axis) == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)
