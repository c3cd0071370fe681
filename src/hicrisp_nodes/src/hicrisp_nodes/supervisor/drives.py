"""The ways of the bases during a task, as they are seen: one event for each command that a base was given."""

from __future__ import annotations

from threading import Lock
from typing import Dict, Iterable, Optional, Sequence, Tuple

import rospy
from hicrisp_core.model.geometry import Planar, Pose
from hicrisp_core.model.way import WayLog
from hicrisp_core.trace.events import BaseDrove, CommandTried, Event, VerdictGiven
from hicrisp_core.trace.records import MarkRecord, Numbers
from hicrisp_ros.conversions import pose_from_msg
from hicrisp_ros.conversions.world import way_from_msg
from hicrisp_ros.ports.observer import TopicObserver
from nav_msgs.msg import Path

from hicrisp_msgs.msg import WorldState

_MOST_PLANNED = 120
"""Points of a planned path that are written."""


class Drives:
    """Listens from the beginning of its block to the end.

    Args:
        bases: the names of the robots that drive.
        route: topic of the path that the planner has found; empty where none tells. It is of the first base.
    """

    def __init__(self, observer: TopicObserver, bases: Iterable[str], route: str) -> None:
        self._observer = observer
        self._bases = tuple(bases)
        self._logs: Dict[str, WayLog] = {name: WayLog() for name in self._bases}
        self._poses: Dict[str, Pose] = {}
        self._planned: Tuple[Planar, ...] = ()
        self._lock = Lock()
        self._topic = route if self._bases else ""
        self._subscriber: Optional[rospy.Subscriber] = None

    def __enter__(self) -> "Drives":
        if self._bases:
            self._observer.listeners.append(self._see)
        if self._topic:
            self._subscriber = rospy.Subscriber(self._topic, Path, self._plan, queue_size=5)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bases:
            self._observer.listeners.remove(self._see)
        if self._subscriber is not None:
            self._subscriber.unregister()

    def after(self, event: Optional[Event]) -> Optional[BaseDrove]:
        """Return the driven path that an event ends.

        Args:
            event: an event of the task, or ``None``.

        Returns:
            The path of a base that moved, after the verdict on its command; else ``None``.
        """
        if event is None or event.robot not in self._bases:
            return None
        with self._lock:
            if isinstance(event, CommandTried):
                self._logs[event.robot].take()
                self._planned = ()
                return None
            if not isinstance(event, VerdictGiven):
                return None
            spots, marks = self._logs[event.robot].take()
            planned = self._planned if event.robot == self._bases[0] else ()
            self._planned = ()
            pose = self._poses.get(event.robot)
        if len(spots) < 2 and not marks:
            return None
        x, y = pose.position[:2] if pose is not None else spots[-1]
        stop = _rounded((x, y, pose.yaw)) if pose is not None else ()
        return BaseDrove(
            event.t, event.sim_t, event.index, event.robot, tuple(map(_rounded, [*spots, (x, y)])),
            tuple(map(_rounded, planned)), stop, tuple(MarkRecord(mark.what, *_rounded(mark.spot)) for mark in marks))

    def _see(self, message: WorldState) -> None:
        for robot in message.robots:
            if robot.name not in self._logs:
                continue
            with self._lock:
                if robot.has_motion:
                    self._logs[robot.name].see(way_from_msg(robot.motion))
                pose = pose_from_msg(robot.pose, robot.has_pose)
                if pose is not None:
                    self._poses[robot.name] = pose

    def _plan(self, message: Path) -> None:
        """The first path of a command is the one that it set out on."""
        points = [(each.pose.position.x, each.pose.position.y) for each in message.poses]
        every = -(-len(points) // _MOST_PLANNED) or 1
        with self._lock:
            if not self._planned and len(points) > 1:
                self._planned = (*points[:-1:every], points[-1])


def _rounded(values: Sequence[float]) -> Numbers:
    """To a millimetre."""
    return tuple(round(value, 3) for value in values)
