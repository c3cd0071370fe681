"""What the detector shows, and what is true, in seconds of simulated time."""

from __future__ import annotations

import math
import time
from typing import Dict, FrozenSet, List, Tuple

import rospy
from tf2_msgs.msg import TFMessage

from hicrisp_bench.over_ros import NAMESPACE
from hicrisp_msgs.msg import TaskStatus, WorldState

Point = Tuple[float, float, float]


class WorldWatch:
    """Holds the newest of both."""

    def __init__(self) -> None:
        self.places: Dict[str, Point] = {}
        """Where the detector sees things; those without a pose, and lost ones, are left out."""
        self.stamp = -math.inf
        self.relations: FrozenSet[Tuple[str, str, str]] = frozenset()
        self.true: Dict[str, Point] = {}
        """Where the frames of things and robots really are."""
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

    def _on_world(self, message: WorldState) -> None:
        self.places = {thing.name: (thing.pose.position.x, thing.pose.position.y, thing.pose.position.z)
                       for thing in message.objects if thing.has_pose and not thing.lost}
        self.relations = frozenset((each.subject, each.predicate, each.object) for each in message.relations)
        self.stamp = message.header.stamp.to_sec()

    def _on_truth(self, message: TFMessage) -> None:
        for each in message.transforms:
            at = each.transform.translation
            self.true[each.child_frame_id] = (at.x, at.y, at.z)
            self.true_at = each.header.stamp.to_sec()
