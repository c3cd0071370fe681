"""How the nodes are, onto the board."""

from __future__ import annotations

import time
from typing import Dict

import rospy
from diagnostic_msgs.msg import DiagnosticArray
from hicrisp_ros.diagnostics import TOPIC
from hicrisp_ros.wall_clock import WallTimer

from hicrisp_web.view.board import Board
from hicrisp_web.view.health_view import Heard, health_section

_PERIOD = 1.0


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
