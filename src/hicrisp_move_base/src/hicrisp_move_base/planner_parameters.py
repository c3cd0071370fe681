"""How the local planner drives: its greatest speed and its tolerance, set for one drive by
dynamic_reconfigure.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import Dict, Iterator, Optional

import rospy
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.ports.robot import USUAL, Manner

from hicrisp_move_base.dynamic_parameters import SAME, DynamicParameters
from hicrisp_move_base.settings import MoveBaseSettings


class PlannerParameters:
    """The parameters of one local planner; what a drive changed is put back after it."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._settings = settings
        self._parameters = DynamicParameters(f"{settings.action}/{settings.planner}", settings.service_wait) \
            if settings.planner else None

    @contextmanager
    def driving(self, manner: Manner) -> Iterator[Optional[Outcome]]:
        """Drive in a manner inside the block; yields why that cannot be, ``None`` where it can.

        A planner that nobody named in the settings drives as it always does, and the log says so.
        """
        parameters = self._parameters
        if parameters is not None:
            parameters.restore()
        if manner == USUAL:
            yield None
        elif parameters is None:
            rospy.logwarn("%s drives as always: 'move_base.planner' does not name a planner that could be "
                          "told to drive at most at %.2f m/s and to end within %.2f m", self._settings.action,
                          manner.speed,
                          manner.tolerance)
            yield None
        else:
            refusal = self._tell(parameters, manner)
            try:
                yield refusal
            finally:
                parameters.restore()

    def _tell(self, parameters: DynamicParameters, manner: Manner) -> Optional[Outcome]:
        now = parameters.read()
        if now is None:
            return self._refusal("it does not answer")
        wanted: Dict[str, float] = {}
        for names, value in ((self._settings.speed_parameters.split(), manner.speed),
                             (self._settings.tolerance_parameters.split(), manner.tolerance)):
            found = [name for name in names if name in now]
            if not found and value < math.inf:
                return self._refusal("it has none of the parameters "
                                     f"{', '.join(names) or '(none is configured)'}; it has: "
                                     f"{', '.join(sorted(now)) or 'none'}")
            wanted.update({name: value for name in found if value < now[name]})
        if not wanted:
            return None
        after = parameters.change(wanted, now)
        kept = [name for name, value in sorted(wanted.items()) if after.get(name, math.inf) > value + SAME]
        return self._refusal(f"it keeps its {', '.join(kept)}") if kept else None

    def _refusal(self, why: str) -> Outcome:
        return Outcome(Status.PRECONDITION,
                       f"the local planner '{self._settings.planner}' cannot be told how to "
                                            f"drive: {why}", cause=Cause(CauseKind.UNSUPPORTED, ("manner",)))
