"""What can be set about the embedded base's driving while it runs, under the names of move_base's local planners."""

from __future__ import annotations

import math
from typing import Dict

import rospy
from dynamic_reconfigure.msg import Config, DoubleParameter
from dynamic_reconfigure.srv import Reconfigure, ReconfigureRequest, ReconfigureResponse
from hicrisp_core.ports.robot import Manner

from hicrisp_sim.agv.settings import AgvSettings

PLANNER = "PursuitController"


class DriveParameters:
    """Serves ``/move_base/PursuitController/set_parameters``; what is out of range is put to the nearest bound."""

    def __init__(self, settings: AgvSettings) -> None:
        self._most = {"max_vel_x": settings.speed, "xy_goal_tolerance": settings.xy_tolerance}
        self._least = {"max_vel_x": 0.05, "xy_goal_tolerance": 0.02}
        self._now: Dict[str, float] = dict(self._most)
        self._service = rospy.Service(f"/move_base/{PLANNER}/set_parameters", Reconfigure, self._set)

    @property
    def manner(self) -> Manner:
        """How the next drive is to be driven."""
        return Manner(self._now["max_vel_x"], self._now["xy_goal_tolerance"])

    def _set(self, request: ReconfigureRequest) -> ReconfigureResponse:
        for entry in request.config.doubles:
            if entry.name in self._now and math.isfinite(entry.value):
                self._now[entry.name] = min(self._most[entry.name], max(self._least[entry.name], entry.value))
        return ReconfigureResponse(Config(doubles=[DoubleParameter(*item) for item in sorted(self._now.items())]))
