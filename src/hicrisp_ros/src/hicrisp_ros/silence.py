"""For how long a topic has said nothing."""

from __future__ import annotations

import math
import time

import rospy

SLOWEST = 5.0
"""A simulation slower than real time by more than this counts as one that stands still."""


class Silence:
    """Counts seconds since something was heard.

    On a real robot they are wall time. In a simulation only what both clocks show counts: by the
    simulation's, since a busy machine slows the robot and its sensors alike; by wall time, since a heartbeat
    of wall time seems to fall silent in a simulation that runs many times faster. Where the simulation hardly
    moves, or was set back, wall time counts by a fifth.
    """

    def __init__(self, heard: bool = True) -> None:
        self._wall = self._ros = -math.inf
        if heard:
            self.heard()

    def heard(self) -> None:
        """Record that a message arrived."""
        self._wall, self._ros = time.monotonic(), rospy.get_time()

    @property
    def seconds(self) -> float:
        """Time since the last message, seconds; infinite before the first."""
        wall = time.monotonic() - self._wall
        if rospy.rostime.is_wallclock() or math.isinf(wall):
            return wall
        return max(min(rospy.get_time() - self._ros, wall), wall / SLOWEST)
