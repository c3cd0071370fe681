"""Runs the cases of one launch, each in a world that was put back, and makes their rows."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Iterator, Sequence

from hicrisp_bench.faults.case import SMALL_DISK, TWO_HOSTS, WORLDS, FaultCase, Seen
from hicrisp_bench.faults.cases import CASES
from hicrisp_bench.faults.disk import SmallDisk
from hicrisp_bench.faults.hosts import TwoHosts
from hicrisp_bench.faults.not_here import NotHere
from hicrisp_bench.faults.rig import Rig
from hicrisp_bench.suite import Row


@dataclass(frozen=True)
class FaultTrial:
    """A case in a world, by their names."""

    config: Path
    world: str
    case: str


def key_of(trial: FaultTrial) -> str:
    """Names a trial."""
    return f"{trial.world}: {trial.case}"


def run_together(trials: Sequence[FaultTrial]) -> Iterator[Row]:
    """Launch a world and run some cases in it; one that breaks off is its own row, with ``crashed``."""
    known = {case.name: case for case in CASES}
    first = trials[0]
    place = known[first.case].place
    with TemporaryDirectory(prefix="hicrisp_faults_") as folder, ExitStack() as ending:
        try:
            hosts = None
            if place == TWO_HOSTS:
                hosts = TwoHosts()
                ending.callback(hosts.stop)
                hosts.enter()
            if place == SMALL_DISK:
                disk = SmallDisk(Path(folder) / "runs")
                ending.callback(disk.stop)
        except NotHere as error:
            yield from ({**_told(known[trial.case], trial.world), "seen": f"left out: {error}", "ok": None}
                        for trial in trials)
            return
        rig = Rig(WORLDS[first.world], first.config, Path(folder), hosts=hosts)
        ending.callback(rig.stop)
        for trial in trials:
            yield _row(known[trial.case], trial.world, rig, trial is first)


def _row(case: FaultCase, world: str, rig: Rig, first: bool) -> Row:
    seen, began, crashed = Seen(), time.monotonic(), {}
    try:
        if first:
            rig.start(case.own_master, case.terminal)
        else:
            rig.recover()
        began = time.monotonic()
        case.run(rig, seen)
    except Exception as error:  # noqa: BLE001 - whatever breaks, the other rows are there
        seen.note(f"{type(error).__name__}: {error}", ok=False)
        crashed = {"crashed": f"{type(error).__name__}: {error}"}
    return {**_told(case, world), "seen": seen.text, "seconds": round(time.monotonic() - began, 1),
            "result": seen.result, "ok": seen.ok, **crashed}


def _told(case: FaultCase, world: str) -> Row:
    return {"case": case.name, "world": world, "expected": case.expected, "seconds": 0.0}
