"""Whether the robots stand: seen from their poses, whatever their drivers say."""

from __future__ import annotations

from collections import deque
from typing import Deque, Dict, Mapping, Optional, Tuple

from hicrisp_core.model import RobotState
from hicrisp_core.model.geometry import Vector, distance

_STILL = 0.004
"""Metres within which a robot that stands is seen; above the noise of its pose."""
_WINDOW = 0.5
"""Wall seconds over which it must be."""


class Standing:
    """Remembers where the robots were seen during the last moments."""

    def __init__(self) -> None:
        self._seen: Dict[str, Deque[Tuple[float, Vector]]] = {}

    def see(self, now: float, robots: Mapping[str, RobotState]) -> Dict[str, Optional[bool]]:
        """Judge whether each robot stands still.

        Args:
            now: wall seconds.
            robots: pose and stamp of the robots' frames, world frame.

        Returns:
            By the robot's name; ``None`` while it is unknown.
        """
        return {name: self._look(now, name, robot) for name, robot in robots.items()}

    def _look(self, now: float, name: str, robot: RobotState) -> Optional[bool]:
        if robot.pose is None:
            self._seen.pop(name, None)
            return None
        seen = self._seen.setdefault(name, deque())
        seen.append((now, robot.pose.position))
        while len(seen) > 1 and now - seen[1][0] >= _WINDOW:
            seen.popleft()
        if max(distance(position, robot.pose.position) for _, position in seen) > _STILL:
            return False
        return True if now - seen[0][0] >= _WINDOW else None
