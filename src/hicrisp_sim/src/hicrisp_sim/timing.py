"""When the arm is where: time-optimal along a path (TOPP-RA), at an even speed along a straight line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Vector
from hicrisp_core.ports.robot import Trajectory
from scipy.interpolate import CubicSpline

from hicrisp_sim.settings import ArmModel
from hicrisp_sim.toppra_alone import (
    TOPPRA,
    JointAccelerationConstraint,
    JointVelocityConstraint,
    SplineInterpolator,
)

SAMPLE_PERIOD = 0.01
"""Seconds between the points of a trajectory."""
_SAME = 1e-3
"""Radians between corners that count as one."""
_GRID = 60
_SHORTEST = 0.01
"""The least time of a straight line, seconds."""


@dataclass(frozen=True)
class JointLimits:
    """Speed (rad/s) and acceleration (rad/s^2) of each joint."""

    joints: Tuple[str, ...]
    velocity: Tuple[float, ...]
    acceleration: Tuple[float, ...]

    @staticmethod
    def scaled(arm: ArmModel, speed: float, acceleration: float) -> "JointLimits":
        """Scale the limits of an arm.

        Args:
            arm: names and limits of the joints.
            speed: factor in (0, 1].
            acceleration: factor in (0, 1].

        Returns:
            The limits.

        Raises:
            ValueError: for a factor out of range.
        """
        for name, value in (("speed", speed), ("acceleration", acceleration)):
            if not 0.0 < value <= 1.0:
                raise ValueError(f"the factor of the {name} is above 0 and at most 1, got {value}")
        return JointLimits(arm.joints, tuple(speed * limit for limit in arm.velocity),
                           tuple(acceleration * limit for limit in arm.acceleration))


def smooth_path(path: Sequence[np.ndarray], spacing: float) -> CubicSpline:
    """Return a spline along straight joint segments, parametrized by their length in radians.

    Args:
        path: arrays (joints,), radians.
        spacing: distance between knots, radians; smaller values round corners less.

    Returns:
        The spline.
    """
    knots = [np.asarray(path[0], dtype=float)]
    for end in path[1:]:
        start = knots[-1]
        if np.linalg.norm(end - start) < _SAME:
            continue
        pieces = max(1, int(np.ceil(np.linalg.norm(end - start) / spacing)))
        knots.extend(start + (end - start) * piece / pieces for piece in range(1, pieces + 1))
    points = np.array(knots)
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return CubicSpline(lengths, points, bc_type="natural")


def time_path_of_tool(spline: CubicSpline, limits: JointLimits, tool_position: Callable[[np.ndarray], Vector],
                      speed: float, acceleration: float) -> Trajectory:
    """Compute the fastest motion along a spline within the limits of the joints and of the tool, from rest to rest.

    Args:
        spline: joint positions over path length, radians.
        limits: speed and acceleration of each joint.
        tool_position: returns where the tool is with some joints (rad), metres.
        speed: of the tool along each axis, m/s.
        acceleration: the same, m/s2.

    Returns:
        The trajectory.

    Raises:
        RuntimeError: when the limits leave no solution, which a path without jumps never does.
    """
    joints = spline(spline.x)
    along = np.column_stack([joints, [tool_position(row) for row in joints]])
    both = JointLimits(limits.joints, (*limits.velocity, *[speed] * 3), (*limits.acceleration, *[acceleration] * 3))
    return time_path(CubicSpline(spline.x, along, bc_type="natural"), both)


def time_path(spline: CubicSpline, limits: JointLimits) -> Trajectory:
    """Compute the fastest motion along a spline within the joint limits, from rest to rest.

    Args:
        spline: joint positions over path length, radians, with further columns if these are limited.
        limits: speed and acceleration of each joint.

    Returns:
        The trajectory.

    Raises:
        RuntimeError: when the limits leave no solution, which a path without jumps never does.
    """
    length = float(spline.x[-1])
    path = SplineInterpolator(spline.x, spline(spline.x), bc_type="natural")
    bounds = [np.array([[-limit, limit] for limit in kind])
              for kind in (limits.velocity, limits.acceleration)]
    problem = TOPPRA([JointVelocityConstraint(bounds[0]), JointAccelerationConstraint(bounds[1])], path,
                     gridpoints=np.linspace(0.0, length, max(_GRID, 2 * len(spline.x))),
                     parametrizer="ParametrizeConstAccel")
    timed = problem.compute_trajectory(0.0, 0.0)
    if timed is None:
        raise RuntimeError(f"TOPP-RA found no timing for a path of length {length:.2f}")
    times = _sample_times(float(timed.duration))
    joints = len(limits.joints)  # Others than joints are limited, too.
    return trajectory_of(limits.joints, times, timed(times)[:, :joints], timed(times, 1)[:, :joints])


def time_line(
    path: np.ndarray, distances: np.ndarray, speed: float, limits: JointLimits, acceleration: float
) -> Trajectory:
    """Compute the fastest motion along joint points of a straight line, at no more than a speed of the tool.

    Args:
        path: array (n, joints), radians.
        distances: array (n,), distance of the tool from the start, metres, increasing.
        speed: of the tool, m/s; less only where a joint would be too fast.
        limits: speed and acceleration of each joint.
        acceleration: of the tool, m/s2.

    Returns:
        The trajectory.

    Raises:
        RuntimeError: when the limits leave no solution, which a path without jumps never does.
    """
    length = float(distances[-1])
    # Over the seconds that it takes at least: the solver loses itself in numbers far from one.
    seconds = max(length / speed, _SHORTEST, float((np.ptp(path, axis=0) / limits.velocity).max()))
    along, most = distances / length * seconds, seconds / length
    tool = JointLimits(limits.joints, (*limits.velocity, speed * most),
                       (*limits.acceleration, acceleration * most))
    return time_path(CubicSpline(along, np.column_stack([path, along])), tool)


def trajectory_of(
    joints: Tuple[str, ...], times: np.ndarray, positions: np.ndarray, velocities: np.ndarray
) -> Trajectory:
    """Convert arrays to a trajectory.

    Args:
        joints: names, in the order of the columns.
        times: array (n,), seconds.
        positions: array (n, joints), rad.
        velocities: array (n, joints), rad/s.

    Returns:
        The trajectory.
    """
    return Trajectory(joints, tuple(times.tolist()), tuple(map(tuple, positions.tolist())),
                      tuple(map(tuple, velocities.tolist())))


def _sample_times(duration: float) -> np.ndarray:
    return np.linspace(0.0, duration, max(2, int(np.ceil(duration / SAMPLE_PERIOD)) + 1))
