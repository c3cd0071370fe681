"""VirtualHome's ten household tasks of HiCRISP and BrainBody-LLM, in a home of our own, by policy.

Each is planned by the configured endpoint, without one by the interpreter and the search of every launch, or by
recorded programs of GPT-3.5; carried out by VirtualHome's own executor, and scored by EXEC, GCR, SR, PSR and precision.
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
from hicrisp_core.errors import ConfigError
from hicrisp_core.factory import RunFactory, load_factory
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import BRAIN, OFFLINE, choose_llm
from hicrisp_core.model import Command, FeedbackKind, Outcome, Plan, Step, Task, WorldState
from hicrisp_core.policy.policy import DIRECT
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.brain import Brain, PlanAnswer, PlanRequest
from hicrisp_core.ports.robot import Progress
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.cost import QUESTIONS, cost_of, questions_of
from hicrisp_bench.options import add_llm, add_policies, llm_settings, share
from hicrisp_bench.statistics import corrections_of
from hicrisp_bench.stub_models import OverBrain
from hicrisp_bench.suite import Bar, Chart, Report, Row, Runner, Section, data_folder, share_bars, words
from hicrisp_bench.virtualhome import package
from hicrisp_bench.virtualhome.facts import CHARACTER, VirtualHome
from hicrisp_bench.virtualhome.household import TASKS, HouseholdTask, everything, load_home, person
from hicrisp_bench.virtualhome.parts import FirstChoice, HomeDetector, VerbatimBody
from hicrisp_bench.virtualhome.programs import ProgramBody, ask_for_program, read_program, read_programs
from hicrisp_bench.virtualhome.published import TABLE_3, reference
from hicrisp_bench.virtualhome.scoring import METRICS, Course, score

POLICIES = ("open_loop", "base_llm", "hicrisp_after", "hicrisp", "brainbody_no_feedback", "brainbody", "hierarchical")
PROGPROMPT = "progprompt"
"""Stands in place of a policy: a program with its checks, recorded or a model's, and nothing else that corrects."""
_NOTHING = "# no answer"
"""The program of a model that gave none."""
RECORDED_POLICIES = (PROGPROMPT, "hicrisp", "repair", "hierarchical")
ENDPOINT, RECORDED = "endpoint", "recorded"
QUICK = {"forget": 0.1, "tasks": ["salmon", "tv", "light"], "llm": OFFLINE}
SELECTS = ("policies", "tasks")
REPETITIONS = ((0.0, 2), (0.5, 5))
"""Temperature and runs: HiCRISP took the mean of two, BrainBody-LLM of five at 0.5."""
REFERENCE: List[Row] = reference()
_COLUMNS = ("task", "policy", "llm", "temperature", "n", "actions", *METRICS)
_SPREAD = ("task", "policy", "llm", "n", "actions", *(f"{name}{end}" for name in ("psr", "precision", "exec")
                                                     for end in ("", "_sd")))
_NOTES = {
    OFFLINE: "No model was asked: controlled English reads the task, a question which object is meant gets its first "
             "choice for an answer, and a search plans. Its rows say nothing about language models.",
    RECORDED: "Plans are the distinct programs of GPT-3.5 in HiCRISP's recordings, with their own checks; progprompt "
              "has these alone. What a policy would ask a model for is answered by the search: with a model, --plans "
              "endpoint. n differs by task.",
    ENDPOINT: "All plans and corrective actions came from the model."}
_FORGETFUL = (" Of the plan's steps {forget:.0%} were left out at random, the same ones under every policy: injected; "
              "`llm_step` and `llm_replan` were answered by the search, and new plans forget likewise.")


@dataclass(frozen=True)
class HouseholdRun:
    """One run.

    Args:
        llm: a name of ``config/llm``, or the path of a file.
        temperature: of the model's sampling; ``None`` where no model is asked.
        number: of the repetition, also the seed of the model's sampling where the server has one.
        forget: the fraction of its steps that a plan lacks, the same ones under every policy.
        program: a recorded program that is the plan; empty to plan.
    """

    config: Path
    task: str
    policy: str
    llm: str
    temperature: Optional[float]
    number: int
    forget: float = 0.0
    program: str = ""

    def key(self) -> str:
        """What tells a run from the others of the suite."""
        warm = "" if self.temperature is None else f", temperature {self.temperature:g}"
        return f"{self.task}, {self.policy}{warm}, {self.number}"

    def run(self) -> Dict[str, Any]:
        """Carry out one task.

        Returns:
            The metrics of the run, and what it cost: ``seconds``, ``llm_calls``, ``tokens``, corrections by rung.
        """
        run, began = self, time.perf_counter()
        task = next(entry for entry in TASKS if entry.name == self.task)
        settings = llm_settings(self.config, self.llm).of_trial(self.key())
        if self.temperature is not None:
            settings = replace(settings, temperature=self.temperature, seed=self.number)
        policy = "open_loop" if self.policy == PROGPROMPT else self.policy
        parts = load_factory(self.config, "household", policy, settings)
        domain = parts.domain
        graph = load_home(self.config)
        world = _Diary(domain, graph)
        reader = FirstChoice(parts.interpreter())
        events: List[Dict[str, Any]] = []
        if self.policy == PROGPROMPT and not self.program:
            text, exchanges = ask_for_program(Models(settings).of(BRAIN), domain, graph, task.text)
            run, events = replace(self, program=text or _NOTHING), [each.as_dict() for each in exchanges]
        ports, actions = _planning(run, parts, graph, reader)
        result = parts.executive({CHARACTER: world}, world, events.append, detector=HomeDetector(domain), **ports).run(
            Task(task.text))
        verdicts = [event["ok"] for event in events if event["kind"] == "verdict"]
        refused = sum(1 for failure in result.failures if failure.kind == FeedbackKind.INVALID.value)
        course = Course(tuple(world.states), len(verdicts) + refused, sum(verdicts))
        return {**score(task, course, domain, graph), "seconds": time.perf_counter() - began,
                "message": result.message, "asked": reader.asked,
                "actions": len(result.plan) if actions is None else actions,
                "llm_calls": result.llm_calls, "tokens": result.tokens, "corrections": result.corrections,
                "corrected_by": result.corrected_by, QUESTIONS: questions_of(events),
                "carried_out": world.carried_out, "planned": bool(result.plan)}


class ForgetfulBrain(OverBrain):
    """Leaves out steps of another brain's plans: an injected fault, so that there is something to correct.

    Args:
        forget: the fraction of the steps, from 0 to 1.
        random: decides which.
    """

    def __init__(self, brain: Brain, forget: float, random: Random) -> None:
        super().__init__(brain)
        self._forget = forget
        self._random = random

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Return the other's plan, with steps missing."""
        answer = super().plan(request, deadline)
        if answer.plan is None:
            return answer
        kept = tuple(step for step in answer.plan.steps if self._random.random() >= self._forget)
        return replace(answer, plan=replace(answer.plan, steps=kept))


class _Recorded(OverBrain):
    """Begins with a recorded plan; what comes after is the other brain's."""

    def __init__(self, brain: Brain, plan: Plan) -> None:
        super().__init__(brain)
        self._recorded = plan

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Return the recorded plan; a new one is not recorded."""
        return PlanAnswer(refusal="a recording has no other plan") if request.feedback else PlanAnswer(self._recorded)


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


def _planning(
    run: HouseholdRun, parts: RunFactory, graph: Any, reader: FirstChoice
) -> Tuple[Dict[str, Any], Optional[int]]:
    """Who plans, who grounds, and who reads without a model; and the actions of a recorded plan."""
    domain = parts.domain
    if run.program:
        program = read_program(run.program, domain, graph)
        recorded = _Recorded(parts.brain(), Plan(program.steps, RECORDED))
        return {"brain": recorded, "body": ProgramBody(domain, program), "interpreter": None}, program.actions
    kind = parts.policy.body
    body: Body = VerbatimBody(domain) if kind == DIRECT or without_model(kind, parts.llm) else parts.body()
    ports: Dict[str, Any] = {"body": body, "interpreter": reader}
    if run.forget:
        ports["brain"] = ForgetfulBrain(parts.brain(), run.forget, Random(f"{run.task} {run.number}"))
    return ports, None


_NOTE = (
    "Real: VirtualHome's executor, which carries out every command; the home and the goals are our own, so "
    "the published figures are for orientation. EXEC counts every command that was asked for, corrections "
    "included; actions are the plan's (|A|), _sd is the standard deviation. {planner} Intervals are of the mean over "
    "tasks and runs (normal approximation).")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add who plans, and under which policies.

    Args:
        parser: the suite's subcommand.
    """
    add_llm(parser, "auto", "what is configured")
    add_policies(parser, otherwise=f"{' '.join(POLICIES)}; with --plans {RECORDED} {' '.join(RECORDED_POLICIES)}")
    parser.add_argument("--plans", default=ENDPOINT, metavar="WHOSE",
                        help=f"{ENDPOINT}: --llm plans; {RECORDED}: the programs that GPT-3.5 wrote for HiCRISP, in "
                             f"ProgPrompt's form; or a JSON file of such programs by task ({ENDPOINT})")
    parser.add_argument("--tasks", nargs="+", choices=[task.name for task in TASKS], metavar="TASK",
                        default=[task.name for task in TASKS],
                        help=f"of {', '.join(task.name for task in TASKS)} (all)")
    parser.add_argument("--forget", type=share, default=0.0, metavar="FRACTION",
                        help="of the steps of plans without a model is left out, so that there is something to "
                             "correct (0)")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite.

    Args:
        options: the parsed command line.
        runner: runs the trials.

    Returns:
        A row a policy over all tasks; those by task are a section and the entry ``tasks``.
    """
    if not package.installed():
        raise package.Missing()
    recorded = options.plans != ENDPOINT
    llm, _ = choose_llm(OFFLINE if recorded else options.llm, os.environ, embedded=False)
    runs = _recorded(options) if recorded else _live(options, llm)
    results = runner.run(runs, "virtualhome10")
    pairs = list(zip(runs, results))
    cases = list(dict.fromkeys((made.policy, made.temperature) for made in runs))
    told = "recorded: gpt-3.5" if options.plans == RECORDED else options.plans if recorded else llm

    def row(task: str, policy: str, temperature: Optional[float]) -> Row:
        own = [result for made, result in pairs if (made.policy, made.temperature) == (policy, temperature)
               and task in (made.task, "all")]
        return _row({"task": task, "policy": policy, "llm": told, "temperature": temperature,
                     "forget": runs[0].forget}, own)

    rows = [row("all", *case) for case in cases]
    tasks = [row(task, *case) for task, case in product(options.tasks, cases)]
    sections = (Section("By task", tasks, (*_COLUMNS, "corrections", "corrected_by")),
                Section("As in HiCRISP's Table I, with the spread of the runs", tasks, _SPREAD),
                Section("A step in words and its command (BrainBody-LLM, Table 3)", matched(options.config),
                        ("step", "body_llm", "embedding", "embedding_here")))
    offline = llm_settings(options.config, runs[0].llm).offline
    planner = _NOTES[RECORDED if recorded else OFFLINE if offline else ENDPOINT]
    planner += _FORGETFUL.format(forget=runs[0].forget) if runs[0].forget else ""
    return Report(rows, _COLUMNS, REFERENCE, _NOTE.format(planner=planner), {"tasks": tasks}, sections,
                  _charts(rows, tasks))


def _live(options: argparse.Namespace, llm: str) -> List[HouseholdRun]:
    settings = llm_settings(options.config, llm)
    if PROGPROMPT in (options.policies or ()) and settings.offline:
        raise ConfigError(f"{PROGPROMPT} is a program's own checks: give programs with --plans, or a model with --llm")
    forget = options.forget if settings.offline else 0.0
    repetitions: Sequence[Tuple[Any, int]] = ((None, REPETITIONS[bool(forget)][1]),) if settings.offline else (
        ((None, 1),) if settings.temperature is None else REPETITIONS)
    return [HouseholdRun(options.config, task, policy, llm, temperature, number, forget)
            for policy, (temperature, times), task in product(options.policies or POLICIES, repetitions, options.tasks)
            for number in range(times)]


def _recorded(options: argparse.Namespace) -> List[HouseholdRun]:
    programs = read_programs(data_folder() / "hicrisp" if options.plans == RECORDED else Path(options.plans))
    chosen: List[HouseholdTask] = [task for task in TASKS if task.name in options.tasks]
    if not any(task.text.lower() in programs for task in chosen):
        raise ConfigError(f"--plans {options.plans} has no program for a task that is run; it has: "
                          f"{', '.join(sorted(programs))}")
    return [HouseholdRun(options.config, task.name, policy, OFFLINE, None, number, program=text)
            for policy in options.policies or RECORDED_POLICIES for task in chosen
            for number, text in enumerate(programs.get(task.text.lower(), ()))]


def matched(config: Path) -> List[Row]:
    """Return BrainBody-LLM's three examples with the command that the nearest embedding has for each here.

    Args:
        config: the folder of configuration.

    Returns:
        A row a step; it says so if the embedding is not installed.
    """
    rows: List[Row] = [{"step": step, "body_llm": body, "embedding": embedding} for step, body, embedding in TABLE_3]
    parts = load_factory(config, "virtualhome", "baseline_embedding")
    try:
        body = parts.body()
    except ConfigError:
        return [{**row, "embedding_here": "wordllama is not installed"} for row in rows]
    world = _Diary(parts.domain, load_home(config)).states[0]
    found = [body.translate(Step(row["step"], ""), world, Deadline(60.0)) for row in rows]
    return [{**row, "embedding_here": " ".join(map(parts.domain.describe, each.commands)) or each.pass_reason
             or "none"} for row, each in zip(rows, found)]


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
        row[f"{metric}_sd"] = stdev(values) if len(values) > 1 else None
    actions = [result["actions"] for result in results if result.get("planned")]
    row.update(corrections_of(results), **cost_of(results), actions=mean(actions) if actions else None,
               crashed=sum(1 for result in results if "crashed" in result),
               llm_calls=sum(result.get("llm_calls", 0) for result in results))
    return row


def _interval(values: Sequence[float]) -> Tuple[float, float]:
    """The 95 % interval of a mean, within 0 and 1; (0, 1) from fewer than two values."""
    if len(values) < 2:
        return (0.0, 1.0)
    half = 1.96 * stdev(values) / len(values) ** 0.5
    return (max(0.0, mean(values) - half), min(1.0, mean(values) + half))
