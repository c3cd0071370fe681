"""Calls an action with three limits in wall time: finding the server, carrying out the goal, ending it early.

actionlib's own client waits on the ROS clock, which may stand still, and for ever when a goal was lost on the
way. Here an unacknowledged goal is sent again under the same id (a server takes an id once), and a goal that
the server no longer knows is LOST.
"""

from __future__ import annotations

import math
import time
import uuid
from dataclasses import dataclass
from enum import Enum
from threading import Event, Lock
from typing import Any, Callable, Dict, FrozenSet, Optional

import rospy
from actionlib_msgs.msg import GoalID, GoalStatus, GoalStatusArray
from hicrisp_core.time import Deadline, wait_until

from hicrisp_ros.publisher import Publisher, hears

SLICE = 0.02
RESEND_AFTER = 0.5
LOST_AFTER = 0.6
RESULT_WITHIN = 10.0
"""Seconds from the status that ends a goal to its result, which comes over a connection of its own."""
EMPTY_RESULT_WITHIN = 1.0
"""The same where the result says nothing, so that the status is enough."""
_UNFINISHED = (GoalStatus.PENDING, GoalStatus.ACTIVE, GoalStatus.PREEMPTING, GoalStatus.RECALLING)


class CallStatus(Enum):
    """How a call of an action ended."""

    SUCCEEDED = "succeeded"
    """The server finished the goal; there is a result."""
    PREEMPTED = "preempted"
    """The goal was ended early on request; there may be a result."""
    ABORTED = "aborted"
    """The server gave up."""
    REJECTED = "rejected"
    """The server did not take the goal."""
    UNREACHABLE = "unreachable"
    """No server was there within the limit; the goal was not sent."""
    LOST = "lost"
    """The server went away, was sent the goal and did not say whether it began, came back without it, or
    finished it and its result did not arrive: its outcome is unknown."""
    TIMEOUT = "timeout"
    """The goal exceeded its limit and ended after the cancellation; there may be a result."""
    STUCK = "stuck"
    """The goal did not end after its cancellation."""


_TERMINAL = {
    GoalStatus.SUCCEEDED: CallStatus.SUCCEEDED,
    GoalStatus.PREEMPTED: CallStatus.PREEMPTED,
    GoalStatus.RECALLED: CallStatus.PREEMPTED,
    GoalStatus.ABORTED: CallStatus.ABORTED,
    GoalStatus.REJECTED: CallStatus.REJECTED,
}


@dataclass(frozen=True)
class Limits:
    """Seconds of wall time for each part of a call."""

    server: float = 5.0
    execution: float = 60.0
    preemption: float = 5.0


@dataclass(frozen=True)
class Reply:
    """What came of a call; ``result`` is the action's result message where the server gave one, and ``stamp``
    when it did, seconds of its ROS clock."""

    status: CallStatus
    result: Optional[Any] = None
    message: str = ""
    stamp: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the goal succeeded."""
        return self.status is CallStatus.SUCCEEDED


class _Track:
    """What the topics said of one goal."""

    def __init__(self, on_feedback: Optional[Callable[[Any], None]]) -> None:
        self.on_feedback = on_feedback
        self.finished = Event()
        self.acknowledged = False
        self.missing_since: Optional[float] = None
        self.over_since: Optional[float] = None
        self.end: Optional[GoalStatus] = None
        self.result: Any = None
        self.stamp = 0.0


class ActionClient:
    """A client of one action server; it may be called from several threads.

    Args:
        name: the action's name, relative to the node's namespace.
        specification: the action's type, for example ``PlanTaskAction``.
        empty_result: whether the result says nothing; a goal whose result is lost then ends as its
            status says.
    """

    def __init__(self, name: str, specification: Any, empty_result: bool = False) -> None:
        parts = specification()
        self.name = name
        self._result_within = EMPTY_RESULT_WITHIN if empty_result else RESULT_WITHIN
        self._empty_result = empty_result
        self._goal_type = type(parts.action_goal)
        self._tracks: Dict[str, _Track] = {}
        self._unfinished: Optional[FrozenSet[str]] = None
        self._statuses = 0
        self._heard = False
        self._lock = Lock()
        self._goal = Publisher(f"{name}/goal", self._goal_type, queue_size=10)
        self._cancel = Publisher(f"{name}/cancel", GoalID, queue_size=10)
        self._result = rospy.Subscriber(f"{name}/result", type(parts.action_result), self._on_result,
                                        tcp_nodelay=True)
        self._feedback = rospy.Subscriber(f"{name}/feedback", type(parts.action_feedback), self._on_feedback)
        self._status = rospy.Subscriber(f"{name}/status", GoalStatusArray)
        self._status.impl.add_callback(self._on_status, None)  # It looks at the others, so they come first.

    @property
    def connected(self) -> bool:
        """Whether every topic of the action is connected to the server."""
        return all(end.get_num_connections() > 0 for end in (self._goal, self._cancel)) \
            and all(hears(end) for end in (self._status, self._result, self._feedback))

    @property
    def known(self) -> bool:
        """Whether the master knows a server, connected or not."""
        return bool(self._status.get_num_connections())

    @property
    def taken(self) -> bool:
        """Whether the server said that it has a goal of this client."""
        with self._lock:
            return any(track.acknowledged for track in self._tracks.values())

    @property
    def _ready(self) -> bool:
        """Whether a status came over the whole connection: rospy's publishers send to a new subscriber a
        moment after they have greeted it, and what they publish in between is lost."""
        if not self.connected:
            self._heard = False
        return self._heard

    def wait_for_server(self, seconds: float) -> bool:
        """Wait for a connection to the action server.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether it is connected.
        """
        return wait_until(lambda: self.connected, Deadline(seconds), in_vain=rospy.is_shutdown)

    def call(
        self,
        goal: Any,
        limits: Limits,
        cancel: Optional[Event] = None,
        on_feedback: Optional[Callable[[Any], None]] = None,
        press: Callable[[], Any] = lambda: None,
    ) -> Reply:
        """Send a goal and wait for its end; never raises, and never waits longer than all limits together.

        Args:
            goal: the goal message.
            limits: time limits for server, execution and preemption, wall seconds.
            cancel: cancels the goal when it is set.
            on_feedback: called with each feedback message.
            press: called each time that the server is told to end the goal once more, because it has not.

        Returns:
            The result with its status.
        """
        request = self._goal_type(goal=goal)
        request.goal_id.id = f"{rospy.get_name()}-{uuid.uuid4().hex}"
        track = _Track(on_feedback)
        with self._lock:
            self._tracks[request.goal_id.id] = track
        try:
            return self._follow(request, track, limits, cancel or Event(), press)
        finally:
            with self._lock:
                del self._tracks[request.goal_id.id]

    def end_others(self, seconds: float, anew: bool = False, whose: str = "", own: bool = False) -> bool:
        """End what other clients left running at the server: each goal by its id, so that no later one ends
        with it.

        Args:
            whose: the name of a node, where only its goals end, of an earlier life too; empty: everybody's.
            anew: whether only what the server says from now on counts, as where a goal may have begun just now.
            own: whether this client's goals end, too.

        Returns:
            Whether the server has none of them any more; ``False`` when it cannot be reached within the wall time.
        """
        deadline, told = Deadline(seconds), -math.inf
        heard = self._statuses if anew else -1
        while not (deadline.passed or rospy.is_shutdown()):
            with self._lock:
                current = self._unfinished is not None and self._statuses != heard
                spared = set() if own else set(self._tracks)
                others = {each for each in (self._unfinished or ()) if each.startswith(whose)} - spared
            if current and not others:
                return True
            if others and self._cancel.get_num_connections() and time.monotonic() - told > RESEND_AFTER:
                told = time.monotonic()
                for goal_id in others:
                    self._cancel.publish(GoalID(id=goal_id))
            time.sleep(SLICE)
        return False

    def _follow(
        self, request: Any, track: _Track, limits: Limits, cancel: Event, press: Callable[[], Any]
    ) -> Reply:
        found, execution = Deadline(limits.server), Deadline(limits.server + limits.execution)
        sent: Optional[float] = None
        told: Optional[float] = None
        ending: Optional[Deadline] = None
        timed_out = False
        while not track.finished.is_set():
            if rospy.is_shutdown():
                self._cancel.publish(GoalID(id=request.goal_id.id))
                return Reply(CallStatus.LOST, None, "this node is shutting down")
            now = time.monotonic()
            if not track.acknowledged:
                if cancel.is_set() and sent is None:
                    return Reply(CallStatus.PREEMPTED, None, "canceled before it was sent")
                if sent is not None and (found.passed or self._lost(track, now)):
                    self._cancel.publish(GoalID(id=request.goal_id.id))
                    return Reply(CallStatus.LOST, None,
                                 f"the server of '{self.name}' got the goal and did not say whether it began")
                if found.passed:
                    return Reply(CallStatus.UNREACHABLE, None,
                                 f"no server of '{self.name}' was there in time")
                if self._ready and (sent is None or now - sent > RESEND_AFTER):
                    if sent is None:
                        execution = Deadline(limits.execution)
                    sent = now
                    self._goal.publish(request)
            elif self._lost(track, now):
                return Reply(CallStatus.LOST, None, f"the server of '{self.name}' went away with the goal")
            elif track.over_since is not None and now - track.over_since > self._result_within:
                if self._empty_result:
                    break
                return Reply(CallStatus.LOST, None,
                             f"'{self.name}' finished the goal, but its result did not arrive")
            if ending is None and sent is not None and (cancel.is_set() or execution.passed):
                timed_out = not cancel.is_set()
                ending = Deadline(limits.preemption)
            if ending is not None:
                if ending.passed:
                    return Reply(CallStatus.STUCK, None,
                                 f"'{self.name}' did not end within {limits.preemption:g} s")
                if told is None or now - told > RESEND_AFTER:
                    if told is not None:
                        press()
                    told = now
                    self._cancel.publish(GoalID(id=request.goal_id.id))
            track.finished.wait(SLICE)
        with self._lock:
            end, result, stamp = track.end or GoalStatus(), track.result, track.stamp
        status = _TERMINAL.get(end.status, CallStatus.LOST)
        if timed_out and status is CallStatus.PREEMPTED:
            status = CallStatus.TIMEOUT
        return Reply(status, result, end.text, stamp)

    def _lost(self, track: _Track, now: float) -> bool:
        if track.missing_since is None and not hears(self._status):
            track.missing_since = now
        return track.missing_since is not None and now - track.missing_since > LOST_AFTER

    def _on_status(self, message: GoalStatusArray) -> None:
        known = {goal.goal_id.id: goal for goal in message.status_list}
        unfinished = frozenset(goal_id for goal_id, goal in known.items() if goal.status in _UNFINISHED)
        now = time.monotonic()
        self._heard = self.connected
        with self._lock:
            self._unfinished = unfinished
            self._statuses += 1
            for goal_id, track in self._tracks.items():
                if goal_id in known:
                    track.acknowledged, track.missing_since = True, None
                    if known[goal_id].status in _TERMINAL and track.over_since is None:
                        track.over_since, track.end = now, known[goal_id]
                elif track.acknowledged and track.missing_since is None:
                    track.missing_since = now

    def _on_result(self, message: Any) -> None:
        with self._lock:
            track = self._tracks.get(message.status.goal_id.id)
            if track is not None:
                track.end, track.result = message.status, message.result
                track.stamp = message.header.stamp.to_sec()
                track.finished.set()

    def _on_feedback(self, message: Any) -> None:
        with self._lock:
            track = self._tracks.get(message.status.goal_id.id)
        if track is not None and track.on_feedback is not None:
            track.on_feedback(message.feedback)
