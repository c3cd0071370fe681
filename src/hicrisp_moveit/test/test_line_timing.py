"""A line is as fast as was asked for, and no joint faster than it may."""

from __future__ import annotations

import pytest
from hicrisp_moveit.limits import JointLimits
from hicrisp_moveit.line_timing import time_line

JOINTS = ("a", "b")
ROWS = [(0.02 * step, -0.01 * step) for step in range(11)]
QUICK = (JointLimits(velocity=10.0, acceleration=50.0),) * 2


def test_the_tool_goes_evenly_between_two_ramps() -> None:
    motion = time_line(JOINTS, ROWS, 0.1, 0.05, QUICK, 1.0, 1.0)
    assert motion.times[0] == 0.0
    assert list(motion.times) == sorted(motion.times)
    assert motion.times[-1] == pytest.approx(0.1 / 0.05 + 0.05 / 0.5, rel=1e-6)
    middle = motion.times[6] - motion.times[5]
    assert 0.01 / middle == pytest.approx(0.05, rel=1e-6)
    assert motion.velocities[0] == motion.velocities[-1] == (0.0, 0.0)
    assert motion.velocities[5][0] == pytest.approx(0.1, rel=1e-6)


def test_a_slow_joint_slows_the_line() -> None:
    slow = (JointLimits(velocity=0.05, acceleration=50.0), QUICK[1])
    motion = time_line(JOINTS, ROWS, 0.1, 0.05, slow, 1.0, 1.0)
    assert max(abs(row[0]) for row in motion.velocities) <= 0.05 + 1e-9
    half = time_line(JOINTS, ROWS, 0.1, 0.05, slow, 0.5, 1.0)
    assert max(abs(row[0]) for row in half.velocities) <= 0.025 + 1e-9


def test_a_short_line_only_speeds_up_and_slows_down() -> None:
    motion = time_line(JOINTS, ROWS, 0.001, 0.5, QUICK, 1.0, 1.0)
    assert list(motion.times) == sorted(set(motion.times))


def test_a_line_to_where_the_arm_is_ends_at_once() -> None:
    motion = time_line(JOINTS, [ROWS[0], ROWS[0]], 0.0, 0.1, QUICK, 1.0, 1.0)
    assert motion.times[-1] < 0.1
    assert motion.positions[0] == motion.positions[-1]
