"""The end of the launch in mid-motion: by Ctrl-C, by SIGTERM, by a terminal that is closed."""

from __future__ import annotations

import json
import signal
import time
from functools import partial
from typing import Callable

from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until

from hicrisp_bench.faults.case import CAMERA, EVERYWHERE, FaultCase, Seen
from hicrisp_bench.faults.rig import LIMIT, Rig

_GONE_WITHIN = 5.0
"""Wall seconds until every process must have ended."""


def ended_by(number: int, rig: Rig, seen: Seen) -> None:
    """A signal for roslaunch."""
    _ended(rig, seen, lambda: rig.launch.signal(number))


def terminal_closed(rig: Rig, seen: Seen) -> None:
    """The terminal in which roslaunch runs is closed."""
    _ended(rig, seen, rig.close_terminal)


def _ended(rig: Rig, seen: Seen, end: Callable[[], None]) -> None:
    task = rig.in_motion()
    began = time.monotonic()
    end()
    gone = wait_until(lambda: not rig.launch.processes(), Deadline(LIMIT))
    took = time.monotonic() - began
    seen.note(f"every process is gone after {took:.1f} s", gone and took <= _GONE_WITHIN)
    shown = rig.motion.heard_at - max(rig.motion.moved_at, began)
    last = max(0.0, rig.motion.moved_at - began)
    seen.note(f"last motion seen after {last:.2f} s, standing for {shown:.2f} s more", shown > 0.0)
    try:
        result = json.loads((rig.runs / task / "result.json").read_text(encoding="utf-8"))
        seen.note(f"{result['verdict']}: {result['message']}", result["verdict"] == "canceled")
    except (OSError, ValueError) as error:
        seen.note(f"no result: {error}", ok=False)
    complaints = rig.complaints()
    seen.note("no traceback" if not complaints else f"{len(complaints)} tracebacks", not complaints)


_EXPECTED = "known to stand; gone within 5 s"
CASES = (
    FaultCase("Ctrl-C in mid-motion", _EXPECTED, partial(ended_by, signal.SIGINT), (*EVERYWHERE, CAMERA), alone=True),
    FaultCase("SIGTERM in mid-motion", _EXPECTED, partial(ended_by, signal.SIGTERM), alone=True),
    FaultCase("terminal closed in mid-motion", _EXPECTED, terminal_closed, alone=True, terminal=True),
)
