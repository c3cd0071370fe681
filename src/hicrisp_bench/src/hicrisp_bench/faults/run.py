"""Runs the cases of one launch, each in a world that was put back, and makes their rows."""

from __future__ import annotations

import time
from pathlib import Path
from typing import List, Sequence

from hicrisp_bench.faults.case import WORLDS, FaultCase, Seen
from hicrisp_bench.faults.cases import CASES
from hicrisp_bench.faults.rig import Rig
from hicrisp_bench.suite import Row


def run_group(world: str, numbers: Sequence[int], config: Path, folder: Path) -> List[Row]:
    """Launch a world and run some of the suite's cases in it; one that crashes is its own row."""
    cases = [CASES[number] for number in numbers]
    rows: List[Row] = []
    rig = Rig(WORLDS[world], config, folder)
    try:
        for number, case in enumerate(cases):
            rows.append(_row(case, world, rig, first=number == 0))
    finally:
        rig.stop()
    return rows


def _row(case: FaultCase, world: str, rig: Rig, first: bool) -> Row:
    seen, began = Seen(), time.monotonic()
    try:
        if first:
            rig.start(case.own_master, case.terminal)
        else:
            rig.recover()
        began = time.monotonic()
        case.run(rig, seen)
    except Exception as error:  # noqa: BLE001 - whatever breaks, the other rows are there
        seen.note(f"{type(error).__name__}: {error}", ok=False)
    return {"case": case.name, "world": world, "expected": case.expected, "seen": seen.text,
            "seconds": round(time.monotonic() - began, 1), "ok": seen.ok}
