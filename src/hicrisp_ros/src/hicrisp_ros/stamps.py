"""Whether messages are of now: by their stamps, by what they repeat, and by how long none has come."""

from __future__ import annotations

import math
import time
from typing import Optional

import rospy
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.time.stamps import lag, lead

SLOWEST = 5.0
"""A simulation slower than real time by more than this counts as one that stands still."""


class StampCheck:
    """Judges the stamps of a topic's messages.

    Args:
        subject: what the messages are, with their verb: ``the odometry on /odom is``.
        topic: the name for the cause.
        limit: age above which a message is outdated, seconds of ROS time; infinite if another node
            else judges that.
    """

    def __init__(self, subject: str, topic: str, limit: float) -> None:
        self._subject = subject
        self._topic = topic
        self._limit = limit
        self._ahead = self._behind = 0.0

    def sound(self, stamp: float) -> bool:
        """Record the stamp of the newest message.

        Args:
            stamp: seconds.

        Returns:
            Whether the message is neither too old nor from the future.
        """
        now = rospy.get_time()
        self._ahead, self._behind = lead(stamp, now), lag(stamp, now, self._limit)
        return self._ahead == self._behind == 0.0

    def complaint(self, status: Status) -> Optional[Outcome]:
        """Describe what is wrong with the newest message's stamp.

        Args:
            status: status of the outcome.

        Returns:
            The outcome; ``None`` if the stamp is valid.
        """
        by = self._ahead or self._behind
        if by == 0.0:
            return None
        kind, where = (CauseKind.AHEAD, "ahead of") if self._ahead else (CauseKind.STALE_SENSOR, "behind")
        said = f"{self._subject} stamped {by:.1f} s {where} the clock"
        return Outcome(status, said, cause=Cause(kind, (self._topic,), by, said))


class News:
    """Tells messages that hold something new from those that repeat what was said, stamp and all."""

    def __init__(self) -> None:
        self._stamp = self._at = 0.0

    def new(self, stamp: float) -> bool:
        """Record the stamp of a message.

        Args:
            stamp: seconds; 0 if the message has none.

        Returns:
            Whether the message is new: its stamp changed, it has none, or the clock stands still.
        """
        now = rospy.get_time()
        if stamp > 0.0 and stamp == self._stamp and now != self._at:
            return False
        self._stamp, self._at = stamp, now
        return True


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
