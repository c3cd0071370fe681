"""Parameters of a move_base that a drive changes by dynamic_reconfigure and puts back: speed, tolerance, padding."""

from __future__ import annotations

import math
from contextlib import ExitStack, contextmanager
from typing import Callable, Dict, Iterator, Mapping, Optional, Union

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

    @contextmanager
    def changed(self, wanted: Callable[[Mapping[str, float]], Union[Mapping[str, float], str]]) -> Iterator[str]:
        """Have other numbers inside the block.

        Args:
            wanted: gets all numbers as they are, and returns the new ones by parameter, or why there are none.

        Yields:
            Why that cannot be, as a clause without its subject; empty if it can.
        """
        self.restore()
        now = self._set({})
        values = "does not answer" if now is None else wanted(now)
        if now is not None and not isinstance(values, str):
            self._usual = {name: now[name] for name in values}
            after = now if not values else self._set(values) or {}
            kept = [f"{name} at {after.get(name, now[name]):.2f}" for name, value in sorted(values.items())
                    if abs(after.get(name, math.inf) - value) > SAME]
            values = f"keeps its {', '.join(kept)}" if kept else ""
        try:
            yield str(values)
        finally:
            self.restore()

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
        if self._parameters is not None and manner != USUAL:
            with self._parameters.changed(lambda now: self._wanted(now, manner)) as why:
                yield Outcome(
                    Status.PRECONDITION,
                    f"the local planner '{self._settings.planner}' cannot be told how to drive: it {why}",
                    cause=Cause(CauseKind.UNSUPPORTED, ("manner",))) if why else None
            return
        if self._parameters is not None:
            self._parameters.restore()
        elif manner != USUAL:
            rospy.logwarn("%s drives as always: 'move_base.planner' does not name a planner that could be "
                          "told to drive at most at %.2f m/s and to end within %.2f m", self._settings.action,
                          manner.speed, manner.tolerance)
        yield None

    def _wanted(self, now: Mapping[str, float], manner: Manner) -> Union[Mapping[str, float], str]:
        wanted: Dict[str, float] = {}
        for names, value in ((self._settings.speed_parameters.split(), manner.speed),
                             (self._settings.tolerance_parameters.split(), manner.tolerance)):
            found = [name for name in names if name in now]
            if not found and value < math.inf:
                return (f"has none of the parameters {', '.join(names) or '(none is configured)'}; it has: "
                        f"{', '.join(sorted(now)) or 'none'}")
            wanted.update({name: value for name in found if value < now[name]})
        return wanted


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
        def wider(now: Mapping[str, float]) -> Union[Mapping[str, float], str]:
            return {_PADDING: now[_PADDING] + clearance} if _PADDING in now else f"has no {_PADDING}"

        with ExitStack() as changed:
            refused = ""
            for name, parameters in self._costmaps.items():
                why = changed.enter_context(parameters.changed(wider)) if clearance > 0.0 and not refused else ""
                refused = refused or (why and f"its {name} {why}")
            yield Outcome(
                Status.PRECONDITION, f"move_base cannot keep {clearance:.2f} m more clearance: {refused}",
                cause=Cause(CauseKind.UNSUPPORTED, ("clearance",))) if refused else None
