"""What remembering brings: one arm gets task after task, with the memory of the tasks before and without it,
and with a memory that somebody has poisoned.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, Dict, List, Optional, Tuple

from hicrisp_core.memory import tables
from hicrisp_core.memory.entries import Numbered, Offset
from hicrisp_core.memory.store import Store, Trouble
from hicrisp_core.model import Relation
from hicrisp_core.model.offsets import OffsetSettings

from hicrisp_bench.options import add_trials, at_least_one
from hicrisp_bench.statistics import Tally
from hicrisp_bench.suite import Chart, Report, Row, Runner, spread_bars
from hicrisp_bench.trial import TrialSettings

QUICK = {"trials": 1, "tasks": 2}
SELECTS = ("trials", "tasks")
BIAS, SIGMA = 0.05, 0.01
"""Metres by which the biased arm places too far, and the deviation of every placement."""
LIE = (-0.08, 0.0)
"""What a poisoned memory says of an arm that places where it should, metres."""
_TASK = "Place the box next to the cylinder"
_GOAL = (Relation("box", "next_to", "cylinder"),)
_ROBOT, _KEY = "robot", "panda/place/world"
CASES = (("biased arm", False, False), ("biased arm", True, False),
         ("sound arm", False, False), ("sound arm, poisoned memory", True, True))
"""What the arm is, whether it remembers, and whether its memory begins with the lie."""
_COLUMNS = ("case", "memory", "task", "n", "success", "releases", "corrections", "sim_s", "believed_m")
_NOTE = (
    "The same arm gets task after task, each in another layout. Placements miss with a deviation of "
    f"{1000 * SIGMA:g} mm, those of the biased arm by {1000 * BIAS:g} mm to one side as well (injected, "
    f"drawn anew for every approach); the poisoned memory tells {1000 * LIE[0]:g} mm of a sound arm. "
    "The offline planner made all plans; success is judged from the physics' true poses.")


@dataclass(frozen=True)
class Life:
    """One arm and the tasks that it gets, each in another layout.

    Args:
        remembers: whether each task begins with what the ones before it taught.
        poisoned: whether the memory begins with an offset that is not so.
    """

    config: Path
    case: str
    remembers: bool
    poisoned: bool
    seed: int
    tasks: int

    def key(self) -> str:
        """Name a life among those of the suite.

        Returns:
            A key that differs for each life.
        """
        return f"{self.case}, {'remembers' if self.remembers else 'forgets'}, {self.seed}, {self.tasks} tasks"

    def run(self) -> Dict[str, Any]:
        """Carry out all tasks of a life in their order.

        Returns:
            Outcome, seconds and believed bias of each task.
        """
        bias = BIAS if self.case == "biased arm" else 0.0
        fault = {"kind": "place_offset", "target": "", "magnitude": (bias, 0.0, SIGMA), "count": 0}
        with TemporaryDirectory() as folder:
            file: Optional[Path] = Path(folder) / "memory.sqlite" if self.remembers else None
            if file is not None and self.poisoned:
                lie = Offset(_ROBOT, _KEY, 4.0, LIE, 1e-6, time.time())
                Store(file).write(lambda opened: tables.put(opened, lie))
            rounds = []
            for number in range(self.tasks):
                done = TrialSettings(self.config, "tabletop", _TASK, _GOAL, "hierarchical",
                                     1000 * self.seed + number, (fault,), memory=file).run()
                rounds.append({**done, "believed_m": _believed(file) if file is not None else None})
        return {"rounds": rounds}


def _believed(file: Path) -> float:
    """By how far the memory says that the arm places too far forward, metres."""
    nothing: Tuple[Numbered, ...] = ()
    known = Store(file).read(lambda opened: tables.offsets(opened, _ROBOT), nothing)
    if isinstance(known, Trouble):
        raise OSError(f"{file}: {known}")
    return next((each.entry.estimate.bias(OffsetSettings())[0] for each in known
                 if isinstance(each.entry, Offset) and each.entry.key == _KEY), 0.0)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the suite's options.

    Args:
        parser: the suite's subcommand.
    """
    add_trials(parser, 20, "arms of each case", "--lives")
    parser.add_argument("--tasks", type=at_least_one, default=4, help="tasks that each gets (4)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite; successes are judged by the true poses.

    Args:
        options: the parsed command line.
        runner: runs the trials.

    Returns:
        The rows with what was injected.
    """
    rows: List[Row] = []
    cases = [(case, [Life(options.config, *case, seed, options.tasks) for seed in range(options.trials)])
             for case in CASES]
    for (case, remembers, _), arms in runner.by_case(cases, "memory"):
        for number in range(options.tasks):
            own = Tally(result["rounds"][number] for result in arms.whole)
            corrections = [sum(each["corrections"].values()) for each in own.whole]
            rows.append({
                "case": case, "memory": "on" if remembers else "off", "task": number + 1, "n": len(own.all),
                **own.share("success"), **own.means("releases"),
                "corrections": mean(corrections) if corrections else None, **own.spreads("sim_s"),
                **(own.means("believed_m") if remembers else {"believed_m": None})})
    bars = spread_bars(rows, lambda row: f"task {row['task']}",
                       lambda row: f"{row['case']}, memory {row['memory']}", "sim_s")
    chart = Chart("sim_s", "How long a placement takes, task after task", bars, "Simulated seconds of a task",
                  "up to the 95th percentile", share=False)
    return Report(rows, _COLUMNS, note=_NOTE, charts=(chart,))
