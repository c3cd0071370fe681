"""Whether the robots move, by joints and odometry alone: no node's word is taken for it."""

from __future__ import annotations

import math
import time
from typing import Sequence, Tuple

import rospy
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from hicrisp_bench.over_ros import NAMESPACE

_JOINT = 0.004
"""Radians or metres that a joint goes at least while it moves."""
_SPEED, _TURN = 0.02, 0.05
"""Of a base that stands, at most, m/s and rad/s."""
_STANDS_FOR = 0.4
"""Wall seconds without motion after which a robot counts as standing."""


class MotionWatch:
    """Notes, in wall time, when a robot was seen to move last."""

    def __init__(self) -> None:
        self.moved_at = self.heard_at = -math.inf
        self._joints: Tuple[float, ...] = ()
        self._subscribers = (
            rospy.Subscriber(f"/{NAMESPACE}/joint_states", JointState, self._on_joints, queue_size=1,
                             tcp_nodelay=True),
            rospy.Subscriber("/odom", Odometry, self._on_odometry, queue_size=1, tcp_nodelay=True))

    def until_moving(self, seconds: float) -> bool:
        """Wait until something moves."""
        asked = time.monotonic()
        return wait_until(lambda: self.moved_at > asked, Deadline(seconds))

    def standstill_after(self, moment: float, seconds: float) -> float:
        """Seconds from a moment to the last motion after it; infinite where the motion does not end."""
        def stands() -> bool:
            return time.monotonic() - max(self.moved_at, moment) > _STANDS_FOR

        return max(0.0, self.moved_at - moment) if wait_until(stands, Deadline(seconds)) else math.inf

    def _on_joints(self, message: JointState) -> None:
        now, found = time.monotonic(), tuple(message.position)
        self.heard_at = now
        if not self._joints:
            self._joints = found
        elif _apart(found, self._joints) > _JOINT:
            self._joints, self.moved_at = found, now

    def _on_odometry(self, message: Odometry) -> None:
        self.heard_at = time.monotonic()
        twist = message.twist.twist
        if math.hypot(twist.linear.x, twist.linear.y) > _SPEED or abs(twist.angular.z) > _TURN:
            self.moved_at = self.heard_at


def _apart(one: Sequence[float], other: Sequence[float]) -> float:
    if len(one) != len(other):
        return math.inf
    return max((abs(a - b) for a, b in zip(one, other)), default=0.0)
