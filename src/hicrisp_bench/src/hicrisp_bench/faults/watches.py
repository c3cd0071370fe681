"""What happens in a launch, by its topics: whether robots move, what the detector shows, what is true."""

from __future__ import annotations

import math
import re
import time
from typing import Dict, FrozenSet, List, Set, Tuple

import rospy
from hicrisp_core.time import Deadline, wait_until
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from hicrisp_bench.launched import NAMESPACE
from hicrisp_msgs.msg import ExecuteCommandActionGoal, TaskStatus, WorldState

Point = Tuple[float, float, float]
_GOALS = re.compile(rf"/{NAMESPACE}/robots/[^/]+/execute/goal")
_JOINT = 0.004
"""Radians or metres that a joint goes at least while it moves."""
_SPEED, _TURN = 0.02, 0.05
"""Of a base that stands, at most, m/s and rad/s."""
_STANDS_FOR = 0.4
"""Wall seconds without motion after which a robot counts as standing."""


class MotionWatch:
    """Notes, in wall time, when a robot was seen to move last, by joints and odometry alone: no node's word is
    taken for it.
    """

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
        """Return the seconds from a moment to the last motion after it; infinite where the motion does not end."""
        def stands() -> bool:
            return time.monotonic() - max(self.moved_at, moment) > _STANDS_FOR

        return max(0.0, self.moved_at - moment) if wait_until(stands, Deadline(seconds)) else math.inf

    def _on_joints(self, message: JointState) -> None:
        now, found = time.monotonic(), tuple(message.position)
        self.heard_at = now
        if not self._joints:
            self._joints = found
        elif len(found) != len(self._joints) or any(abs(a - b) > _JOINT for a, b in zip(found, self._joints)):
            self._joints, self.moved_at = found, now

    def _on_odometry(self, message: Odometry) -> None:
        self.heard_at = time.monotonic()
        twist = message.twist.twist
        if math.hypot(twist.linear.x, twist.linear.y) > _SPEED or abs(twist.angular.z) > _TURN:
            self.moved_at = self.heard_at


class WorldWatch:
    """Holds the newest of what the detector shows and of what is true, in seconds of simulated time."""

    def __init__(self) -> None:
        self.places: Dict[str, Point] = {}
        """Where the detector sees objects; those without a pose, and lost ones, are left out."""
        self.stamp = -math.inf
        self.relations: FrozenSet[Tuple[str, str, str]] = frozenset()
        self.true: Dict[str, Point] = {}
        """Where the frames of objects and robots really are."""
        self.true_at = -math.inf
        self.statuses: List[float] = []
        """When the status of a task was published, wall seconds."""
        self._subscribers = (
            rospy.Subscriber(f"/{NAMESPACE}/world_state", WorldState, self._on_world, queue_size=1,
                             tcp_nodelay=True),
            rospy.Subscriber(f"/{NAMESPACE}/task_status", TaskStatus,
                             lambda _: self.statuses.append(time.monotonic())),
            rospy.Subscriber(f"/{NAMESPACE}/ground_truth", TFMessage, self._on_truth, queue_size=1,
                             tcp_nodelay=True))

    def held(self, name: str) -> bool:
        """Check whether the detector shows something in a gripper."""
        return any(fact[1:] == ("holding", name) for fact in self.relations)

    def _on_world(self, message: WorldState) -> None:
        self.places = {item.name: (item.pose.position.x, item.pose.position.y, item.pose.position.z)
                       for item in message.objects if item.has_pose and not item.lost}
        self.relations = frozenset((each.subject, each.predicate, each.object) for each in message.relations)
        self.stamp = message.header.stamp.to_sec()

    def _on_truth(self, message: TFMessage) -> None:
        for each in message.transforms:
            at = each.transform.translation
            self.true[each.child_frame_id] = (at.x, at.y, at.z)
            self.true_at = each.header.stamp.to_sec()


class GoalWatch:
    """Counts the commands that come to the drivers; a line that was cut may bring one over two connections,
    of which a driver takes the first."""

    def __init__(self) -> None:
        self.came: Set[str] = set()
        """Their ids."""
        self._subscribers = [
            rospy.Subscriber(topic, ExecuteCommandActionGoal, lambda goal: self.came.add(goal.goal_id.id))
            for topic, _ in rospy.get_published_topics() if _GOALS.fullmatch(topic)]
