"""Parameters of a move_base that a drive changes by dynamic_reconfigure and puts back: speed, tolerance, padding."""

from __future__ import annotations

import math
from contextlib import ExitStack, contextmanager
from typing import Dict, Iterator, Mapping, Optional

import rospy
from dynamic_reconfigure.msg import Config, DoubleParameter
from dynamic_reconfigure.srv import Reconfigure, ReconfigureRequest
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.ports.robot import USUAL, Manner
from hicrisp_ros.service_client import ServiceClient

from hicrisp_move_base.settings import MoveBaseSettings

SAME = 1e-6
_COSTMAPS = ("global_costmap", "local_costmap")
_PADDING = "footprint_padding"


class DynamicParameters:
    """The numbers of one server of dynamic_reconfigure, changed for a drive and put back after it.

    Args:
        name: of the server, under which it has ``set_parameters``.
        wait: longest wait for an answer, seconds.
    """

    def __init__(self, name: str, wait: float) -> None:
        self._client = ServiceClient(f"{name}/set_parameters", Reconfigure)
        self._wait = wait
        self._usual: Dict[str, float] = {}
        """What still has to be put back, by parameter."""

    def read(self) -> Optional[Dict[str, float]]:
        """Return all numbers as they are; ``None`` without an answer."""
        return self._set({})

    def change(self, values: Mapping[str, float], now: Mapping[str, float]) -> Dict[str, float]:
        """Set some numbers until ``restore``.

        Args:
            values: the numbers to set, by parameter.
            now: the numbers before, as ``read`` returned them.

        Returns:
            All numbers as they are then; empty without an answer.
        """
        self._usual = {name: now[name] for name in values}
        return self._set(values) or {}

    def restore(self) -> None:
        """Put back what was changed; what could not be put back is tried again the next time."""
        if self._usual:
            now = self._set(dict(self._usual))
            if now is not None and all(abs(now.get(name, value) - value) < SAME
                                       for name, value in self._usual.items()):
                self._usual = {}

    def _set(self, values: Mapping[str, float]) -> Optional[Dict[str, float]]:
        request = ReconfigureRequest(Config(doubles=[DoubleParameter(*item)
                                                     for item in sorted(values.items())]))
        reply = self._client.call(request, self._wait)
        if reply.response is None:
            return None
        return {str(entry.name): float(entry.value) for entry in reply.response.config.doubles}


class PlannerParameters:
    """The parameters of one local planner; what a drive changed is put back after it."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._settings = settings
        self._parameters = DynamicParameters(f"{settings.action}/{settings.planner}", settings.service_wait) \
            if settings.planner else None

    @contextmanager
    def driving(self, manner: Manner) -> Iterator[Optional[Outcome]]:
        """Drive in a manner inside the block.

        A planner that the settings do not name drives as it always does, and the log says so.

        Args:
            manner: greatest speed (m/s) and tolerance at the goal (m) of one drive.

        Yields:
            Why that cannot be; ``None`` if it can.
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
                       f"the local planner '{self._settings.planner}' cannot be told how to drive: {why}",
                       cause=Cause(CauseKind.UNSUPPORTED, ("manner",)))


class CostmapPadding:
    """``footprint_padding`` of the two costmaps of a move_base (``costmap_2d/cfg/Costmap2D.cfg``)."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._costmaps = {name: DynamicParameters(f"{settings.action}/{name}", settings.service_wait)
                          for name in _COSTMAPS}

    @contextmanager
    def driving(self, clearance: float) -> Iterator[Optional[Outcome]]:
        """Keep more clearance than usual inside the block.

        Args:
            clearance: what is added to the padding of the footprint, metres.

        Yields:
            Why that cannot be; ``None`` if it can.
        """
        with ExitStack() as changed:
            refusal = None
            for name, parameters in self._costmaps.items():
                if refusal is None and clearance > 0.0:
                    changed.callback(parameters.restore)
                    refusal = _widen(name, parameters, clearance)
            yield refusal


def _widen(name: str, parameters: DynamicParameters, clearance: float) -> Optional[Outcome]:
    parameters.restore()
    now = parameters.read()
    if now is None or _PADDING not in now:
        why = "does not answer" if now is None else f"has no {_PADDING}"
        return _refusal(clearance, f"its {name} {why}")
    wanted = now[_PADDING] + clearance
    after = parameters.change({_PADDING: wanted}, now)
    if after.get(_PADDING, 0.0) < wanted - SAME:
        return _refusal(clearance,
                        f"its {name} keeps its {_PADDING} at {after.get(_PADDING, now[_PADDING]):.2f} m")
    return None


def _refusal(clearance: float, why: str) -> Outcome:
    return Outcome(Status.PRECONDITION, f"move_base cannot keep {clearance:.2f} m more clearance: {why}",
                   cause=Cause(CauseKind.UNSUPPORTED, ("clearance",)))
