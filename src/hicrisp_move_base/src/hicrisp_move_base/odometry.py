"""What the odometry shows: that the base stands, that it lives, that it cannot be where it says."""

from __future__ import annotations

import math
import time
from threading import Condition
from typing import Optional, Tuple

import rospy
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_on
from hicrisp_ros.silence import Silence
from hicrisp_ros.stamps import News, StampCheck
from nav_msgs.msg import Odometry

from hicrisp_move_base.settings import MoveBaseSettings

_LONGEST_GAP = 1.0
"""Seconds between two messages for which the speeds explain a way at most."""
_FRESH = 0.5
"""Seconds for which the latest message tells of now."""


class OdometryWatch:
    """Listens to the odometry."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._settings = settings
        self._changed = Condition()
        self._silence = Silence(heard=False)
        self._still_since = math.inf
        self._fault = ""
        self._stamps = StampCheck(f"the odometry on {settings.odometry} is", settings.odometry,
                                  settings.odometry_age)
        self._news = News()
        self._last: Optional[Tuple[float, float, float, float]] = None
        self._jump = 0.0
        self._speeds = (0.0, 0.0)
        self.stamp = -math.inf
        """Of the newest message, seconds of the ROS clock."""
        self._subscriber = rospy.Subscriber(settings.odometry, Odometry, self._on_odometry, queue_size=20,
                                            tcp_nodelay=True)

    @property
    def alive(self) -> bool:
        """Whether there is odometry now."""
        return self.silence <= self._settings.odometry_age

    @property
    def jump(self) -> float:
        """The largest way between two messages that the speeds do not explain, since the last ``forgive``;
        metres.
        """
        return self._jump

    @property
    def silence(self) -> float:
        """Seconds since the latest message that counts; infinite before the first."""
        return self._silence.seconds

    @property
    def speeds(self) -> Tuple[float, float]:
        """The latest forward speed (m/s) and speed of turning left (rad/s)."""
        return self._speeds

    def lost(self) -> Outcome:
        """LOST: there is no odometry, or none that can be used; with its topic and age."""
        topic, age = self._settings.odometry, self.silence
        known = math.isfinite(age)
        complaint = self._stamps.complaint(Status.LOST)
        if complaint is not None:
            return complaint
        if self._fault:
            said = f"the odometry on {topic} {self._fault}"
        else:
            said = f"the odometry on {topic} fell silent {age:.1f} s ago" if known else \
                f"there is no odometry on {topic}"
        return Outcome(Status.LOST, said,
                       cause=Cause(CauseKind.STALE_SENSOR, (topic,), age if known else None))

    def forgive(self) -> None:
        """Begin anew with looking for jumps."""
        self._jump = 0.0

    def standing(self) -> bool:
        """Whether the base stands, and has done so for a while, by messages that are fresh."""
        now = time.monotonic()
        return self.silence <= _FRESH and now - self._still_since >= self._settings.still_time

    def wait_until_standing(self, deadline: Deadline) -> Outcome:
        """SUCCESS once the base stands; LOST without odometry, EXECUTION while it moves on."""
        if wait_on(self._changed, self.standing, deadline, in_vain=rospy.is_shutdown):
            return Outcome(Status.SUCCESS)
        if not self.alive:
            return self.lost()
        return Outcome.because(CauseKind.STILL_MOVING, Status.EXECUTION,
                               "The odometry shows that the base still moves.", self._settings.odometry)

    def _on_odometry(self, message: Odometry) -> None:
        linear, turn = message.twist.twist.linear, message.twist.twist.angular.z
        speed = math.hypot(linear.x, linear.y)
        at = message.pose.pose.position
        now, stamp = time.monotonic(), message.header.stamp.to_sec()
        finite = all(map(math.isfinite, (linear.x, linear.y, turn, at.x, at.y)))
        self._fault = "" if finite else "holds numbers that are not finite"
        sound = self._stamps.sound(stamp)
        if self._fault or not sound or not self._news.new(stamp):
            return  # It shows neither where the base is now nor that it stands.
        with self._changed:
            if self._last is not None:
                x, y, before, fastest = self._last
                gap = min(_LONGEST_GAP, max(0.0, stamp - before))
                unexplained = math.hypot(at.x - x, at.y - y) - 2.0 * max(speed, fastest) * gap
                self._jump = max(self._jump, unexplained)
            self._last = (at.x, at.y, stamp, speed)
            self._silence.heard()
            self._speeds, self.stamp = (linear.x, turn), stamp
            if speed > self._settings.still_speed or abs(turn) > self._settings.still_turn:
                self._still_since = math.inf
            elif self._still_since == math.inf:
                self._still_since = now
            self._changed.notify_all()
