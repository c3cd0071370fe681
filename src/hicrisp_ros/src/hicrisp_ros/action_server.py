"""The one action server of the workspace: one goal at a time, no lost wake-ups, no dependence on the ROS clock.

actionlib's SimpleActionServer looks for a new goal without its lock and then sleeps 0.1 s, refuses goals
whose stamps go back (a simulation that was reset), and publishes its status on the ROS clock, which may stand still.
"""

from __future__ import annotations

import traceback
from threading import Condition, Event
from typing import Any, Callable, Dict, Optional

import actionlib
import rospy
from actionlib_msgs.msg import GoalID, GoalStatusArray

from hicrisp_ros.node_threads import NodeThread
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.wall_clock import WallTimer

STATUS_PERIOD = 0.2
QUEUE_SIZE = 50
ENDED_ARE_LISTED = 5.0
"""Seconds of the ROS clock for which the status still lists a goal that has ended."""
MOST_TAKEN = 1000
"""Goals by whose ids a server knows a copy."""
REPLACED = "another goal took its place"


class Aborted(Exception):
    """Raised while a goal is carried out: it ends as aborted, and the client reads the text as it is.

    Args:
        result: the result message that goes with it; ``None`` for an empty one.
    """

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(text)
        self.result = result


class Goal:
    """A running goal: its message, whether it is to be canceled, and a way to report progress."""

    def __init__(self, handle: Any) -> None:
        self.message = handle.get_goal()
        self.id: str = handle.get_goal_id().id
        self.cancel = Event()
        self.handle = handle
        self.text = ""
        """Goes with the goal's last status when it succeeds or is canceled."""

    def feedback(self, message: Any) -> None:
        """Publish a feedback message for this goal.

        Args:
            message: the ROS message.
        """
        self.handle.publish_feedback(message)


Execute = Callable[[Goal], Any]
"""Carries out a goal and returns the result message; it looks at ``goal.cancel`` and returns soon once
that is set.
"""


class _WallServer(actionlib.ActionServer):
    """actionlib's server with its status published at a period of wall time; silent once it was stopped.

    Its own ``initialize`` starts a timer of the ROS clock, which ends with an exception when a simulation is
    reset. The last feedback and result are latched: a client takes itself for connected a moment before it
    hears, and would miss the end of a goal that is refused at once.
    """

    def initialize(self) -> None:
        self._taken: Dict[str, None] = {}
        name = rospy.remap_name(self.ns)
        self.status_pub = Publisher(f"{name}/status", GoalStatusArray, latch=True, queue_size=QUEUE_SIZE)
        self.result_pub = Publisher(f"{name}/result", self.ActionResult, latch=True, queue_size=QUEUE_SIZE)
        self.feedback_pub = Publisher(f"{name}/feedback", self.ActionFeedback, latch=True,
                                      queue_size=QUEUE_SIZE)
        self.goal_sub = rospy.Subscriber(f"{name}/goal", self.ActionGoal, self.internal_goal_callback)
        self.cancel_sub = rospy.Subscriber(f"{name}/cancel", GoalID, self.internal_cancel_callback)
        self.status_list_timeout = rospy.Duration.from_sec(ENDED_ARE_LISTED)
        self.status_timer = WallTimer(STATUS_PERIOD, lambda: self.publish_status_async(None),
                                      f"{self.ns} status")

    def internal_goal_callback(self, goal: Any) -> None:
        """Take a goal, once: over a bad line a copy may come long after actionlib has forgotten its end."""
        with self.lock:
            if goal.goal_id.id in self._taken:
                return
            if goal.goal_id.id and self.started:
                self._taken[goal.goal_id.id] = None
            if len(self._taken) > MOST_TAKEN:
                del self._taken[next(iter(self._taken))]
        super().internal_goal_callback(goal)

    def internal_cancel_callback(self, goal_id: GoalID) -> None:
        """Take a cancellation; one for a goal that never came is kept once, and not called an error after."""
        with self.lock:
            kept = any(tracker.goal is None and tracker.status.goal_id.id == goal_id.id
                       for tracker in self.status_list)
            if not kept:
                super().internal_cancel_callback(goal_id)

    def publish_result(self, status: Any, result: Any) -> None:
        if self.started:
            super().publish_result(status, result)

    def publish_feedback(self, status: Any, feedback: Any) -> None:
        if self.started:
            super().publish_feedback(status, feedback)


class ActionServer:
    """Serves an action: a new goal asks the running one to end, and starts when it has.

    A goal that waits is replaced by a newer one. With ``concurrent`` every goal runs at once, in a thread of
    its own. The goal succeeds when ``execute`` returns, is preempted when it returns after ``goal.cancel``
    was set, and is aborted with the message when it raises.
    """

    def __init__(self, name: str, specification: Any, execute: Execute, concurrent: bool = False) -> None:
        self._name = name
        self._execute = execute
        self._concurrent = concurrent
        self._changed = Condition()
        self._running: Optional[Goal] = None
        self._next: Optional[Goal] = None
        self._all: "dict[str, Goal]" = {}
        self._server = _WallServer(name, specification, self._arrived, self._canceled, auto_start=False)

    def start(self) -> "ActionServer":
        """Accept goals; call it once everything that ``execute`` needs exists.

        Returns:
            This server.
        """
        if not self._concurrent:
            NodeThread(f"{self._name} execute", self._loop, self._end).start()
        self._server.start()
        return self

    def stop(self) -> None:
        """Close the door and ask every goal to end."""
        self.cancel_all()
        self._server.stop()

    def cancel_all(self) -> None:
        """Ask every goal to end."""
        with self._changed:
            for goal in self._all.values():
                goal.cancel.set()

    def _arrived(self, handle: Any) -> None:
        goal = Goal(handle)
        replaced: Optional[Goal] = None
        with self._changed:
            self._all[goal.id] = goal
            if not self._concurrent:
                replaced, self._next = self._next, goal
                if self._running is not None:
                    self._running.cancel.set()
                self._changed.notify()
        if replaced is not None:
            self._all.pop(replaced.id, None)
            replaced.handle.set_canceled(None, REPLACED)
        if self._concurrent:
            NodeThread(f"{self._name} {goal.id}", lambda _: self._run(goal), goal.cancel.set).start()

    def _canceled(self, handle: Any) -> None:
        waiting: Optional[Goal] = None
        with self._changed:
            goal = self._all.get(handle.get_goal_id().id)
            if goal is not None:
                goal.cancel.set()
                if goal is self._next:
                    waiting, self._next = goal, None
                    del self._all[goal.id]
        if waiting is not None:
            waiting.handle.set_canceled(None, "canceled before it began")

    def _end(self) -> None:
        self.cancel_all()
        with self._changed:
            self._changed.notify_all()

    def _loop(self, ended: Event) -> None:
        while not ended.is_set():
            with self._changed:
                while self._next is None:
                    if ended.is_set() or rospy.is_shutdown():
                        return
                    self._changed.wait(0.5)
                goal, self._next = self._next, None
                self._running = goal
            self._run(goal)
            with self._changed:
                self._running = None

    def _run(self, goal: Goal) -> None:
        goal.handle.set_accepted("")
        try:
            result = self._execute(goal)
        except Aborted as error:
            goal.handle.set_aborted(error.result, str(error))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong inside, the client gets an answer
            rospy.logerr("%s: %s\n%s", self._name, error, traceback.format_exc())
            goal.handle.set_aborted(None, f"{type(error).__name__}: {error}")
        else:
            if goal.cancel.is_set():
                goal.handle.set_canceled(result, goal.text)
            else:
                goal.handle.set_succeeded(result, goal.text)
        with self._changed:
            self._all.pop(goal.id, None)
