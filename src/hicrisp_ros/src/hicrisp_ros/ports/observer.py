"""The supervisor's observer: the detector's world states, waited for until they are new and objects have settled."""

from __future__ import annotations

import math
from collections import deque
from contextlib import contextmanager
from threading import Condition, Event
from typing import Callable, Deque, Dict, FrozenSet, Iterator, List, Mapping, Optional, Tuple, Union

import rospy
from hicrisp_core.model import RobotState, Visibility, WorldObject, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.time.deadline import Deadline

from hicrisp_msgs.msg import WorldState as WorldStateMsg
from hicrisp_ros.conversions import WORLD

Moving = Callable[[], FrozenSet[str]]
"""Names the robots and objects that move on purpose at this moment."""
_Placed = Union[WorldObject, RobotState]
CLOCK_JUMP = 1.0
"""Seconds by which the clock, and the newest state against it, must go back before it was set back."""
_LAG = 60.0
"""Seconds by which the word of a driver may be ahead of a simulation's clock, which comes on another topic; a
simulation that runs fifty times as fast as real time gets there in one."""
LAST_LOOK = 1.0
_SAME_MOMENT = 1e-6
"""Seconds by which two stamps of one moment differ once they were rounded."""
_SILENT = "no state of the world has come on the topic world_state; see whether the detector runs"
_SURE = 3.0
"""Standard deviations by which two poses of an object that stands still may differ."""


class TopicObserver:
    """Observes through the topic ``world_state``.

    Args:
        still: metres that an object may be seen to move while it counts as settled; above the noise of the poses.
        window: seconds of the ROS clock over which it must be still.
        patience: seconds of wall time after which what moves is taken as it is.
        recent: seconds of the ROS clock; what was seen so shortly before the call, but after the last command
            had ended, counts as new.
        blind: seconds of wall time after which it is taken that nothing new will be seen; longer than the
            detector needs to be started again.
    """

    def __init__(
        self, still: float = 0.002, window: float = 0.1, patience: float = 3.0, recent: float = 0.1,
        blind: float = 10.0,
    ) -> None:
        self._still = still
        self._window = window
        self._patience = patience
        self._recent = recent
        self._blind = blind
        self._changed_at = self._noted_at = -math.inf
        self._states: Deque[WorldStateMsg] = deque(maxlen=100)
        self._news = Condition()
        self._count = 0
        self.listeners: List[Callable[[WorldStateMsg], None]] = []
        """Called with each state that arrives, from the thread that takes it."""
        self._reset_listeners: List[Callable[[float], None]] = []
        self._subscriber = rospy.Subscriber(
            "world_state", WorldStateMsg, self._on_world, queue_size=1, tcp_nodelay=True)

    @property
    def count(self) -> int:
        """Number of world states received so far."""
        return self._count

    def next(self, seen: int, seconds: float) -> Tuple[int, Optional[WorldState]]:
        """Wait for another state of the world.

        Args:
            seen: number of states that the caller knows.
            seconds: limit in wall time, seconds.

        Returns:
            The number of states received so far, and the newest; ``None`` before the first.
        """
        limit = Deadline(seconds)
        with self._news:
            while self._count <= seen and not limit.passed and not rospy.is_shutdown():
                self._news.wait(min(0.1, limit.remaining))
            newest = self._states[-1] if self._states else None
            return self._count, None if newest is None else WORLD.from_msg(newest)

    def world_changed(self, at: Optional[float] = None) -> None:
        """A command or a motion has ended: what was seen before is out of date.

        Args:
            at: when it ended, seconds of the ROS clock; just now by default.
        """
        self._noted_at = rospy.get_time()
        self._changed_at = self._noted_at if at is None else at

    def command_ended(self, stamp: float) -> None:
        """The same of a command, when its driver says so: its word may come before the clock's.

        Args:
            stamp: when the driver said so, seconds of its ROS clock.
        """
        now = rospy.get_time()
        most = CLOCK_JUMP if rospy.rostime.is_wallclock() else _LAG
        self.world_changed(stamp if now < stamp <= now + most else now)

    def observe(self, deadline: Deadline) -> WorldState:
        """Return the world once nothing moves; at the deadline the last one observed.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            The world.
        """
        return self.observe_beside(frozenset, deadline)

    def observe_beside(self, moving: Moving, deadline: Deadline) -> WorldState:
        """Return the world once nothing else moves; at the deadline the last one observed.

        Args:
            moving: returns the names of objects and robots that may move.
            deadline: wall-clock limit of the call.

        Returns:
            The world.
        """
        asked = rospy.get_time()
        patience = Deadline(min(self._patience, deadline.remaining))
        blind = Deadline(min(self._blind, deadline.remaining))
        count = -1
        while True:
            now = rospy.get_time()
            if now < asked - CLOCK_JUMP:
                asked = now
            if now < self._noted_at - CLOCK_JUMP:
                self._changed_at = self._noted_at = -math.inf
            since = max(self._changed_at, asked - self._recent)
            with self._news:
                while self._count == count and not blind.passed and not rospy.is_shutdown():
                    self._news.wait(min(0.1, blind.remaining))
                count = self._count
                messages = list(self._states)
            latest = WORLD.from_msg(messages[-1]) if messages else WorldState(stamp=asked, trouble=_SILENT)
            # What was seen in the very moment in which a motion ended shows its end.
            fresh = (bool(messages) and _seen_at(latest) >= since - _SAME_MOMENT
                     and not _from_the_future(latest))
            # A clock that stands still shows nothing newer.
            stalled = patience.passed and rospy.get_time() == asked
            if fresh and (patience.passed or self._settled(latest, messages, moving())):
                return latest
            if stalled or (blind.passed and not fresh) or deadline.passed or rospy.is_shutdown():
                return latest

    def _settled(self, latest: WorldState, messages: List[WorldStateMsg], besides: FrozenSet[str]) -> bool:
        """Check whether everything else is where it was at the start of the window: the robots by the states, the
        objects by the pictures, of which there are fewer.
        """
        by_state = self._earlier(messages, latest.stamp, lambda each: each.header.stamp)
        by_picture = self._earlier(messages, _shown_at(latest),
                                   lambda each: each.viewed if each.has_view else each.header.stamp)
        if by_state is None or by_picture is None:
            return False
        way = max(_moved(by_state.robots, latest.robots, besides),
                  _moved(_loose(by_picture, latest), _loose(latest, by_picture), besides))
        return way <= self._still

    def _earlier(self, messages: List[WorldStateMsg], moment: float,
                 at: Callable[[WorldStateMsg], rospy.Time]) -> Optional[WorldState]:
        """Return the newest state before the window."""
        before = next((each for each in reversed(messages[:-1]) if moment - at(each).to_sec() >= self._window), None)
        return None if before is None else WORLD.from_msg(before)

    def _on_world(self, message: WorldStateMsg) -> None:
        with self._news:
            back = (self._states[-1].header.stamp - message.header.stamp).to_sec() if self._states else 0.0
            if 0.0 < back <= CLOCK_JUMP:
                return  # It was overtaken, as over a connection that a busy machine made twice.
            if back > 0.0:
                self._states.clear()
            self._states.append(message)
            self._count += 1
            self._news.notify_all()
        for listener in tuple(self.listeners):
            listener(message)
        if back > CLOCK_JUMP:
            for listener in tuple(self._reset_listeners):
                listener(back)

    @contextmanager
    def hearing_resets(self, listener: Callable[[float], None]) -> Iterator[None]:
        """Provide a context in which resets of the simulation clock are reported.

        Args:
            listener: called with the seconds by which the clock was set back, in the subscriber's thread.
        """
        self._reset_listeners.append(listener)
        try:
            yield
        finally:
            self._reset_listeners.remove(listener)


class TaskObserver:
    """The observer of one task: after a cancellation a short wait is enough."""

    def __init__(self, eyes: TopicObserver, cancel: Event) -> None:
        self._eyes = eyes
        self._cancel = cancel

    def observe(self, deadline: Deadline) -> WorldState:
        """Return the world once nothing moves; after a cancellation only a short time is spent.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            The world.
        """
        return self.observe_beside(frozenset, deadline)

    def observe_beside(self, moving: Moving, deadline: Deadline) -> WorldState:
        """Return the world once nothing else moves; after a cancellation only a short time is spent.

        Args:
            moving: returns the names of objects and robots that may move.
            deadline: wall-clock limit of the call.

        Returns:
            The world.
        """
        hasty = self._cancel.is_set()
        limit = Deadline(min(LAST_LOOK, deadline.remaining)) if hasty else deadline
        return self._eyes.observe_beside(moving, limit)


def _from_the_future(world: WorldState) -> bool:
    """Check whether a state or its picture is ahead of the clock: it was under way while the clock was set back,
    and shows what was before, or the camera's clock is another. A clock that reads 0 has not begun.
    """
    now = rospy.get_time()
    return 0.0 < now < max(world.stamp, _shown_at(world)) - CLOCK_JUMP


def _shown_at(world: WorldState) -> float:
    """Return the moment that a world shows: that of its picture, where it is seen by a camera."""
    return world.stamp if world.viewed is None else world.viewed


def _seen_at(world: WorldState) -> float:
    """When the newest pose of a movable object was seen, or facts without poses were, seconds of the ROS clock."""
    if world.viewed is not None:
        return world.viewed
    ages = [item.pose_age for item in world.objects.values() if item.pose is not None and item.movable]
    if not ages and any(robot.kind == "base" and robot.pose is not None for robot in world.robots.values()):
        return world.stamp  # The detector shows a robot's pose only while it is fresh.
    if not ages:
        return world.stamp if world.relations or not world.objects else -math.inf
    return world.stamp - min(ages)


def _loose(world: WorldState, other: WorldState) -> Dict[str, WorldObject]:
    """Return the movable objects of a world but for those that a hand holds in both: they ride on a robot, and
    stand when it stands.

    Immovable objects do not count: a lidar outlines an obstacle a little differently with every scan.
    """
    held = {name for name, item in world.objects.items() if item.visibility is Visibility.HELD
            and name in other.objects and other.objects[name].visibility is Visibility.HELD}
    return {name: item for name, item in world.objects.items() if item.movable and name not in held}


def _moved(was: Mapping[str, _Placed], is_: Mapping[str, _Placed], besides: FrozenSet[str]) -> float:
    """Return the longest way that any other object or tool went, metres; infinite when one appeared or vanished.

    An object goes as far as its poses are apart beyond their uncertainty.
    """
    farthest = 0.0
    for name in (set(was) | set(is_)) - besides:
        a, b = (None if each is None else each.pose for each in (was.get(name), is_.get(name)))
        if (a is None) != (b is None):
            return math.inf
        if a is not None and b is not None:
            apart = distance(a.position, b.position)
            farthest = max(farthest, apart - _SURE * math.hypot(_vague(was[name]), _vague(is_[name])))
    return farthest


def _vague(item: _Placed) -> float:
    """Return how far the pose of an object may be off, metres; nothing for a robot."""
    return item.uncertainty.position if isinstance(item, WorldObject) else 0.0
