"""Faults of every kind against the launched nodes: what must happen, and what was seen."""

from __future__ import annotations

import argparse
from typing import Any, List, Mapping, Sequence, Tuple

from hicrisp_core.errors import ConfigError

from hicrisp_bench.faults.case import WORLDS, FaultCase
from hicrisp_bench.faults.cases import CASES
from hicrisp_bench.faults.run import FaultTrial, key_of, run_together
from hicrisp_bench.pictures.charts import Chart, share_bars, words
from hicrisp_bench.runner import Runner
from hicrisp_bench.statistics import wilson_interval
from hicrisp_bench.suite import Report, Row, Section

QUICK: Mapping[str, Any] = {}
SELECTS = ("worlds", "cases")
_COLUMNS = ("case", "world", "expected", "seen", "seconds", "result")
_QUICK_WORLD = next(iter(WORLDS))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this suite has."""
    parser.add_argument("--worlds", nargs="+", choices=tuple(WORLDS), default=list(WORLDS), metavar="WORLD",
                        help=f"some of: {', '.join(WORLDS)}")
    parser.add_argument("--cases", nargs="+", default=[], metavar="WORD",
                        help="only cases whose name holds one of these")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run every case in its worlds, one launch after another: what is timed must not wait for a neighbour."""
    groups = [[FaultTrial(options.config, world, case.name) for case in cases]
              for world, cases in groups_of(options)]
    results = runner.run_together(run_together, groups, key_of, "faults")
    trials = [trial for group in groups for trial in group]
    rows = [row_of(trial, result) for trial, result in zip(trials, results)]
    by_world = [_shares(world, [row for row in rows if row["world"] == world])
                for world in dict.fromkeys(trial.world for trial in trials)]
    chart = Chart("as_expected", "Faults after which everything was as it must be",
                  share_bars(by_world, "world", words("faults"), "ok"), "Faults")
    failed = tuple(f"{row['case']} ({row['world']}): {row['seen']}" for row in rows if row["ok"] is False)
    return Report(rows, _COLUMNS, note=_NOTE, extra={"by_world": by_world}, charts=(chart,), failed=failed,
                  sections=(Section("By world", by_world, ("world", "n", "ok")),))


def row_of(trial: FaultTrial, result: Mapping[str, Any]) -> Row:
    """A trial's row; one whose process ended before it was done is not as it must be."""
    case = next(each for each in CASES if each.name == trial.case)
    return {"case": case.name, "world": trial.world, "expected": case.expected, "ok": False, "result": "**no**",
            "seen": result.get("crashed", ""), **result}


def _shares(world: str, rows: Sequence[Row]) -> Row:
    run = [row for row in rows if row["ok"] is not None]
    right = sum(1 for row in run if row["ok"])
    return {"world": world, "n": len(run), "ok": right / max(1, len(run)),
            "ok_ci": wilson_interval(right, len(run))}


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
        for place in dict.fromkeys(case.place for case in here):
            together = [case for case in here if not case.alone and case.place == place]
            groups += [(world, together)] if together else []
        groups += [(world, [case]) for case in here if case.alone]
    return groups


_NOTE = ("Every node is real, the worlds are simulated in real time; kills are SIGKILL, a hang is SIGSTOP. "
         "Whether a robot stands is judged by joint states and odometry. A case that the machine does not "
         "allow has no ok, and says why.")
