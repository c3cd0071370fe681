"""The local controller: regulated pure pursuit within speed and acceleration limits and clear of what is seen.

After S. Macenski et al., "Regulated pure pursuit for robot path tracking" (Autonomous Robots, 2023): the
speed is lowered in bends, near objects and before the goal; besides, an arc that would come too near is not driven.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, Iterator, Optional, Sequence, Tuple

import numpy as np
from hicrisp_core.model import Pose

from hicrisp_sim.agv.costmap import Costmap
from hicrisp_sim.agv.fleet import Claim
from hicrisp_sim.agv.settings import AgvSettings

_LOOKAHEADS = (0.30, 0.20, 0.12, 0.07)
"""Metres along the path to the point that is steered to; the first whose arc is clear is taken."""
_TURN_FIRST, _TURN_CLOSE = math.radians(50.0), math.radians(8.0)
"""A point further aside is faced before the base drives; the second applies if no wider arc is clear."""
_CREEP = 0.06
"""Distance of the point that is faced if no arc is clear, metres: from there the base follows the path's own bends."""
_HORIZON = 0.8
"""Seconds of an arc that must be clear; the way that is needed to stop must be in any case."""
_CRAWL, _SPARE = 0.10, 0.006
"""Greatest speed where the margin leaves no way (m/s), and what is kept there between the footprint and the
points of the last scan (metres): the costmap's cells are too coarse to tell."""
_AWAY = 1e-3
"""Metres by which an arc must lead away from what is too near."""
_BERTH = 0.02
"""What another base may come nearer by in the period in which both decide, metres."""
_SLOW_NEAR, _LEAST = 0.10, 0.08
"""Metres beyond the margin within which the base goes slower, and the least forward speed, m/s."""


@dataclass(frozen=True)
class Twist:
    """Speeds of a base: forward (m/s) and turning left (rad/s)."""

    forward: float = 0.0
    turn: float = 0.0


class PursuitController:
    """Follows paths; asked at the control rate.

    Args:
        radius: of the footprint, metres; the settings' margin is added if there is room for it.
    """

    def __init__(self, costmap: Costmap, settings: AgvSettings, radius: float) -> None:
        self._costmap = costmap
        self._settings = settings
        self._radius = radius
        self._inscribed = radius + settings.margin
        self._points = np.empty((0, 2))
        self.mates: Sequence[Claim] = ()
        """The other bases, which the costmap does not hold."""
        self._last = Twist()
        self._speed = settings.speed

    def limit(self, speed: float) -> None:
        """Limit the speed.

        Args:
            speed: m/s; above the base's own limit it has no effect.
        """
        self._speed = min(speed, self._settings.speed)

    def see(self, points: np.ndarray) -> None:
        """Set the obstacles of the latest scan.

        Args:
            points: array (n, 2), ends of the rays in the map frame, metres.
        """
        self._points = points

    def reset(self) -> None:
        """Begin from standing."""
        self._last = Twist()

    def follow(self, pose: Pose, path: np.ndarray) -> Optional[Twist]:
        """Compute the speeds for the next control period.

        Args:
            pose: of the base, map frame.
            path: array (n, 2), metres in the map frame.

        Returns:
            The speeds; ``None`` if no arc along the path is clear.
        """
        here = np.array(pose.position[:2])
        nearest = int(np.argmin(((path - here) ** 2).sum(axis=1)))
        ahead = path[nearest:]
        along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(ahead, axis=0).T)))) if len(ahead) > 1 \
            else np.zeros(1)
        left = float(along[-1]) if len(ahead) > 1 else float(np.hypot(*(path[-1] - here)))
        for lookahead in _LOOKAHEADS:
            target = _point_at(ahead, along, lookahead)
            twist = self._towards(pose, target, max(left, float(np.hypot(*(path[-1] - here)))))
            if self._clear(pose, twist, math.dist(target, pose.position[:2])):
                return self._limited(twist)
        bearing = _bearing(pose, _point_at(ahead, along, _CREEP))
        if abs(bearing) > _TURN_CLOSE:
            return self._limited(self.face_bearing(bearing))
        for lookahead in _LOOKAHEADS[2:]:
            target = _point_at(ahead, along, lookahead)
            twist = self._towards(pose, target, left, _CRAWL)
            if self._squeezes(pose, twist, math.dist(target, pose.position[:2])):
                return self._limited(twist)
        return None

    def face(self, pose: Pose, yaw: float) -> Twist:
        """Turn in place to a heading.

        Args:
            pose: of the base, map frame.
            yaw: heading in the map frame, radians.

        Returns:
            The speeds for the next control period.
        """
        off = math.remainder(yaw - pose.yaw, math.tau)
        speed = min(self._settings.turn_speed,
                    math.sqrt(2.0 * 0.6 * self._settings.turn_acceleration * abs(off)))
        return self._limited(Twist(0.0, math.copysign(min(speed, 3.0 * abs(off) + 0.05), off)))

    def spin(self) -> Twist:
        """Turn in place at full speed.

        Returns:
            The speeds for the next control period.
        """
        return self._limited(Twist(0.0, self._settings.turn_speed))

    def _towards(self, pose: Pose, target: np.ndarray, left: float, most: float = math.inf) -> Twist:
        bearing = _bearing(pose, target)
        apart = max(1e-3, math.dist(target, pose.position[:2]))
        if abs(bearing) > _TURN_FIRST:
            return self.face_bearing(bearing)
        curvature = 2.0 * math.sin(bearing) / apart
        speed = min(self._speed, most)
        speed = min(speed, self._settings.turn_speed / max(1e-6, abs(curvature)))
        speed = min(speed, math.sqrt(2.0 * 0.7 * self._settings.acceleration * max(0.0, left)) + 0.02)
        space = self._space(pose.position[:2]) - self._inscribed
        speed *= min(1.0, max(0.3, (space + 0.03) / _SLOW_NEAR))
        speed *= max(0.3, math.cos(bearing)) if abs(bearing) > 0.3 else 1.0
        speed = max(speed, min(_LEAST, left + 0.02))
        return Twist(speed, speed * curvature)

    def face_bearing(self, bearing: float) -> Twist:
        """Turn in place towards a bearing.

        Args:
            bearing: relative to the own heading, radians, left is positive.

        Returns:
            The speeds for the next control period.
        """
        speed = min(self._settings.turn_speed, max(0.3, 2.5 * abs(bearing)))
        return Twist(0.0, math.copysign(speed, bearing))

    def _clear(self, pose: Pose, twist: Twist, apart: float) -> bool:
        """Check whether the arc of the next moments keeps the margin, or at least leads away from what is too near.

        Args:
            apart: metres to the point that is steered to; behind it the path bends, and the arc is not driven on.
        """
        if twist.forward < 1e-6:
            return True  # A round base that turns in place sweeps nothing.
        return _keeps_clear(self._inscribed - 0.6 * self._settings.margin,
                            self._space(pose.position[:2]),
                            map(self._space, self._arc(pose, twist, apart)))

    def _space(self, spot: Tuple[float, float]) -> float:
        """Metres from a spot to what the costmap holds, or to another base less what it may come nearer by."""
        return min([self._costmap.clearance(*spot), *(mate.apart(spot) - _BERTH for mate in self.mates)])

    def _squeezes(self, pose: Pose, twist: Twist, apart: float) -> bool:
        """Check whether the footprint keeps clear of every point of the last scan on the arc of the next moments,
        or at least gets away from the nearest.
        """
        if not len(self._points) and not self.mates:
            return False
        return _keeps_clear(self._radius + _SPARE, self._apart(pose.position[:2]),
                            (self._apart(spot) for spot in self._arc(pose, twist, apart)))

    def _apart(self, spot: Tuple[float, float]) -> float:
        """Metres from a spot to the nearest point of the last scan, or to ground that must be kept out of."""
        seen = float(np.hypot(*(self._points - spot).T).min(initial=math.inf))
        x, y = (np.asarray(value) for value in spot)
        seen = min([seen, *(mate.apart(spot) - _BERTH for mate in self.mates)])
        return min([seen, *(float(shape.distance(x, y)) for shape in self._costmap.keep_outs)])

    def _arc(self, pose: Pose, twist: Twist, apart: float) -> Iterator[Tuple[float, float]]:
        """Spots on the arc of the next moments, at least as far as the base needs to stop.

        The first is that of the next period, in which the base turns as fast as its acceleration allows and
        not yet as the arc bends.
        """
        period, soon = 1.0 / self._settings.control_rate, self._next(twist)
        yaw = pose.yaw + soon.turn * period
        x, y = (at + soon.forward * period * part
                for at, part in zip(pose.position, (math.cos(yaw), math.sin(yaw))))
        yield x, y
        stop = twist.forward ** 2 / (2.0 * self._settings.acceleration)
        reach = max(stop, min(twist.forward * _HORIZON, apart))
        steps = max(2, math.ceil(reach / 0.04))
        step = reach / steps
        for _ in range(steps):
            yaw += twist.turn / max(1e-6, twist.forward) * step
            x, y = x + step * math.cos(yaw), y + step * math.sin(yaw)
            yield x, y

    def _limited(self, twist: Twist) -> Twist:
        """Return the speeds of the next period, which begins now."""
        self._last = self._next(twist)
        return self._last

    def _next(self, twist: Twist) -> Twist:
        """As near to the wanted speeds as the accelerations allow in one period; the bend is kept as far as
        the greatest speed of turning allows, which a base that is still faster than wanted would pass for it.
        """
        period, most = 1.0 / self._settings.control_rate, self._settings.turn_speed
        forward = _step(self._last.forward, twist.forward, self._settings.acceleration * period)
        wanted = twist.turn * (forward / twist.forward) if twist.forward > 1e-6 else twist.turn
        wanted = max(-most, min(most, wanted))
        return Twist(forward, _step(self._last.turn, wanted, self._settings.turn_acceleration * period))


def _point_at(path: np.ndarray, along: np.ndarray, distance: float) -> np.ndarray:
    """Return the point of a path at a distance from its beginning, between its points."""
    if distance >= along[-1]:
        return np.asarray(path[-1])
    after = int(np.searchsorted(along, distance))
    part = (distance - along[after - 1]) / (along[after] - along[after - 1])
    return np.asarray(path[after - 1] + part * (path[after] - path[after - 1]))


def _bearing(pose: Pose, target: np.ndarray) -> float:
    """Direction of a point from the base's own heading, radians."""
    dx, dy = target - np.array(pose.position[:2])
    return math.remainder(math.atan2(dy, dx) - pose.yaw, math.tau)


def _keeps_clear(needed: float, now: float, ahead: Iterable[float]) -> bool:
    """Check whether an arc keeps a distance from what is near; where less of it is left now, whether the arc leads
    away and comes no nearer on its way: millimetres that may be lost in each period add up to a touch.

    Args:
        needed: metres to keep.
        now: metres that there are where the base is.
        ahead: metres that there are at each spot of the arc.
    """
    if now >= needed:
        return all(distance >= needed for distance in ahead)
    distances = list(ahead)
    return min(distances) >= now and distances[-1] >= min(needed, now + _AWAY)


def _step(now: float, wanted: float, most: float) -> float:
    return now + max(-most, min(most, wanted - now))
