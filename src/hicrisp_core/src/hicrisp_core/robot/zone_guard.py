"""Stops a base before any part of it enters a keep-out zone, whichever client drives it."""

from __future__ import annotations

import math
from typing import Dict, Optional, Sequence

from hicrisp_core.model import KeepOut, Pose
from hicrisp_core.model.keep_out import space_to

_STEPS = 4
_SLACK = 0.002
"""Metres by which a base that is over a shape already may seem to come farther over it."""


class ZoneGuard:
    """Looks ahead as far as the base needs to stop. One that stands over a zone already may leave it.

    Args:
        radius: of the base's round footprint, metres.
        deceleration: with which it stops at least, m/s2.
        delay: from the look to the brakes, seconds.
    """

    def __init__(
        self, keep_outs: Sequence[KeepOut], radius: float, deceleration: float = 0.5, delay: float = 0.05
    ) -> None:
        self._keep_outs = tuple(keep_outs)
        self._radius = radius
        self._deceleration = deceleration
        self._delay = delay
        self._allowed: Dict[KeepOut, float] = {}

    def ahead(self, pose: Pose, speed: float, turn: float = 0.0) -> Optional[KeepOut]:
        """Return the zone that the base would enter if it braked now.

        Args:
            pose: of the base, map frame.
            speed: forward, m/s.
            turn: yaw rate, rad/s, left is positive.

        Returns:
            The zone; ``None`` if the stopping path is free.
        """
        x, y, _ = pose.position
        for each in self._keep_outs:
            if each not in self._allowed:
                self._allowed[each] = min(0.0, space_to(each, (x, y), self._radius) - _SLACK)
        reach = speed * self._delay + math.copysign(speed * speed / (2.0 * self._deceleration), speed)
        yaw, bend = pose.yaw, turn / speed if abs(speed) > 1e-3 else 0.0
        for _ in range(_STEPS):
            yaw += bend * reach / _STEPS
            x, y = x + reach / _STEPS * math.cos(yaw), y + reach / _STEPS * math.sin(yaw)
            for each in self._keep_outs:
                if space_to(each, (x, y), self._radius) < self._allowed[each]:
                    return each
        return None
