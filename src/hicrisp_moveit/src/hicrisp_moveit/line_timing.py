"""When the arm is where on a straight line: an even speed of the tool between two ramps, within the
joints' limits.
"""

from __future__ import annotations

import math
from typing import List, Sequence, Tuple

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
    steps = [math.sqrt(sum((b - a) ** 2
                           for a, b in zip(first, second))) for first, second in zip(rows, rows[1:])]
    turned = sum(steps)
    still = (0.0,) * len(joints)
    if turned < _LEAST:
        return Trajectory(tuple(joints), (0.0, _LEAST_TIME), (tuple(rows[0]),) * 2, (still, still))
    length = max(length, _LEAST)
    along = [0.0]
    for step in steps:
        along.append(along[-1] + length * step / turned)
    ramp = _RAMP
    for index, limit in enumerate(limits):
        slope = max((abs(b[index] - a[index]) / max(d - c, _LEAST) for a, b, c, d in
                     zip(rows, rows[1:], along, along[1:])), default=0.0)
        if slope > _LEAST:
            speed = min(speed, velocity * limit.velocity / slope)
            ramp = min(ramp, acceleration * limit.acceleration / slope)
    times, paces = _profile(along, speed, ramp)
    velocities = []
    for index, pace in enumerate(paces):  # The turn of the joints for each metre at a row, by its neighbours.
        before, after = max(0, index - 1), min(len(rows) - 1, index + 1)
        way = max(along[after] - along[before], _LEAST)
        velocities.append(tuple(pace * ((b - a) / way) for a, b in zip(rows[before], rows[after])))
    return Trajectory(tuple(joints), tuple(times), tuple(tuple(row) for row in rows), tuple(velocities))


def _profile(along: Sequence[float], speed: float, ramp: float) -> Tuple[List[float], List[float]]:
    """When a point that speeds up, goes evenly and slows down is at distances (metres), and how fast."""
    length = along[-1]
    speed = min(speed, math.sqrt(ramp * length))
    rise = speed / ramp
    whole = length / speed + rise
    times, paces = [], []
    for distance in along:
        first, last = min(distance, length - distance), distance > length / 2.0
        if first < 0.5 * speed * rise:
            late = math.sqrt(max(0.0, 2.0 * first / ramp))
            pace = ramp * late
        else:
            late = rise + (first - 0.5 * speed * rise) / speed
            pace = speed
        times.append(whole - late if last else late)
        paces.append(pace)
    return times, paces
