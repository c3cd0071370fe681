"""What can be set about the embedded base's driving while it runs, under the names that a move_base has."""

from __future__ import annotations

import math
from typing import Dict, List, Mapping

import rospy
from dynamic_reconfigure.msg import Config, DoubleParameter
from dynamic_reconfigure.srv import Reconfigure, ReconfigureRequest, ReconfigureResponse
from hicrisp_core.ports.robot import Manner

from hicrisp_sim.agv.settings import AgvSettings

PLANNER = "PursuitController"
COSTMAPS = ("global_costmap", "local_costmap")
_PADDING = "footprint_padding"
_WIDEST = 0.5
"""The greatest padding that a costmap takes, metres."""


class DriveParameters:
    """Serves ``set_parameters`` of the local planner and of the costmaps under ``/move_base``; what is out of
    range is put to the nearest bound."""

    def __init__(self, settings: AgvSettings) -> None:
        self._margin = settings.margin
        usual = {"max_vel_x": settings.speed, "xy_goal_tolerance": settings.xy_tolerance}
        self._planner = _Served(PLANNER, usual, {"max_vel_x": 0.05, "xy_goal_tolerance": 0.02}, usual)
        self._costmaps = [_Served(name, {_PADDING: settings.margin}, {_PADDING: 0.0}, {_PADDING: _WIDEST})
                          for name in COSTMAPS]

    @property
    def manner(self) -> Manner:
        """Speed and style of the next drive."""
        return Manner(self._planner.now["max_vel_x"], self._planner.now["xy_goal_tolerance"])

    @property
    def clearance(self) -> float:
        """Clearance requested beyond the base's own margin, metres."""
        return max(0.0, *(served.now[_PADDING] - self._margin for served in self._costmaps))


class _Served:
    """The parameters of one part of move_base, each with its least and its greatest value."""

    def __init__(
        self, name: str, usual: Mapping[str, float], least: Mapping[str, float], most: Mapping[str, float]
    ) -> None:
        self.now: Dict[str, float] = dict(usual)
        self._least, self._most = dict(least), dict(most)
        self._service = rospy.Service(f"/move_base/{name}/set_parameters", Reconfigure, self._set)

    def _set(self, request: ReconfigureRequest) -> ReconfigureResponse:
        for entry in request.config.doubles:
            if entry.name in self.now and math.isfinite(entry.value):
                self.now[entry.name] = min(self._most[entry.name], max(self._least[entry.name], entry.value))
        values: List[DoubleParameter] = [DoubleParameter(*item) for item in sorted(self.now.items())]
        return ReconfigureResponse(Config(doubles=values))
