"""The suite: tasks by chance in several scenes, the policies in turn."""

from __future__ import annotations

import argparse
from typing import Any, Dict, List, Mapping, Sequence

from hicrisp_core.policy.policy import SIMILAR, load_policy

from hicrisp_bench.limits.trial import LimitsTrial, key_of, run_limits_trial
from hicrisp_bench.pictures.charts import Chart, share_bars, words
from hicrisp_bench.runner import Runner
from hicrisp_bench.statistics import wilson_interval
from hicrisp_bench.suite import Report, Row, Section, at_least_one, crashes

QUICK: Mapping[str, Any] = {"tasks": 12}
SELECTS = ("tasks", "scenes", "policies", "seed")
SCENES = ("tabletop", "clutter", "sorting", "agv_zone", "bowl", "stack", "agv", "lab")
ALL = "all"
_COLUMNS = ("scene", "n", "held", "commands", "motions", "sim_hours", "broken")


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many tasks, where, and under which policies."""
    parser.add_argument("--tasks", type=at_least_one, default=500, metavar="N", help="tasks in all (500)")
    parser.add_argument("--scenes", nargs="+", default=list(SCENES), metavar="NAME",
                        help=f"files of config/scenes with a table or an arena ({' '.join(SCENES)})")
    parser.add_argument("--policies", nargs="+", metavar="NAME",
                        help="files of config/policies (all but those whose body is an embedding)")
    parser.add_argument("--seed", type=int, default=0, help="of the first task (0)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    trials = trials_of(options)
    results = runner.run(run_limits_trial, trials, key_of, "random tasks")
    whole = [{"scene": trial.scene, "policy": trial.policy, "seed": trial.seed, **result}
             for trial, result in zip(trials, results)]
    rows = [_row(scene, [each for each in whole if each["scene"] == scene]) for scene in options.scenes]
    rows.append(_row(ALL, whole))
    broken = [{"scene": each["scene"], "policy": each["policy"], "seed": each["seed"], "limit": limit,
               "by": excess} for each in whole for limit, excess in each.get("broken", {}).items()]
    chart = Chart("held", "Random tasks in which every limit held", share_bars(
        rows, "scene", words("every limit held"), "held"), "Tasks")
    sections = [Section("Broken", broken, ("scene", "policy", "seed", "limit", "by"))] if broken else []
    return Report(rows, _COLUMNS, (), _NOTE, {"broken": broken}, tuple(sections), (chart,), crashes(whole))


def trials_of(options: argparse.Namespace) -> List[LimitsTrial]:
    """Scenes and policies in turn; each task has a seed of its own."""
    policies = options.policies or policies_of(options)
    scenes = options.scenes
    return [LimitsTrial(options.config, scenes[number % len(scenes)],
                        policies[number // len(scenes) % len(policies)], options.seed + number)
            for number in range(options.tasks)]


def policies_of(options: argparse.Namespace) -> List[str]:
    """All policies but those whose body needs the package of an embedding."""
    files = sorted((options.config / "policies").glob("*.yaml"))
    return [file.stem for file in files if load_policy(file).body != SIMILAR]


def _row(scene: str, results: Sequence[Dict[str, Any]]) -> Row:
    whole = [each for each in results if "crashed" not in each]
    held = sum(1 for each in whole if not each["broken"])
    figures: Dict[str, float] = {}
    for each in whole:
        for name, value in each["figures"].items():
            figures[name] = max(figures.get(name, value), value)
    return {
        "scene": scene, "n": len(results), "held": held / max(1, len(results)),
        "held_ci": wilson_interval(held, len(results)),
        "commands": sum(each["commands"] for each in whole),
        "motions": sum(each["motions"] for each in whole),
        "sim_hours": sum(each["sim_s"] for each in whole) / 3600.0,
        "broken": sum(len(each["broken"]) for each in whole), "largest": figures,
        "crashed": [each["crashed"] for each in results if "crashed" in each],
    }


_NOTE = ("Held: by the physics, after each of its steps. An arm's tool in the box of config/safety.yaml, its "
         "joints and fingers within their speeds and force; a base's footprint over no zone and on nothing, "
         "within its speeds. Plans and corrections are drawn by chance, a tenth of their arguments from "
         "everything that there is; where a policy has several models, each fills the form of its answer by "
         "chance. The policy's own repairs come on top.")
