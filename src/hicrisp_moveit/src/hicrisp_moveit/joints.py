"""What the joint states show: where the joints are, that they stand, that somebody still tells."""

from __future__ import annotations

import math
import time
from threading import Condition
from typing import Container, Dict, Optional, Sequence, Set, Tuple

import rospy
from hicrisp_core.model import CauseKind, Outcome, Status
from hicrisp_core.time import Deadline, wait_on
from hicrisp_ros.stamps import News, StampCheck
from sensor_msgs.msg import JointState

_FRESH = 0.5
"""Age of a position by which a joint may still be said to stand, seconds."""


class JointWatch:
    """Listens to joint states; ages are in wall time, for the ROS clock may stand still.

    Args:
        topic: with ``sensor_msgs/JointState``; one message need not name all joints.
        joints: those that are looked at, in the order of the answers.
        age: time without a message about one of them after which nothing is known, seconds.
        still: change of a position below which a joint counts as standing, radians or metres.
        still_time: for how long it must, seconds.
        bounded: the joints for which a whole turn more is another place. Drivers report continuous ones
            within -pi..pi, while a motion of theirs may end beyond.
    """

    def __init__(self, topic: str, joints: Sequence[str], age: float, still: float,
                 still_time: float, bounded: Container[str] = ()) -> None:
        self.topic = topic
        self.joints = tuple(joints)
        self._bounded = bounded
        self._age = age
        self._still = still
        self._still_time = still_time
        self._changed = Condition()
        self._positions: Dict[str, float] = {}
        self._seen_at: Dict[str, float] = {}
        self._rest: Dict[str, float] = {}
        self._at_rest: Dict[str, float] = {}
        self._stamp = 0.0
        self._stamps = StampCheck(f"the joint states on {topic} are", topic, age)
        self._news = {joint: News() for joint in self.joints}
        self._unread: Set[str] = set()
        self._subscriber = rospy.Subscriber(topic, JointState, self._on_joints, queue_size=20,
                                            tcp_nodelay=True)

    @property
    def alive(self) -> bool:
        """Whether all joints are told of now."""
        oldest = min((self._seen_at.get(joint, -math.inf) for joint in self.joints), default=-math.inf)
        return time.monotonic() - oldest <= self._age

    @property
    def stamp(self) -> float:
        """When the newest positions were measured, seconds of the ROS clock."""
        return self._stamp

    def positions(self) -> Optional[Tuple[float, ...]]:
        """Where the joints are; ``None`` when that is not known."""
        with self._changed:
            return tuple(self._positions[joint] for joint in self.joints) if self.alive else None

    def farthest(self, goal: Sequence[float]) -> Tuple[float, str]:
        """The joint that is farthest from a goal, and how far; infinite when nothing is known."""
        positions = self.positions()
        if positions is None:
            return math.inf, ""
        return max((abs(self._way(joint, at, wanted)), joint)
                   for at, wanted, joint in zip(positions, goal, self.joints))

    def _way(self, joint: str, start: float, end: float) -> float:
        return end - start if joint in self._bounded else math.remainder(end - start, math.tau)

    def standing(self, since: float = -math.inf) -> bool:
        """Whether all joints stand, and have done so for a while, by messages that are fresh.

        Args:
            since: moment of the monotonic clock at which that while begins at the earliest.
        """
        now = time.monotonic()
        with self._changed:
            return all(joint in self._seen_at and now - self._seen_at[joint] <= _FRESH
                       and self._seen_at[joint] - max(since, self._at_rest[joint]) >= self._still_time
                       for joint in self.joints)

    def wait_until_standing(self, deadline: Deadline, since: float = -math.inf) -> Outcome:
        """SUCCESS once the joints stand; LOST without joint states, EXECUTION while they move on.

        Args:
            since: as for ``standing``.
        """
        if wait_on(self._changed, lambda: self.standing(since), deadline, in_vain=rospy.is_shutdown):
            return Outcome(Status.SUCCESS)
        if not self.alive:
            return self.silent()
        return Outcome.because(CauseKind.STILL_MOVING, Status.EXECUTION,
                               "the joint states show that it still moves", self.topic)

    def silent(self) -> Outcome:
        """LOST: a joint is not told of any more, or never was, or with stamps that are not of now."""
        complaint = self._stamps.complaint(Status.LOST)
        if complaint is not None:
            return complaint
        oldest = min((self._seen_at.get(joint, -math.inf) for joint in self.joints), default=-math.inf)
        said = (f"the joint states on {self.topic} hold no number for {', '.join(sorted(self._unread))}"
                if self._unread else f"there are no joint states on {self.topic}")
        return Outcome.because(CauseKind.STALE_SENSOR, Status.LOST, said, self.topic,
                               seconds=time.monotonic() - oldest if math.isfinite(oldest) else None)

    def wait_until_known(self, deadline: Deadline) -> bool:
        """Wait for the first positions of all joints."""
        return wait_on(self._changed, lambda: self.alive, deadline, in_vain=rospy.is_shutdown)

    def _on_joints(self, message: JointState) -> None:
        now, stamp = time.monotonic(), message.header.stamp.to_sec()
        with self._changed:
            if set(self.joints).isdisjoint(message.name):
                return
            if not self._stamps.sound(stamp):
                return  # Nobody knows when it was, or it was long ago.
            for joint, position in zip(message.name, message.position):
                if joint not in self.joints:
                    continue
                if not math.isfinite(position):
                    self._unread.add(joint)
                    continue
                self._unread.discard(joint)
                if not self._news[joint].new(stamp):
                    continue
                if joint not in self._rest or abs(self._way(joint, self._rest[joint], position)) > self._still:
                    self._rest[joint], self._at_rest[joint] = position, now
                self._positions[joint], self._seen_at[joint] = position, now
                self._stamp = max(self._stamp, stamp)
            self._changed.notify_all()
