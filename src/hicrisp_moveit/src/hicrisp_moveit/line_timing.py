"""When the arm is where on a straight line: an even speed of the tool between two ramps, within the
joints' limits.
"""

from __future__ import annotations

import math
from typing import Sequence

import numpy as np
from hicrisp_core.ports.robot import Trajectory

from hicrisp_moveit.limits import JointLimits

_RAMP = 0.5
"""Acceleration of the tool along a line, m/s^2."""
_LEAST = 1e-6
_LEAST_TIME = 0.05
"""Seconds of a motion that moves nothing."""


def time_line(
    joints: Sequence[str], rows: Sequence[Sequence[float]], length: float, speed: float,
    limits: Sequence[JointLimits], velocity: float, acceleration: float,
) -> Trajectory:
    """A motion through joint rows (radians) of a line.

    The rows are taken to lie on the line as they do in the joints' space, for their distances there are even enough.

    Args:
        length: of the line, metres; a turn on the spot counts by its joints.
        speed: of the tool, m/s.
        velocity: part of the joints' speed limits that may be used.
        acceleration: part of their acceleration limits.
    """
    path = np.array(rows)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    turned = steps.sum()
    if turned < _LEAST:
        still = (0.0,) * len(joints)
        return Trajectory(tuple(joints), (0.0, _LEAST_TIME), (tuple(rows[0]),) * 2, (still, still))
    length = max(length, _LEAST)
    along = length * np.concatenate([[0.0], np.cumsum(steps)]) / turned
    slopes = (np.abs(np.diff(path, axis=0)) / np.maximum(np.diff(along), _LEAST)[:, None]).max(axis=0)
    pairs = [(limit, slope) for limit, slope in zip(limits, slopes.tolist()) if slope > _LEAST]
    ramp = min(_RAMP, *(acceleration * limit.acceleration / slope for limit, slope in pairs))
    speed = min(speed, math.sqrt(ramp * length), *(velocity * limit.velocity / slope for limit, slope in pairs))
    rise, done = speed / ramp, np.minimum(along, along[-1] - along)  # The two ramps are alike.
    late = np.where(done < 0.5 * speed * rise, np.sqrt(2.0 * done / ramp), 0.5 * rise + done / speed)
    times = np.where(along > length / 2.0, length / speed + rise - late, late)
    before, after = np.maximum(np.arange(len(path)) - 1, 0), np.minimum(np.arange(len(path)) + 1, len(path) - 1)
    # The turn of the joints for each metre at a row, by its neighbours.
    turns = (path[after] - path[before]) / np.maximum(along[after] - along[before], _LEAST)[:, None]
    velocities = turns * np.minimum(np.sqrt(2.0 * ramp * done), speed)[:, None]
    return Trajectory(tuple(joints), tuple(times.tolist()), tuple(map(tuple, rows)),
                      tuple(map(tuple, velocities.tolist())))
