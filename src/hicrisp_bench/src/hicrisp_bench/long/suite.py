"""The suite: a long run in each of some worlds, one after another."""

from __future__ import annotations

import argparse
from typing import Any, Dict, List, Mapping

from hicrisp_bench.long.run import SCENES, LongTrial, key_of, run_together
from hicrisp_bench.pictures.charts import Chart, count_bars
from hicrisp_bench.runner import Runner
from hicrisp_bench.suite import Report, Row, Section, at_least_one, crashes

QUICK: Mapping[str, Any] = {"tasks": 6}
SELECTS = ("tasks", "scenes", "seed", "minutes")
_COLUMNS = ("scene", "n", "sim_hours", "minutes", "succeeded", "failed", "refused", "answered", "canceled",
            "interrupted", "lost", "unexplained", "orphans", "tracebacks")
_NODES = ("scene", "node", "processes", "tasks", "mb_first", "mb_last", "growth")


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many tasks, where, and for how long."""
    parser.add_argument("--tasks", type=at_least_one, default=250, metavar="N",
                        help="tasks in each scene (250)")
    parser.add_argument("--minutes", type=float, default=240.0, metavar="M",
                        help="of wall time in each scene, after which no further task is begun (240)")
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES), metavar="NAME",
                        help=f"some of: {', '.join(SCENES)}")
    parser.add_argument("--seed", type=int, default=0, help="of tasks and of what happens to them (0)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    groups = [[LongTrial(options.config, scene, options.tasks, options.seed, options.minutes)]
              for scene in options.scenes]
    results = runner.run_together(run_together, groups, key_of, "long runs")
    rows: List[Row] = [_row(scene, result) for scene, result in zip(options.scenes, results)]
    nodes = [{"scene": scene, **row} for scene, result in zip(options.scenes, results)
             for row in result.get("memory", ())]
    happened = [{"scene": scene, "what": what, "n": number} for scene, result in zip(options.scenes, results)
                for what, number in sorted(result.get("happened", {}).items())]
    wrong = tuple(f"{row['scene']}: {row['lost']} lost, {row['unexplained']} unexplained, {row['orphans']} "
                  "orphans" for row in rows if row["lost"] or row["unexplained"] or row["orphans"])
    chart = Chart("ends", "How the tasks of a long run ended", count_bars(
        rows, "scene", [(state, state) for state in _COLUMNS[4:10]]), "Tasks", share=False)
    memory = Chart("memory", "Memory in the first and the last fifth of each node's longest life", count_bars(
        nodes, lambda row: f"{row['scene']}: {row['node']}",
        [("mb_first", "first fifth"), ("mb_last", "last fifth")]), "MB", share=False)
    return Report(rows, _COLUMNS, (), _NOTE, {"trials": results},
                  (Section("Memory", nodes, _NODES), Section("What happened", happened,
                                                             ("scene", "what", "n"))),
                  charts=(chart, memory), failed=(*wrong, *crashes(results)))


def _row(scene: str, result: Mapping[str, Any]) -> Row:
    ends: Dict[str, int] = result.get("ends", {})
    return {"scene": scene, "n": result.get("n", 0), "sim_hours": result.get("sim_hours", 0.0),
            "minutes": result.get("minutes", 0.0),
            **{state: ends.get(state, 0) for state in _COLUMNS[4:10]},
            "lost": len(result.get("lost", ())) + len(result.get("problems", ())),
            "unexplained": len(result.get("unexplained", ())), "orphans": result.get("orphans", 0),
            "tracebacks": result.get("tracebacks", 0)}


_NOTE = ("Every node is real, the physics is simulated. Growth is from the first fifth to the last fifth of "
         "the longest life of a node's process, its first tenth left out; a node that is killed begins anew. "
         "Lost: a task that was taken and whose end nobody knows. Unexplained: a failure without a message.")
