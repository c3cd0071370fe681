"""Whether messages are of now by their stamps, and what is said of those that are not."""

from __future__ import annotations

from typing import Optional

import rospy
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.time.stamps import lag, lead


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
