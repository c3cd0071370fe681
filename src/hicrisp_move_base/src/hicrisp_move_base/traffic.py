"""What passes on a move_base's topics: its heartbeat, and goals that others send it."""

from __future__ import annotations

import time
from typing import Optional, Tuple

import rospy
from actionlib_msgs.msg import GoalStatusArray
from hicrisp_ros.silence import Silence
from move_base_msgs.msg import MoveBaseActionGoal


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
            rospy.Subscriber(f"{action}/status", GoalStatusArray, self._on_status, queue_size=5),
            rospy.Subscriber(f"{action}/goal", MoveBaseActionGoal, self._on_goal, queue_size=10),
        )

    @property
    def silence(self) -> float:
        """Seconds since the server's last status; infinite before the first."""
        return self._status.seconds

    def taken_over(self, since: float) -> str:
        """Whereto another client sent the base after a moment of the monotonic clock; empty if none did."""
        return self._foreign[1] if self._foreign is not None and self._foreign[0] >= since else ""

    def _on_status(self, _: GoalStatusArray) -> None:
        self._status.heard()

    def _on_goal(self, message: MoveBaseActionGoal) -> None:
        if message.goal_id.id.startswith(self._own) and self._own:
            return
        at = message.goal.target_pose.pose.position
        who = message._connection_header.get("callerid", "another client")
        self._foreign = (time.monotonic(), f"({at.x:.2f}, {at.y:.2f}) by {who}")
