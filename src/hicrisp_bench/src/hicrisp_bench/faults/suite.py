"""Faults of every kind against the launched nodes: what must happen, and what was seen."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, List, Mapping, Sequence, Tuple

from hicrisp_core.errors import ConfigError

from hicrisp_bench.faults.case import WORLDS, FaultCase
from hicrisp_bench.faults.cases import CASES
from hicrisp_bench.faults.run import run_group
from hicrisp_bench.pool import Progress
from hicrisp_bench.runner import Runner
from hicrisp_bench.suite import Report, Row

QUICK: Mapping[str, Any] = {}
SELECTS = ("worlds", "cases")
_COLUMNS = ("case", "world", "expected", "seen", "seconds", "ok")
_QUICK_WORLD = next(iter(WORLDS))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this suite has."""
    parser.add_argument("--worlds", nargs="+", choices=tuple(WORLDS), default=list(WORLDS), metavar="WORLD",
                        help=f"some of: {', '.join(WORLDS)}")
    parser.add_argument("--cases", nargs="+", default=[], metavar="WORD",
                        help="only cases whose name holds one of these")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run every case in its worlds, one launch after another: what is timed must not wait for a neighbour."""
    del runner  # Its processes are side by side.
    groups = groups_of(options)
    rows: List[Row] = []
    progress = Progress("faults, launches", len(groups))
    with TemporaryDirectory(prefix="hicrisp_faults_") as folder:
        for number, (world, cases) in enumerate(groups):
            place = Path(folder) / str(number)
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                names = [CASES.index(case) for case in cases]
                rows += pool.submit(run_group, world, names, options.config, place).result()
            progress.step()
    progress.end()
    return Report(rows, _COLUMNS, note=_NOTE, ok=all(row["ok"] for row in rows))


def groups_of(options: argparse.Namespace) -> Sequence[Tuple[str, Sequence[FaultCase]]]:
    """The cases of each launch, with its world.

    Raises:
        ConfigError: when no case has such a name, with those that there are.
    """
    wanted = [case for case in CASES if not options.cases or any(word in case.name for word in options.cases)]
    if not wanted:
        raise ConfigError(f"no case is named so; there are: {'; '.join(case.name for case in CASES)}")
    if options.quick:
        return [(_QUICK_WORLD, [case for case in wanted if case.quick])]
    groups: List[Tuple[str, Sequence[FaultCase]]] = []
    for world in options.worlds:
        here = [case for case in wanted if world in case.worlds]
        together = [case for case in here if not case.alone]
        groups += [(world, together)] if together else []
        groups += [(world, [case]) for case in here if case.alone]
    return groups


_NOTE = ("Every node is real, the worlds are simulated in real time; kills are SIGKILL, a hang is SIGSTOP. "
         "Whether a robot stands is judged by joint states and odometry.")
