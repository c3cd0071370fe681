"""How the local planner drives: its greatest speed and its tolerance, set for one drive by dynamic_reconfigure."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import Dict, Iterator, Mapping, Optional

import rospy
from dynamic_reconfigure.msg import Config, DoubleParameter
from dynamic_reconfigure.srv import Reconfigure, ReconfigureRequest
from hicrisp_core.model import Outcome, Status
from hicrisp_core.ports.robot import USUAL, Manner
from hicrisp_ros.service_client import ServiceClient

from hicrisp_move_base.settings import MoveBaseSettings

_SAME = 1e-6


class PlannerParameters:
    """The parameters of one local planner; what a drive changed is put back after it."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._settings = settings
        name = f"{settings.action}/{settings.planner}/set_parameters"
        self._client = ServiceClient(name, Reconfigure) if settings.planner else None
        self._usual: Dict[str, float] = {}
        """What still has to be put back, by parameter."""

    @contextmanager
    def driving(self, manner: Manner) -> Iterator[Optional[Outcome]]:
        """Drive in a manner inside the block; yields why that cannot be, ``None`` where it can.

        A planner that nobody named in the settings drives as it always does, and the log says so.
        """
        if self._usual:
            self._set(dict(self._usual))
        if manner == USUAL:
            yield None
        elif self._client is None:
            rospy.logwarn("%s drives as always: 'move_base.planner' does not name a planner that could be told to "
                          "drive at most at %.2f m/s and to end within %.2f m", self._settings.action, manner.speed,
                          manner.tolerance)
            yield None
        else:
            refusal = self._tell(manner)
            try:
                yield refusal
            finally:
                if self._usual:
                    self._set(dict(self._usual))

    def _tell(self, manner: Manner) -> Optional[Outcome]:
        now = self._set({})
        if now is None:
            return self._refusal("it does not answer")
        wanted: Dict[str, float] = {}
        for names, value in ((self._settings.speed_parameters.split(), manner.speed),
                             (self._settings.tolerance_parameters.split(), manner.tolerance)):
            found = [name for name in names if name in now]
            if not found and value < math.inf:
                return self._refusal(f"it has none of the parameters {', '.join(names) or '(none is configured)'}; "
                                     f"it has: {', '.join(sorted(now)) or 'none'}")
            wanted.update({name: value for name in found if value < now[name]})
        if not wanted:
            return None
        self._usual = {name: now[name] for name in wanted}
        after = self._set(wanted) or {}
        kept = [name for name, value in sorted(wanted.items()) if after.get(name, math.inf) > value + _SAME]
        return self._refusal(f"it keeps its {', '.join(kept)}") if kept else None

    def _set(self, values: Mapping[str, float]) -> Optional[Dict[str, float]]:
        """Set some parameters; all of them as they are then, ``None`` without an answer."""
        if self._client is None:
            return None
        request = ReconfigureRequest(Config(doubles=[DoubleParameter(*item) for item in sorted(values.items())]))
        reply = self._client.call(request, self._settings.service_wait)
        if reply.response is None:
            return None
        now = {str(entry.name): float(entry.value) for entry in reply.response.config.doubles}
        if self._usual and all(abs(now.get(name, value) - value) < _SAME for name, value in self._usual.items()):
            self._usual = {}
        return now

    def _refusal(self, why: str) -> Outcome:
        return Outcome(Status.PRECONDITION, f"the local planner '{self._settings.planner}' cannot be told how to "
                                            f"drive: {why}")
