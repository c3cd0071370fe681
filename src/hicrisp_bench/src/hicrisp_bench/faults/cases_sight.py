"""Sensors that fall silent or tell nonsense."""

from __future__ import annotations

import time

from hicrisp_bench.faults.case import AGV, FaultCase, Seen
from hicrisp_bench.faults.rig import Rig

_LONG, _SOON = 300.0, 5.0


def scan_silent(rig: Rig, seen: Seen) -> None:
    """The lidar stops in mid-drive."""
    task = rig.in_motion()
    began = time.monotonic()
    rig.inject("scan_stops")
    state = rig.ended(task, _LONG)
    seen.note(f"the task: {rig.said(task)}", state == "failed")
    seconds = rig.motion.standstill_after(began, _LONG)
    seen.note(f"stands {seconds:.1f} s after the last scan", seconds < _SOON)


CASES = (
    FaultCase("scan silent", "the base stops; told by its topic and age as the first cause", scan_silent,
              worlds=(AGV,)),
)
