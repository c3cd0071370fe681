"""What is wider than the hand is taken by what is narrower on it: measured from heights seen from above."""

from __future__ import annotations

from dataclasses import replace
from typing import Tuple

import numpy as np
import pytest
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, rotate
from hicrisp_core.model.keep_out import grip_at
from hicrisp_core.model.shapes import SHAPES, Handling
from hicrisp_core.robot.grasps import grasp_candidates
from hicrisp_core.robot.gripper import hand_clearance
from hicrisp_core.robot.walls import walls_in
from panda_body import HAND

_X, _Y = (np.indices((25, 25)) + 0.5) / 25.0 * 0.12 - 0.06
_AWAY = np.hypot(_X, _Y)
_EXTENTS = (0.12, 0.12)
_MUG = np.where(_AWAY < 0.058, np.where(_AWAY > 0.048, 0.10, 0.01), -1.0)
_POT = np.where(_AWAY < 0.058, np.where(_AWAY < 0.006, 0.15, 0.13), -1.0)
_BLOCK = np.full((25, 25), 0.1)


def thing(heights: np.ndarray, at: Tuple[float, float] = (0.5, 0.0), yaw: float = 0.0) -> WorldObject:
    top = float(heights.max())
    walls = tuple(replace(grip, tool=Pose((0.0, 0.0, -top / 2.0)).compose(grip.tool))
                  for grip in walls_in(heights, _EXTENTS, HAND))
    form = replace(SHAPES["box"], handling=Handling.NONE, walls=walls)
    return WorldObject("mug", "mug", size=(*_EXTENTS, top), pose=Pose((*at, top / 2.0), from_yaw(yaw)), own_form=form)


def test_a_mug_is_taken_by_its_wall_all_around_with_a_finger_on_either_side() -> None:
    found = walls_in(_MUG, _EXTENTS, HAND)
    around = {round(np.arctan2(grip.tool.position[1], grip.tool.position[0]), 0) for grip in found}
    assert len(around) >= 6
    for grip in found:
        x, y, z = grip.tool.position
        assert 0.045 < np.hypot(x, y) < 0.061
        assert 0.005 < grip.width < 0.025
        assert 0.1 - HAND.depth < z < 0.1
        closing = rotate(grip.tool.orientation, (0.0, 1.0, 0.0))
        assert abs(closing[0] * x + closing[1] * y) / np.hypot(x, y) > 0.8


def test_a_pot_with_a_lid_is_taken_by_its_knob_and_no_deeper_than_the_lid() -> None:
    found = walls_in(_POT, _EXTENTS, HAND)
    assert found
    for grip in found:
        assert np.hypot(*grip.tool.position[:2]) < 0.01
        assert grip.tool.position[2] > 0.13 + HAND.tip


def test_a_solid_block_that_is_too_wide_has_nothing_to_take_it_by() -> None:
    assert walls_in(_BLOCK, _EXTENTS, HAND) == ()


def test_a_thin_bar_is_between_the_tips_of_the_fingers_and_a_thick_one_may_be_deeper_in_the_hand() -> None:
    bar = np.where(np.abs(_X) < 0.006, 0.1, -1.0)
    thin, thick = (walls_in(bar, _EXTENTS, HAND, 1, np.full(bar.shape, deep)) for deep in (0.008, 0.05))
    assert thin
    assert min(grip.tool.position[2] for grip in thin) >= 0.1 - 0.008 - HAND.tip
    assert min(grip.tool.position[2] for grip in thick) < 0.1 - 0.008 - HAND.tip


@pytest.mark.parametrize("yaw", [0.0, 1.0])
def test_its_grasps_turn_with_it_and_keep_clear_of_neighbours(yaw: float) -> None:
    mug = thing(_MUG, yaw=yaw)
    beside = WorldObject("beside", "box", size=(0.05, 0.2, 0.2), pose=Pose((0.60, 0.0, 0.1)))
    world = WorldState({each.name: each for each in (mug, beside)})
    best = max(grasp_candidates(mug, world, HAND), key=lambda grasp: grasp.clearance)
    assert best.pose.position[0] < 0.5
    assert hand_clearance(best.pose, best.opening, world, HAND, "mug") > HAND.room
    assert grip_at(mug, mug.pose or Pose((0.0, 0.0, 0.0)), best.pose) == pytest.approx((0.0, best.width), abs=1e-9)


def test_what_has_fallen_over_is_not_taken_as_if_it_stood() -> None:
    mug = thing(_MUG)
    fallen = replace(mug, pose=Pose((0.5, 0.0, 0.06), (0.0, 0.5**0.5, 0.0, 0.5**0.5)))
    assert grasp_candidates(fallen, WorldState({"mug": fallen}), HAND) == []
