"""The benchmark's own actions: a stand-in for its controller moves by them as it would without friction."""

from __future__ import annotations

import numpy as np
import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import load_scene
from hicrisp_libero.osc import PERIOD, DeltaPose, limit_of
from hicrisp_sim.arm_model import ArmDescription
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.robot_files import descriptions_of

_STEP, _STIFFNESS = 0.002, 150.0
_AWAY = np.array([0.5, 0.2, 0.0, 0.2, 0.0, 0.0, 0.4])
"""The end of a motion from the posture of rest, rad."""


@pytest.fixture(scope="module")
def arm() -> ArmDescription:
    return descriptions_of(load_scene("tabletop"))[0]


def _follow(arm: ArmDescription, seconds: float) -> "tuple[float, float]":
    """Follow a smooth motion with critically damped joints; the worst and the last error of the tool, metres."""
    control, kinematics = DeltaPose(arm), Kinematics(arm)
    rest = np.array(arm.settings.rest)
    joints, speeds, at, off = rest.copy(), np.zeros(7), 0.0, [0.0]
    while at < seconds + 1.0:
        part = min(1.0, at / seconds)
        wanted = rest + _AWAY * (10 * part**3 - 15 * part**4 + 6 * part**5)
        wanted_speeds = _AWAY * 30.0 * (part**2 - 2 * part**3 + part**4) / seconds
        tool = kinematics.tool_position(joints)
        off.append(float(np.linalg.norm(np.subtract(kinematics.tool_position(wanted), tool))))
        action = control.action(np.concatenate([wanted, wanted_speeds]), 0.04, joints)
        assert np.abs(action).max() <= 1.0
        goal = joints + np.linalg.pinv(kinematics.jacobian(joints)) @ (action[:6] * ([0.05] * 3 + [0.5] * 3))
        for _ in range(round(PERIOD / _STEP)):
            speeds += _STEP * (_STIFFNESS * (goal - joints) - 2.0 * _STIFFNESS**0.5 * speeds)
            joints = joints + _STEP * speeds
        at += PERIOD * control.pace
    return max(off), off[-1]


@pytest.mark.parametrize(("seconds", "most"), [(4.0, 0.0003), (1.2, 0.0032)])
def test_a_motion_within_the_limits_of_actions_is_followed_within_millimetres(
    arm: ArmDescription, seconds: float, most: float
) -> None:
    worst, last = _follow(arm, seconds)
    assert worst < most
    assert last < 0.001


def test_a_motion_that_is_too_fast_is_slowed_down_and_not_left(arm: ArmDescription) -> None:
    worst, last = _follow(arm, 0.8)
    assert worst < 0.05
    assert last < 0.001


def test_fingers_open_close_and_stop_in_between(arm: ArmDescription) -> None:
    control, rest = DeltaPose(arm), np.array(arm.settings.rest)
    still = np.concatenate([rest, np.zeros(7)])
    told = [[control.action(still, finger, rest)[6] for _ in range(9)] for finger in (0.04, 0.02, 0.0)]
    assert told[0] == [-1.0] * 9
    assert told[1] == [1.0] * 4 + [0.0] * 5
    assert told[2] == [1.0] * 9


def test_an_episode_has_as_many_actions_as_are_published_for_its_suite() -> None:
    assert [limit_of(name) for name in ("libero_spatial", "libero_10", "libero_object_swap")] == [220, 520, 280]
    with pytest.raises(ConfigError, match="for 'libero_100'; it is for: libero_spatial"):
        limit_of("libero_100")


def test_the_elbow_may_move_where_the_tool_stands(arm: ArmDescription) -> None:
    control, kinematics = DeltaPose(arm), Kinematics(arm)
    bent = np.array(arm.settings.rest) + [0.2, 0.1, 0.3, 0.2, 0.1, 0.0, 0.1]
    still = np.linalg.svd(np.array(kinematics.jacobian(bent)))[2][-1]
    assert np.abs(control.speeds(bent, still)).max() < 1e-6
    ahead = np.linalg.pinv(np.array(kinematics.jacobian(bent))) @ (0.03, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert control.speeds(bent, ahead)[0] == pytest.approx(0.06)


def test_a_tool_near_its_goal_is_near_it_also_where_the_arm_is_stretched(arm: ArmDescription) -> None:
    control = DeltaPose(arm)
    stretched = np.array([0.0, 0.9, 0.0, -0.3, 0.0, 1.2, 0.8])
    assert np.abs(control.lag(stretched + 0.02, stretched)).max() < 0.1
    assert np.abs(control.lag(stretched + [0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0], stretched)).max() > 0.15


def test_a_hand_that_turns_fast_may_trail_further_behind_than_one_that_moves(arm: ArmDescription) -> None:
    control, rest = DeltaPose(arm), np.array(arm.settings.rest)
    turned = [float(np.abs(control.lag(rest + np.eye(7)[6] * by, rest)).max()) for by in (0.25, 0.4)]
    assert turned[0] < 0.15 < turned[1]
