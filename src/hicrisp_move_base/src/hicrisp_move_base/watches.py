"""What the topics of a base show: odometry, scans, the commands that it gets, and move_base's own messages."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Condition, Lock
from typing import Callable, Optional, Tuple

import rospy
from actionlib_msgs.msg import GoalStatusArray
from geometry_msgs.msg import Twist
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.time import Deadline, wait_on
from hicrisp_ros.stamps import News, Silence, StampCheck
from hicrisp_ros.tf_world import TfWorld
from move_base_msgs.msg import MoveBaseActionGoal
from nav_msgs.msg import Odometry
from sensor_msgs.msg import LaserScan

from hicrisp_move_base.settings import MoveBaseSettings

_LONGEST_GAP = 1.0
"""Seconds between two messages for which the speeds explain a way at most."""
_FRESH = 0.5
"""Seconds for which the latest message tells of now."""
_BLIND = "the base does not drive blind and stands still"
_STIRRED, _TURNED = 0.05, 0.1
"""Metres and radians by which a base must be seen to move before the counting begins again."""
_TOLD, _TOLD_TO_TURN = 1.0, 3.0
"""Metres and radians that it was told to go meanwhile, from which on it does not follow."""
_LONGEST = 0.5
"""Seconds for which one command counts at most: a base stops when it hears no more."""


class OdometryWatch:
    """Listens to the odometry: that the base stands, that it lives, that it cannot be where it says."""

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
        self.jump = 0.0
        """The largest way between two messages that the speeds do not explain, since the last ``forgive``; metres."""
        self.speeds = (0.0, 0.0)
        """The latest forward speed (m/s) and speed of turning left (rad/s)."""
        self.stamp = -math.inf
        """Of the newest message, seconds of the ROS clock."""
        self._subscriber = rospy.Subscriber(settings.odometry, Odometry, self._on_odometry, queue_size=20,
                                            tcp_nodelay=True)

    @property
    def alive(self) -> bool:
        """Whether there is odometry now."""
        return self._silence.seconds <= self._settings.odometry_age

    def lost(self) -> Outcome:
        """Return LOST, with topic and age: there is no odometry, or none that can be used."""
        topic, age = self._settings.odometry, self._silence.seconds
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
        """Forget the jumps so far."""
        self.jump = 0.0

    def standing(self) -> bool:
        """Check whether the base has been standing for a while, by messages that are fresh."""
        now = time.monotonic()
        return self._silence.seconds <= _FRESH and now - self._still_since >= self._settings.still_time

    def wait_until_standing(self, deadline: Deadline) -> Outcome:
        """Wait until the base stands.

        Args:
            deadline: wall-clock limit of the wait.

        Returns:
            SUCCESS once it stands; LOST without odometry, EXECUTION while it moves on.
        """
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
                self.jump = max(self.jump, unexplained)
            self._last = (at.x, at.y, stamp, speed)
            self._silence.heard()
            self.speeds, self.stamp = (linear.x, turn), stamp
            if speed > self._settings.still_speed or abs(turn) > self._settings.still_turn:
                self._still_since = math.inf
            elif self._still_since == math.inf:
                self._still_since = now
            self._changed.notify_all()


class ScanWatch:
    """Listens to the scans where the settings name their topic.

    A scan is current when it arrives with a stamp that is at most ``scan_lag`` behind the odometry's: an
    older one says nothing of now, and a move_base does not move by it. Nor does one that is stamped ahead of
    the clock, whose frame TF does not know, or that holds no number: a lidar that sees far and free says
    infinity (REP 117).
    """

    def __init__(self, settings: MoveBaseSettings, newest: Callable[[], float], tf: TfWorld) -> None:
        self._settings = settings
        self._newest = newest
        self._tf = tf
        self._fault = ""
        self._current = Silence(heard=False)
        self._stamps = StampCheck(f"the scans on {settings.scan} are", settings.scan, math.inf)
        self._lag = 0.0
        self._subscriber = rospy.Subscriber(settings.scan, LaserScan, self._on_scan, queue_size=1) \
            if settings.scan else None

    def alarm(self) -> Optional[Outcome]:
        """Return why the base must not drive; ``None`` while scans arrive, or if no topic is configured."""
        silence = self._current.seconds
        if self._subscriber is None or silence <= self._settings.scan_age:
            return None
        topic, complaint = self._settings.scan, self._stamps.complaint(Status.SAFETY)
        if complaint is not None:
            return replace(complaint, message=f"{complaint.message}; {_BLIND}")
        if self._fault:
            said, age = f"the scans on {topic} cannot be used, for {self._fault}", silence
        elif self._lag > self._settings.scan_lag:
            said, age = f"the scans on {topic} are {self._lag:.1f} s old when they arrive", self._lag
        else:
            since = f"for {silence:.1f} s" if math.isfinite(silence) else "yet"
            said, age = f"no scan has arrived on {topic} {since}", silence
        cause = Cause(CauseKind.STALE_SENSOR, (topic,), age if math.isfinite(age) else None, said)
        return Outcome(Status.SAFETY, f"{said}; {_BLIND}", cause=cause)

    def _on_scan(self, scan: LaserScan) -> None:
        self._lag = self._newest() - scan.header.stamp.to_sec()
        frame = scan.header.frame_id.lstrip("/")
        if all(map(math.isnan, scan.ranges)):
            self._fault = "none of their ranges is a number"
        else:
            self._fault = "" if self._tf.frames([frame]) else f"TF does not know their frame '{frame}'"
        sound = self._stamps.sound(scan.header.stamp.to_sec())
        if sound and self._lag <= self._settings.scan_lag and not self._fault:
            self._current.heard()


class Obedience:
    """Listens to the commands of one base, whoever sends them.

    Args:
        cmd_vel: their topic; without one every base obeys.
    """

    def __init__(self, cmd_vel: str) -> None:
        self._topic = cmd_vel
        self._lock = Lock()
        self._twist, self._heard = (0.0, 0.0), 0.0
        self._since: Optional[Pose] = None
        self._way = self._turn = 0.0
        self._subscriber = rospy.Subscriber(cmd_vel, Twist, self._on_twist, queue_size=20, tcp_nodelay=True) \
            if cmd_vel else None

    def begin(self) -> None:
        """Forget what was commanded so far."""
        with self._lock:
            self._since, self._way, self._turn = None, 0.0, 0.0

    def refusal(self, seen: Optional[Pose]) -> Optional[Outcome]:
        """Return why the base counts as disobedient.

        Args:
            seen: its pose now, map frame; ``None`` if it is unknown.

        Returns:
            The outcome that ends its drive; ``None`` while it follows its commands.
        """
        with self._lock:
            if seen is None:
                return None
            since = self._since or seen
            moved = planar_distance(since.position, seen.position)
            turned = abs(math.remainder(seen.yaw - since.yaw, math.tau))
            if self._since is None or moved > _STIRRED or turned > _TURNED:
                self._since, self._way, self._turn = seen, 0.0, 0.0
            if self._way < _TOLD and self._turn < _TOLD_TO_TURN:
                return None
            said = f"the base does not follow its commands on {self._topic}: it was told to go {self._way:.1f} m and " \
                   f"to turn by {math.degrees(self._turn):.0f} degrees, and was seen to move {moved:.2f} m"
        return Outcome(Status.EXECUTION, said, cause=Cause(CauseKind.HARDWARE, (self._topic,), said=said))

    def _on_twist(self, message: Twist) -> None:
        now = rospy.get_time()
        with self._lock:
            lasted = min(_LONGEST, max(0.0, now - self._heard))
            self._way += abs(self._twist[0]) * lasted
            self._turn += abs(self._twist[1]) * lasted
            self._twist, self._heard = (math.hypot(message.linear.x, message.linear.y), message.angular.z), now


class Traffic:
    """Listens to one action. A goal of another client takes the base away from ours, and must be told.

    Args:
        own: how the ids of our own goals begin.
    """

    def __init__(self, action: str, own: str) -> None:
        self._own = own
        self._status = Silence(heard=False)
        self._foreign: Optional[Tuple[float, str]] = None
        self._subscribers = (
            rospy.Subscriber(f"{action}/status", GoalStatusArray, lambda _: self._status.heard(), queue_size=5),
            rospy.Subscriber(f"{action}/goal", MoveBaseActionGoal, self._on_goal, queue_size=10),
        )

    @property
    def silence(self) -> float:
        """Seconds since the server's last status; infinite before the first."""
        return self._status.seconds

    def taken_over(self, since: float) -> str:
        """Return the goal that another client set after a moment.

        Args:
            since: seconds of the monotonic clock.

        Returns:
            Where and by whom, as words; empty if none did.
        """
        return self._foreign[1] if self._foreign is not None and self._foreign[0] >= since else ""

    def _on_goal(self, message: MoveBaseActionGoal) -> None:
        if message.goal_id.id.startswith(self._own) and self._own:
            return
        at = message.goal.target_pose.pose.position
        who = message._connection_header.get("callerid", "another client")
        self._foreign = (time.monotonic(), f"({at.x:.2f}, {at.y:.2f}) by {who}")
