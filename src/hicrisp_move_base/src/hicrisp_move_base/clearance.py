"""The space that a drive keeps to things: the padding of the footprint in both costmaps, for one drive."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import Iterator, Optional

from hicrisp_core.model import Cause, CauseKind, Outcome, Status

from hicrisp_move_base.dynamic_parameters import SAME, DynamicParameters
from hicrisp_move_base.settings import MoveBaseSettings

_COSTMAPS = ("global_costmap", "local_costmap")
_PADDING = "footprint_padding"


class CostmapPadding:
    """``footprint_padding`` of the two costmaps of a move_base (``costmap_2d/cfg/Costmap2D.cfg``)."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._costmaps = {name: DynamicParameters(f"{settings.action}/{name}", settings.service_wait)
                          for name in _COSTMAPS}

    @contextmanager
    def driving(self, clearance: float) -> Iterator[Optional[Outcome]]:
        """Keep some metres more than usual inside the block; yields why that cannot be, ``None`` where it
        can.
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
