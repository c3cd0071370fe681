"""The blocks world (CoPAL, section IV-B; LLM+P): PlanBench's problems, and the plans that others recorded."""

from __future__ import annotations

import argparse
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import Domain, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.settings import OFFLINE, LlmSettings, choose_llm
from hicrisp_core.model import Rung, Step, Task
from hicrisp_core.model.feedback import feedback_of
from hicrisp_core.policy.policy import Policy, load_policy
from hicrisp_core.ports.brain import Brain, PlanAnswer, PlanRequest
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import Event, VerdictGiven
from hicrisp_core.trace.read_event import events_of

from hicrisp_bench import blocks_recorded
from hicrisp_bench.blocks_problems import ROBOT, TABLE, Problem, above, optimal_length, planbench_problems
from hicrisp_bench.cost import QUESTIONS, questions_of
from hicrisp_bench.options import add_limit, add_llm, add_policies, add_seed, llm_settings
from hicrisp_bench.statistics import Tally
from hicrisp_bench.stub_models import OverBrain
from hicrisp_bench.suite import Chart, Report, Runner, Section, data_folder, policies_here, share_bars, words

PARTS = ("live", "injected", "recorded")
INJECTED = ("open_loop", "brainbody", "hierarchical")
QUICK = {"limit": 3}
SELECTS = ("plans", "policies", "limit")
DROPS = 0.3
"""The share of the stackings that drop their block on the table at the first try, where failures are injected."""
_COLUMNS = ("policy", "llm", "blocks", "n", "goal_reached", "goal_loose", "plan_ms", "extra_steps", "replans",
            "corrections", "corrected_by", "injected")


@dataclass(frozen=True)
class RunSettings:
    """What one run is.

    Args:
        prompts: the folder of the policy's prompts, where a language model plans.
        drops: the share of the stackings whose first try drops the block on the table.
        seed: of the choice of these stackings.
    """

    domain: Domain
    problem: Problem
    policy: Policy
    llm: LlmSettings
    prompts: Path
    drops: float = 0.0
    seed: int = 0

    def key(self) -> str:
        """What tells a run from the others of the suite."""
        return f"{self.policy.name}, drops {self.drops:g}, {self.seed}: {self.problem.name}"

    def run(self) -> Dict[str, Any]:
        """Run one problem; the goal is judged from the world itself."""
        problem, domain = self.problem, self.domain
        parts = RunFactory(domain, self.policy, self.llm.of_trial(self.key()), self.prompts)
        timed = _Timed(parts.brain(), parts.interpreter())
        world = SymbolicWorld(domain, problem.world(), ROBOT)
        _inject(world, self)
        events: List[Dict[str, Any]] = []
        executive = parts.executive({ROBOT: world}, world, events.append, brain=timed, interpreter=timed)
        result = executive.run(Task(problem.sentence(domain)))
        reached = all(fact in world.state.relations for fact in problem.facts)
        optimum = optimal_length(problem.below, problem.goal, TABLE)
        return {
            "problem": problem.name, "blocks": problem.blocks, "task": problem.sentence(domain),
            "success": reached,
            "loose": all(above(world.state, upper, lower) for upper, lower in problem.goal),
            "claimed": result.success, "message": result.message, "plan": list(result.plan),
            "plan_ms": timed.plan_ms,
            "steps": len(world.executed), "optimum": optimum,
            "extra_steps": len(world.executed) - optimum if reached and optimum is not None else None,
            "corrections": result.corrections, "corrected_by": result.corrected_by,
            "replans": result.corrections.get(Rung.LLM_REPLAN, 0),
            "drops": sum(map(_dropped, events_of(events))),
            "llm_calls": result.llm_calls, "tokens": result.tokens,
            QUESTIONS: questions_of(events),
        }


def _dropped(event: Event) -> bool:
    """Whether a verdict says that a block is not where it was stacked."""
    return (isinstance(event, VerdictGiven) and event.feedback is not None and feedback_of(event.feedback).misses("on"))


def _inject(world: SymbolicWorld, settings: RunSettings) -> None:
    """Some stackings, drawn by the seed, drop their block on the table once; the driver claims success."""
    domain, draw = settings.domain, random.Random(settings.seed)
    names = sorted(settings.problem.below)
    for item in names:
        for below in names:
            if item == below or draw.random() >= settings.drops:
                continue
            stacking = domain.ground(Step("", "stack", {"item": item, "below": below}), world.state)
            world.fails(str(stacking), instead=domain.ground(Step("", "put_down", {"item": item}), world.state))


class _Timed(OverBrain):
    """Passes everything on, and keeps how long it took from the words to the first answer of the brain."""

    def __init__(self, brain: Brain, interpreter: Interpreter) -> None:
        super().__init__(brain)
        self._interpreter = interpreter
        self._answered = False
        self.plan_ms: float = 0.0

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        began = time.perf_counter()
        found = self._interpreter.understand(request, deadline)
        self._add(began)
        return found

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        began = time.perf_counter()
        answer = super().plan(request, deadline)
        self._add(began)
        self._answered = self._answered or not answer.needs_goal
        return answer

    def _add(self, began: float) -> None:
        if not self._answered:
            self.plan_ms += 1000.0 * (time.perf_counter() - began)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is run: which plans, which policies, which problems."""
    parser.add_argument("--plans", nargs="+", choices=PARTS, default=list(PARTS),
                        help="live: plan and run PlanBench's problems; injected: the same with seeded "
                             "failures; recorded: judge the plans that CoPAL's authors recorded (all three)")
    add_llm(parser, "offline", "offline; auto: the endpoint that the environment names")
    add_policies(parser, otherwise="all but those that need optional packages")
    add_limit(parser, "problems of each size")
    add_seed(parser, "the injected failures")


def run(options: argparse.Namespace, runner: Runner) -> Report:
    """Run the suite; goals are judged from the world's facts, not from what the executive says."""
    name, _ = choose_llm(options.llm, os.environ, embedded=False)
    llm = llm_settings(options.config, name)
    rows: List[Dict[str, Any]] = []
    missing: List[str] = []
    if {"live", "injected"} & set(options.plans):
        try:
            rows = _planned(options, llm, runner)
        except ConfigError as error:
            missing.append(f"PlanBench's problems were not run: {error}")
    recorded = blocks_recorded.measure(data_folder() / "copal",
                                       options.config) if "recorded" in options.plans \
        else blocks_recorded.NONE
    planner = "the offline planner" if llm.backend == OFFLINE else f"the language model {llm.model_name}"
    note = (f"Live plans were made by {planner}, in a world of facts without physics. plan_ms and "
            "extra_steps (beyond the optimum of a breadth-first search, of the runs that reached the goal): "
            f"median and worst. Failures were injected only where it is said: {DROPS:.0%} of the stackings, "
            "drawn by seed, drop their block on the table at the first try, while the driver claims success.")
    return Report(
        rows, _COLUMNS, blocks_recorded.REFERENCE, f"{note} {recorded.note}".strip(),
        {"recorded": list(recorded.rows), "recorded_errors": list(recorded.errors)},
        (Section("Recorded plans", recorded.rows, blocks_recorded.COLUMNS),),
        _charts(rows, recorded.rows), tuple(missing))


def _charts(rows: Sequence[Dict[str, Any]], recorded: Sequence[Dict[str, Any]]) -> Tuple[Chart, ...]:
    """Problems that reach their goal: ours, and the recorded plans beside the published figures."""
    def case(row: Mapping[str, Any]) -> str:
        return f"{row['blocks']} blocks{', some dropped' if row['drops'] else ''}"

    def method(row: Mapping[str, Any]) -> str:
        return f"{row['policy']}, {row['blocks'].replace(' blocks', '')} blocks"

    few = [row for row in rows if row["policy"] in INJECTED]
    ours = Chart("goal_reached", "PlanBench's problems, planned and run", share_bars(
        few, case, "policy", "goal_reached"), "Goal reached")
    theirs = Chart("recorded", "LLM+P's problems: the recorded plans, judged anew", (
        *share_bars(recorded, method, words("exactly, judged here"), "goal_exact"),
        *share_bars(recorded, method, words("loosely, judged here"), "goal_loose"),
        *share_bars(blocks_recorded.REFERENCE, method, lambda row: row["source"], "goal_reached", True)),
        "Goal reached")
    return (ours, theirs) if recorded else (ours,)


def _planned(options: argparse.Namespace, llm: LlmSettings, runner: Runner) -> List[Dict[str, Any]]:
    """The rows of the runs over PlanBench's problems."""
    every = list(planbench_problems(data_folder() / "planbench"))
    sizes = [problem.blocks for problem in every]
    problems = [problem for at, problem in enumerate(every)
                if options.limit is None or sizes[:at].count(problem.blocks) < options.limit]
    policies = [load_policy(config_file("policies", name, options.config))
                for name in options.policies or policies_here(options.config)]
    rows: List[Dict[str, Any]] = []
    if "live" in options.plans:
        rows += _rows(problems, policies, llm, options, 0.0, runner)
    if "injected" in options.plans:
        some = policies if options.policies else [policy for policy in policies if policy.name in INJECTED]
        rows += _rows(problems, some, llm, options, DROPS, runner)
    return rows


def _rows(
    problems: Sequence[Problem], policies: Sequence[Policy], llm: LlmSettings, options: argparse.Namespace,
    drops: float, runner: Runner
) -> List[Dict[str, Any]]:
    """One row for each policy and number of blocks."""
    domain = load_domain(config_file("domains", "blocks", options.config))
    runs = [RunSettings(domain, problem, policy, llm, options.config / "prompts" / policy.prompts, drops,
                        options.seed + index)
            for policy in policies for index, problem in enumerate(problems)]
    results = runner.run(runs, "blocks, injected" if drops else "blocks")
    rows: List[Dict[str, Any]] = []
    for policy in policies:
        for blocks in sorted({problem.blocks for problem in problems}):
            own = Tally(result for run, result in zip(runs, results)
                        if run.policy is policy and run.problem.blocks == blocks)
            dropped = own.totals("drops")
            rows.append({
                "policy": policy.name, "llm": llm.name, "blocks": blocks, **own.trials,
                **own.share("goal_reached", "success"), **own.share("goal_loose", "loose"),
                **own.spreads("plan_ms", "extra_steps"), **own.totals("replans"), **own.corrections,
                **own.false_success(), **own.totals("llm_calls", "tokens"), **own.cost,
                "injected": f"{dropped['drops']} blocks dropped" if drops else "none", **dropped,
                "failed": [{"problem": r["problem"], "message": r["message"]} for r in own.whole if not r["success"]]})
    return rows
