"""VirtualHome's ten household tasks of HiCRISP and BrainBody-LLM, in a home of our own, by policy.

Each is planned by the configured endpoint, or without one read as controlled English and planned by search, carried out
by VirtualHome's own executor, and scored by EXEC, GCR, SR, PSR and precision.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from statistics import mean, stdev
from threading import Event
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.body.factory import without_model
from hicrisp_core.domain import Domain
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.settings import OFFLINE, choose_llm, load_llm_settings
from hicrisp_core.model import Command, FeedbackKind, Outcome, Task, WorldState
from hicrisp_core.policy.policy import DIRECT
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.robot import Progress
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.options import add_llm, add_policies, share
from hicrisp_bench.pictures.charts import Bar, Chart, share_bars, words
from hicrisp_bench.runner import Runner
from hicrisp_bench.statistics import corrections_of
from hicrisp_bench.suite import Report, Row, Section, crashes
from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.facts import CHARACTER, VirtualHome
from hicrisp_bench.virtualhome.household import TASKS, everything, load_home, person
from hicrisp_bench.virtualhome.parts import HomeDetector, VerbatimBody
from hicrisp_bench.virtualhome.scoring import METRICS, Course, score
from hicrisp_bench.virtualhome.unasked import FirstChoice, Forgetful

POLICIES = ("open_loop", "hicrisp", "brainbody", "hierarchical")
QUICK = {"forget": 0.1, "tasks": ["salmon", "tv", "light"], "llm": OFFLINE}
SELECTS = ("policies", "tasks")
REPETITIONS = ((0.0, 2), (0.5, 5))
"""Temperature and runs: HiCRISP took the mean of two, BrainBody-LLM of five at 0.5."""
_HICRISP = "HiCRISP (Ming et al.), Table I"
_BRAINBODY = "BrainBody-LLM (Bhat et al.), section 4"
_NOT_COMPARABLE = ("its PSR and precision were scored against another task's ground truth and are not "
                   "comparable")
REFERENCE: List[Row] = [
    *({"source": _HICRISP, "task": task.name, "policy": policy, "llm": "gpt-3.5", "exec": figure,
       "note": _NOT_COMPARABLE}
      for policy, figures in (("hicrisp", [task.hicrisp for task in TASKS]),
                              ("progprompt", [task.progprompt for task in TASKS]))
      for task, figure in zip(TASKS, figures)),
    {"source": _BRAINBODY, "task": "all", "policy": "brainbody", "llm": "gpt-4", "sr": 0.54, "gcr": 0.81,
     "note": "with feedback"},
    {"source": _BRAINBODY, "task": "all", "policy": "open_loop", "llm": "gpt-4", "sr": 0.38, "gcr": 0.73,
     "note": "without feedback"},
    {"source": _BRAINBODY, "task": "all", "policy": "progprompt", "llm": "davinci-003", "sr": 0.47,
     "gcr": 0.74},
]
_COLUMNS = ("task", "policy", "llm", "temperature", "n", *METRICS)
_OFFLINE = (
    "What a user without a key or a model gets: controlled English reads the task, a question which object is meant "
    "gets its first choice for an answer, and a search plans, so that plans need no correction.")
_FORGETFUL = (
    "Controlled English read the tasks, and a search planned; of its steps {forget:.0%} were left out at random, "
    "the same ones under every policy: these faults are injected. No model was asked: `llm_step` and "
    "`llm_replan` were answered by the same search, and new plans forget likewise.")
_MODEL = "All plans and corrective actions came from the model."


@dataclass(frozen=True)
class HouseholdRun:
    """One run.

    Args:
        llm: a name of ``config/llm``.
        temperature: of the model's sampling; ``None`` where no model is asked.
        run: the number of the repetition, also the seed of the model's sampling where the server has one.
        forget: the fraction of steps that the offline planner forgets, the same ones under every policy.
    """

    config: Path
    task: str
    policy: str
    llm: str
    temperature: Optional[float]
    run: int
    forget: float = 0.0


def key_of(run: HouseholdRun) -> str:
    """What tells a run from the others of the suite."""
    warm = "" if run.temperature is None else f", temperature {run.temperature:g}"
    return f"{run.task}, {run.policy}, {run.llm}{warm}, {run.run}"


class _Diary(VirtualHome):
    """The home with what was seen of it after every command."""

    def __init__(self, domain: Domain, graph: Any) -> None:
        super().__init__(domain, graph, person(graph), everything(graph))
        self.states: List[WorldState] = [self.observe(Deadline(1.0))]

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry the command out and look."""
        outcome = super().execute(command, deadline, cancel, progress)
        self.states.append(self.observe(deadline))
        return outcome


def carry_out(run: HouseholdRun) -> Dict[str, Any]:
    """The metrics of a run, and what it cost: ``seconds``, ``llm_calls``, ``tokens``, corrections by rung."""
    began = time.perf_counter()
    task = next(entry for entry in TASKS if entry.name == run.task)
    settings = load_llm_settings(run.config / "llm" / f"{run.llm}.yaml")
    if run.temperature is not None:
        settings = replace(settings, temperature=run.temperature, seed=run.run)
    parts = load_factory(run.config, "household", run.policy, settings)
    domain, policy = parts.domain, parts.policy
    graph = load_home(run.config)
    world = _Diary(domain, graph)
    ports: Dict[str, Any] = {}
    reader = FirstChoice(parts.interpreter())
    if parts.llm.backend == OFFLINE:
        ports = {"brain": Forgetful(domain, run.forget, Random(f"{run.task} {run.run}")), "interpreter": reader}
    body: Body = VerbatimBody(domain) if policy.body == DIRECT or without_model(policy.body, parts.llm) \
        else parts.body()
    events: List[Dict[str, Any]] = []
    result = parts.executive({CHARACTER: world}, world, events.append, body=body,
                             detector=HomeDetector(domain), **ports).run(Task(task.text))
    verdicts = [event["ok"] for event in events if event["kind"] == "verdict"]
    refused = sum(1 for failure in result.failures if failure.kind == FeedbackKind.INVALID.value)
    course = Course(tuple(world.states), len(verdicts) + refused, sum(verdicts))
    return {**score(task, course, domain, graph), "seconds": time.perf_counter() - began,
            "message": result.message, "asked": reader.asked,
            "llm_calls": result.llm_calls, "tokens": result.tokens, "corrections": result.corrections,
            "corrected_by": result.corrected_by,
            "carried_out": world.carried_out, "planned": bool(result.plan)}


_NOTE = (
    "Real: VirtualHome's executor, which carries out every command; the home and the goals are our own, so "
    "the published figures are for orientation. EXEC counts every command that was asked for, corrections "
    "included. {planner} Intervals are of the mean over tasks and runs (normal approximation).")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Who plans, and under which policies."""
    add_llm(parser, "auto", "what is configured")
    add_policies(parser, POLICIES, only=POLICIES)
    parser.add_argument("--tasks", nargs="+", choices=[task.name for task in TASKS], metavar="TASK",
                        default=[task.name for task in TASKS],
                        help=f"of {', '.join(task.name for task in TASKS)} (all)")
    parser.add_argument("--forget", type=share, default=0.0, metavar="FRACTION",
                        help="of its steps the offline planner forgets, so that there is something to "
                             "correct (0)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite."""
    if not package.installed():
        raise package.Missing()
    llm, _ = choose_llm(options.llm, os.environ, embedded=False)
    offline = load_llm_settings(options.config / "llm" / f"{llm}.yaml").backend == OFFLINE
    forget = options.forget if offline else 0.0
    repetitions: Sequence[Tuple[Any, int]] = ((None, REPETITIONS[bool(forget)][1]),
                                              ) if offline else REPETITIONS
    runs = [HouseholdRun(options.config, task, policy, llm, temperature, number, forget)
            for policy, (temperature, times), task, number in (
                (p, r, t, n) for p, r, t in product(options.policies, repetitions, options.tasks)
                for n in range(r[1]))]
    results = runner.run(carry_out, runs, key_of, "virtualhome10")
    pairs = list(zip(runs, results))
    rows = [_row({"task": "all", "policy": policy, "llm": llm, "temperature": temperature, "forget": forget},
                 [result for made, result in pairs if (made.policy, made.temperature) == (policy,
                                                                                          temperature)])
            for policy, (temperature, _) in product(options.policies, repetitions)]
    tasks = [_row({"task": task, "policy": policy, "llm": llm, "temperature": temperature},
                  [result for made, result in pairs
                   if (made.task, made.policy, made.temperature) == (task, policy, temperature)])
             for task, policy, (temperature, _) in product(options.tasks, options.policies, repetitions)]
    crashed = [{"task": made.task, "policy": made.policy, "crashed": result["crashed"]}
               for made, result in pairs if "crashed" in result]
    sections = [Section("By task", tasks, (*_COLUMNS, "corrections", "corrected_by"))]
    if crashed:
        sections.append(Section("Crashed", crashed, ("task", "policy", "crashed")))
    without_model = _FORGETFUL.format(forget=forget) if forget else _OFFLINE
    note = _NOTE.format(planner=without_model if offline else _MODEL)
    return Report(rows, _COLUMNS, REFERENCE, note, {"tasks": tasks, "crashes": crashed}, tuple(sections),
                  _charts(rows, tasks), crashes(crashed))


def _charts(rows: Sequence[Row], tasks: Sequence[Row]) -> Tuple[Chart, ...]:
    """Tasks that are done, and commands that are carried out, beside the papers' figures."""
    def who(row: Mapping[str, Any]) -> str:
        warm = row.get("temperature")
        return f"{row['policy']}, {row['llm']}{f', temperature {warm:g}' if warm is not None else ''}"

    published = [row for row in REFERENCE if "sr" in row]
    bars: List[Bar] = []
    for key, name in (("sr", "success rate"), ("gcr", "goal conditions")):
        bars += share_bars(rows, who, words(name), key)
        bars += share_bars(published, lambda row: f"{row['policy']}, {row['llm']}",
                           words(f"{name}, BrainBody-LLM"), key, True)
    one_table = [row for row in REFERENCE if "exec" in row]
    by_task = (*share_bars(tasks, "task", who, "exec"),
               *share_bars(one_table, "task", lambda row: f"{row['policy']}, HiCRISP's Table I", "exec",
                           True))
    return (Chart("done", "Ten household tasks", tuple(bars), "Mean over tasks and runs",
                  "95 % interval of the mean"),
            Chart("executable", "Commands of the household tasks that were carried out", by_task, "Exec",
                  "95 % interval of the mean"))


def _row(head: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Row:
    row: Row = {**head, "n": len(results)}
    for metric in METRICS:
        values = [float(result.get(metric, 0.0)) for result in results]
        row[metric] = mean(values) if values else 0.0
        row[f"{metric}_ci"] = _interval(values)
    row.update(corrections_of(results), crashed=sum(1 for result in results if "crashed" in result),
               llm_calls=sum(result.get("llm_calls", 0) for result in results))
    return row


def _interval(values: Sequence[float]) -> Tuple[float, float]:
    """The 95 % interval of a mean, within 0 and 1; (0, 1) from fewer than two values."""
    if len(values) < 2:
        return (0.0, 1.0)
    half = 1.96 * stdev(values) / len(values) ** 0.5
    return (max(0.0, mean(values) - half), min(1.0, mean(values) + half))
