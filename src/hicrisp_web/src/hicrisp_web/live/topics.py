"""The supervisor's topics, and how the nodes are, onto the board."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, List

import rospy
from diagnostic_msgs.msg import DiagnosticArray
from hicrisp_core.trace.task_state import ENDED, State
from hicrisp_ros.diagnostics import TOPIC
from hicrisp_ros.wall_clock import WallTimer

from hicrisp_msgs.msg import EstopState, Event, Plan, TaskStatus
from hicrisp_web.view.board import Board
from hicrisp_web.view.following import Following
from hicrisp_web.view.health_view import Heard, health_section

_STATES = {getattr(TaskStatus, state.name): state.name.lower() for state in State}
_ENDED = frozenset(state.name.lower() for state in ENDED)
_PERIOD = 1.0


class Topics:
    """Listens to what the supervisor tells.

    Args:
        changed: called when a task was taken in, began or ended.
    """

    def __init__(self, board: Board, following: Following, changed: Callable[[], None]) -> None:
        self._board = board
        self._following = following
        self._changed = changed
        self._task = ""
        board.put({"status": None, "gate": None, "review": None})
        self._subscribers: List[Any] = [
            rospy.Subscriber("events", Event, self._event, tcp_nodelay=True),
            rospy.Subscriber("task_status", TaskStatus, self._status, tcp_nodelay=True),
            rospy.Subscriber("estop_state", EstopState, self._gate, tcp_nodelay=True),
            rospy.Subscriber("plan", Plan, self._plan),
        ]

    def _event(self, message: Event) -> None:
        try:
            entry = json.loads(message.json)
        except (ValueError, RecursionError):
            return
        if isinstance(entry, dict):
            self._following.event(message.task_id, entry)

    def _status(self, message: TaskStatus) -> None:
        status = status_section(message)
        if message.state != TaskStatus.QUEUED:
            self._following.status(message.task_id, message.run_folder)
        self._board.put({"status": status})
        self._changed()

    def _gate(self, message: EstopState) -> None:
        self._board.put({"gate": {"stopped": message.active, "paused": message.paused,
                                  "reason": message.reason, "autonomy": message.autonomy}})

    def _plan(self, message: Plan) -> None:
        """The steps of the latest plan, as they would be sent back when the plan is changed, and its goal."""
        steps = [{"text": step.text or step.action, "robot": step.robot} for step in message.steps]
        goal = message.goal.said or ", then ".join(message.goal.stages)
        self._board.put({"review": {"task_id": message.task_id, "steps": steps, "goal": goal}})


def status_section(message: TaskStatus) -> Dict[str, Any]:
    """Convert a task's status.

    Args:
        message: the ROS message.

    Returns:
        JSON values of the section ``status``.
    """
    return {
        "task_id": message.task_id, "text": message.text, "state": _STATES.get(message.state, "unknown"),
        "step_index": message.step_index, "step_count": message.step_count, "message": message.message,
        "choices": list(message.choices), "plan_waits": message.plan_waits,
        "goal": message.goal, "waiting": message.queued}


def under_way(board: Board) -> bool:
    """Check whether a task waits or runs.

    Args:
        board: the page's sections.

    Returns:
        Whether the queue or the status says so.
    """
    status = board.value("status")
    return bool(board.value("queue")) or status is not None and status["state"] not in _ENDED


class HealthWatch:
    """Keeps the section ``health`` up to date, from the reports of the nodes beside this one."""

    def __init__(self, board: Board) -> None:
        self._beside = rospy.get_namespace().strip("/") + "/"
        self._heard: Dict[str, Heard] = {}
        self._subscriber = rospy.Subscriber(TOPIC, DiagnosticArray, self._hear)
        self._timer = WallTimer(_PERIOD, lambda: board.put({
            "health": health_section(list(self._heard.values()), time.monotonic())}), "health")

    def _hear(self, message: DiagnosticArray) -> None:
        for each in message.status:
            if each.name.startswith(self._beside):
                name = each.name[len(self._beside):]
                values = {value.key: value.value for value in each.values}
                self._heard[name] = Heard(name, each.level, each.message, values, time.monotonic())
