"""The whole loop with a real model: table-top tasks in plain words, carried out in physics where placements
miss, by policy and by model.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.llm.settings import OFFLINE, LlmSettings
from hicrisp_core.policy.policy import load_policy

from hicrisp_bench.brains import latency, trial
from hicrisp_bench.options import add_limit, add_llm, add_policies, add_seed, add_trials, llm_of
from hicrisp_bench.serving import EMBEDDED_BACKEND, served, settings_of_file
from hicrisp_bench.statistics import Tally, share_of, spread
from hicrisp_bench.suite import Chart, Report, Row, Runner, Section, share_bars, spread_bars

ALL = "all"
Results = Sequence[Dict[str, Any]]
POLICIES = ("open_loop", "hicrisp", "brainbody", "copal_mh2", "llm_p", "hierarchical")
COLUMNS = ("model", "policy", "tasks", "n", "success", "false_success", "asked", "refused", "calls", "tokens",
           "first_motion_s", "done_s", "corrections", "corrected_by")
QUICK = {"limit": 4, "policies": ["open_loop", "hierarchical"]}
SELECTS = ("policies", "limit", "trials", "latency")
SIGMA = 0.02
"""Of the misses of placements, metres."""
_LONGEST = 800
"""Tokens of an answer of a model's file; a plan of twelve steps has about 400."""


def rows_of(policy: str, model: str, results: Results) -> List[Row]:
    """A policy's rows: of all tasks, of the plain and of the harder ones."""
    shares = [(ALL, results), *((level, [each for each in results if each.get("level") == level])
                                for level in (trial.PLAIN, trial.HARDER))]
    return [{"model": model, "policy": policy, "tasks": name, **_figures(own)} for name, own in shares if own]


def _figures(results: Results) -> Row:
    own = Tally(results)
    moved = [each for each in own.whole if each["first_motion_s"] is not None]
    endings = [each["ending"] for each in own.whole]
    return {
        **own.trials, **own.share("success"), "claimed": own.share("claimed")["claimed"],
        **share_of("false_success", own.count(lambda each: each["claimed"] and not each["success"]), len(results)),
        "false_failure": own.count(lambda each: each["success"] and not each["claimed"]),
        **{name: endings.count(name) for name in (trial.CARRIED_OUT, trial.ASKED, trial.REFUSED, trial.ANSWERED)},
        "calls": own.means("llm_calls")["llm_calls"], **own.means("tokens"),
        **{name: spread([each[key] for each in moved]) if moved else None for name, key in (
            ("first_motion_s", "first_motion_s"), ("done_s", "wall_s"), ("robot_s", "sim_s"))},
        "llm_s": spread([each["llm_s"] for each in own.whole]) if own.whole else None,
        **own.corrections, **own.cost,
    }


def missed_rows(results: Results) -> List[Row]:
    """The tasks that were missed, with how they ended."""
    return [{"policy": each["policy"], "task": each["id"],
             "ended": "false success" if each["claimed"] else str(each["ending"]).replace("_", " "),
             "why": each["message"]}
            for each in results if "crashed" not in each and not each["success"]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which tasks, which policies, and who is asked."""
    add_llm(parser, OFFLINE, "offline: controlled English; known: the goal is told as data", file=True)
    parser.add_argument("--tasks", type=Path, metavar="FILE",
                        help="sentences with what must hold at the end "
                             "(config/sentences/tabletop_tasks.json)")
    add_policies(parser, POLICIES)
    add_limit(parser, "tasks, evenly spread")
    add_trials(parser, 1, "layouts of each task")
    add_seed(parser, "the first layout")
    parser.add_argument("--latency", type=float, nargs="+", metavar="SECONDS",
                        help="instead: each task told twice through a server on loopback that answers so "
                             "many seconds later, with each trick on and off; canned goals where no model is "
                             "named")
    parser.add_argument("--rate", type=float, default=0.0, metavar="R",
                        help="of --latency: simulated seconds a second (0: as fast as can be); 1 shows what "
                             "motions hide")
    parser.add_argument("--sigma", type=float, default=SIGMA, metavar="METRES",
                        help=f"of the misses of placements ({SIGMA:g})")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    settings, model = _model(options)
    on_loopback = settings is not None and settings.backend == EMBEDDED_BACKEND
    if on_loopback or options.latency:
        runner.needs_loopback(model)
    for name in options.policies:
        load_policy(config_file("policies", name, options.config))
    file = options.tasks or options.config / "sentences" / "tabletop_tasks.json"
    told = trial.lay_out(options.config, trial.read_tasks(file, options.limit or 0), options.seed, options.trials,
                         options.jobs)
    with ExitStack() as stack:
        asked = stack.enter_context(served(settings)) if settings is not None else None
        if options.latency:
            return _latency(options, told, asked, runner)
        # One policy after the other, so that a server keeps the prompt that it read.
        trials = [trial.BrainTrial(options.config, each, policy, asked, options.sigma)
                  for policy in options.policies for each in told]
        results = [{"policy": each.policy, "id": each.told.sentence.id, "level": each.told.level, **result}
                   for each, result in zip(trials, runner.run(trials, "brains"))]
    rows: List[Row] = []
    for policy in options.policies:
        rows += rows_of(policy, model, [each for each in results if each["policy"] == policy])
    return Report(
        rows, COLUMNS, note=_note(model, options), extra={"trials": results},
        sections=(Section("Missed", missed_rows(results), ("policy", "task", "ended", "why")),),
        charts=(
            Chart("success", "Tasks in plain words, carried out while placements miss", share_bars(
                rows, "policy", lambda row: f"{row['tasks']} tasks", "success"), "Success by the true poses"),
            Chart("done", "Seconds from the words to the end", spread_bars(
                rows, "policy", lambda row: f"{row['tasks']} tasks", "done_s"),
                "Wall seconds, physics as fast as it can", "median to 95th percentile", share=False)))


def _latency(
    options: argparse.Namespace, told: Sequence[trial.Told], settings: Optional[LlmSettings], runner: Runner
) -> Report:
    """The rows by latency and trick."""
    endpoint = settings if settings is not None and not settings.offline else None
    rows = latency.latency_rows(options.config, told, options.policies, endpoint, options.latency,
                                options.sigma, options.rate, runner)
    note = ("Each task is told twice, in the same layout and in one process, through a server on loopback "
            "that answers late. calls: the mean of a task; seconds: wall, median and worst. 'again': the "
            "second telling.")
    bars = spread_bars(rows, lambda row: f"{row['policy']}, {row['latency_s']:g} s late", "tricks", "first_motion_s")
    chart = Chart("first_motion", "Seconds to the first motion, by how late the model answers", bars,
                  "Wall seconds", "median to 95th percentile", share=False)
    return Report(rows, latency.COLUMNS, note=note, charts=(chart,))


def _model(options: argparse.Namespace) -> Tuple[Optional[LlmSettings], str]:
    """How the model is asked and its name; no settings where the goal is told as data."""
    if options.gguf:
        settings = settings_of_file(options.gguf, _LONGEST)
        return settings, settings.model
    if options.llm == trial.KNOWN:
        return None, trial.KNOWN
    settings = llm_of(options)
    if settings.offline:
        return settings, "controlled English"
    return settings, settings.model_name


def _note(model: str, options: argparse.Namespace) -> str:
    who = {trial.KNOWN: "The goal was told as data",
           OFFLINE: "Controlled English was read and a search planned, no model was asked"}
    asked = who.get("" if options.gguf else options.llm, f"{model} was asked")
    misses = (f"Placements miss by a Gaussian offset with sigma {100 * options.sigma:g} cm (injected); every other "
              "failure is real." if options.sigma else "No fault is injected.")
    return (f"{asked}. {misses} Success: the goal holds in the true poses at the end; a false success is only "
            "claimed. Questions are not answered. Calls, tokens: mean of a task; seconds: wall, median and worst of "
            f"the tasks that moved something, {options.jobs} side by side, the physics as fast as it can.")
