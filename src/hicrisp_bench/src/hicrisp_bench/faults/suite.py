"""Faults of every kind against the launched nodes: what must happen, and what was seen."""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Iterator, List, Mapping, Sequence, Tuple

from hicrisp_core.errors import ConfigError

from hicrisp_bench.faults.cases_model import MODELS
from hicrisp_bench.faults.cases_nodes import DISKS, ENDS, KILLS, LOADS, STOPS
from hicrisp_bench.faults.cases_world import HANDS, HOSTS, LACKS, SIGHT
from hicrisp_bench.faults.places import NotHere, SmallDisk, TwoHosts
from hicrisp_bench.faults.probe import SMALL_DISK, TWO_HOSTS, WORLDS, FaultCase, Probe, Seen
from hicrisp_bench.faults.rig import Rig
from hicrisp_bench.statistics import share_of
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, share_bars, words

CASES = (*STOPS, *KILLS, *ENDS, *LOADS, *DISKS, *SIGHT, *HANDS, *HOSTS, *MODELS, *LACKS)
"""Every case, in the order of the table."""
QUICK: Mapping[str, Any] = {}
SELECTS = ("worlds", "cases")
_COLUMNS = ("case", "world", "expected", "seen", "seconds", "result")
_QUICK_WORLD = next(iter(WORLDS))


@dataclass(frozen=True)
class FaultTrial:
    """A case in a world, by their names."""

    config: Path
    world: str
    name: str

    @property
    def case(self) -> FaultCase:
        """What happens."""
        return next(each for each in CASES if each.name == self.name)

    @property
    def told(self) -> Row:
        """What its row says before anything was seen."""
        return {"case": self.name, "world": self.world, "expected": self.case.expected, "seconds": 0.0}

    def key(self) -> str:
        """Name a trial."""
        return f"{self.world}: {self.name}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this suite has."""
    parser.add_argument("--worlds", nargs="+", choices=tuple(WORLDS), default=list(WORLDS), metavar="WORLD",
                        help=f"some of: {', '.join(WORLDS)}")
    parser.add_argument("--cases", nargs="+", default=[], metavar="WORD",
                        help="only cases whose name holds one of these")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run every case in its worlds, one launch after another: what is timed must not wait for a neighbour."""
    groups = [[FaultTrial(options.config, world, case.name) for case in cases] for world, cases in groups_of(options)]
    results = runner.run_together(groups, "faults", run_together)
    trials = [trial for group in groups for trial in group]
    # One whose process ended before it was done is not as it must be.
    rows = [{**trial.told, "ok": False, "result": "**no**", "seen": result.get("crashed", ""), **result}
            for trial, result in zip(trials, results)]
    by_world = []
    for world in dict.fromkeys(trial.world for trial in trials):
        ran = [row["ok"] for row in rows if row["world"] == world and row["ok"] is not None]
        by_world.append({"world": world, "n": len(ran), **share_of("ok", ran.count(True), len(ran))})
    chart = Chart("as_expected", "Faults after which everything was as it must be",
                  share_bars(by_world, "world", words("faults"), "ok"), "Faults")
    failed = tuple(f"{row['case']} ({row['world']}): {row['seen']}" for row in rows if row["ok"] is False)
    return Report(rows, _COLUMNS, note=_NOTE, extra={"by_world": by_world}, charts=(chart,), failed=failed,
                  sections=(Section("By world", by_world, ("world", "n", "ok")),))


def groups_of(options: argparse.Namespace) -> Sequence[Tuple[str, Sequence[FaultCase]]]:
    """Return the cases of each launch, with its world.

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


def run_together(trials: Sequence[FaultTrial]) -> Iterator[Row]:
    """Launch a world and run some cases in it; one that breaks off is its own row, with ``crashed``."""
    first = trials[0]
    with TemporaryDirectory(prefix="hicrisp_faults_") as name, ExitStack() as ending:
        folder, hosts = Path(name), None
        try:
            if first.case.place == TWO_HOSTS:
                hosts = TwoHosts()
                ending.callback(hosts.stop)
                hosts.enter()
            if first.case.place == SMALL_DISK:
                ending.callback(SmallDisk(folder / "runs").stop)
        except NotHere as error:
            left_out = {"seen": f"left out: {error}", "ok": None, "result": "left out"}
            yield from ({**trial.told, **left_out} for trial in trials)
            return
        rig = Rig(WORLDS[first.world], first.config, folder, hosts)
        ending.callback(rig.stop)
        for trial in trials:
            yield _row(trial, rig, trial is first)


def _row(trial: FaultTrial, rig: Rig, first: bool) -> Row:
    seen, began, crashed = Seen(), time.monotonic(), {}
    case = trial.case
    try:
        if first:
            rig.start(case.own_master, case.terminal)
        else:
            rig.recover()
        began = time.monotonic()
        case.run(Probe(rig, seen))
    except Exception as error:  # noqa: BLE001 - whatever breaks, the other rows are there
        crashed = {"crashed": f"{type(error).__name__}: {error}"}
        seen.remarks.append((crashed["crashed"], False))
    return {**trial.told, "seen": seen.text, "seconds": round(time.monotonic() - began, 1), "result": seen.result,
            "ok": seen.ok, **crashed}


_NOTE = ("Every node is real, the worlds are simulated in real time; kills are SIGKILL, a hang is SIGSTOP; whether a "
         "robot stands is judged by joints and odometry. What the machine does not allow is left out.")
