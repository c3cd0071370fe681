"""One run of one blocks problem: a task in words, the whole executive over the domain's own transition
function.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List

from hicrisp_core.domain.schema import Domain
from hicrisp_core.factory import RunFactory
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Rung, Step, Task
from hicrisp_core.model.feedback import feedback_of
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Brain, CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.robot.symbolic import SymbolicWorld
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import Event, VerdictGiven
from hicrisp_core.trace.read_event import events_of

from hicrisp_bench.blocks_optimum import optimal_length
from hicrisp_bench.blocks_problems import ROBOT, TABLE, Problem, above


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


def key_of(settings: RunSettings) -> str:
    """What tells a run from the others of the suite."""
    return f"{settings.policy.name}, drops {settings.drops:g}, {settings.seed}: {settings.problem.name}"


def run_problem(settings: RunSettings) -> Dict[str, Any]:
    """Run one problem; the goal is judged from the world itself."""
    problem, domain = settings.problem, settings.domain
    parts = RunFactory(domain, settings.policy, settings.llm, settings.prompts)
    timed = _Timed(parts.brain(), parts.interpreter())
    world = SymbolicWorld(domain, problem.world(), ROBOT)
    _inject(world, settings)
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
    }


def _dropped(event: Event) -> bool:
    """Whether a verdict says that a block is not where it was stacked."""
    return (isinstance(event, VerdictGiven) and event.feedback is not None
            and feedback_of(event.feedback).misses("on"))


def _inject(world: SymbolicWorld, settings: RunSettings) -> None:
    """Some stackings, drawn by the seed, drop their block on the table once; the driver claims success."""
    domain, draw = settings.domain, random.Random(settings.seed)
    names = sorted(settings.problem.below)
    for item in names:
        for below in names:
            if item == below or draw.random() >= settings.drops:
                continue
            stacking = domain.ground(Step("", "stack", {"item": item, "below": below}), world.state)
            world.fails(str(stacking),
                        instead=domain.ground(Step("", "put_down", {"item": item}), world.state))


class _Timed(Brain):
    """Passes everything on, and keeps how long it took from the words to the first answer of the brain."""

    def __init__(self, brain: Brain, interpreter: Interpreter) -> None:
        self._brain = brain
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
        answer = self._brain.plan(request, deadline)
        self._add(began)
        self._answered = self._answered or not answer.needs_goal
        return answer

    def _add(self, began: float) -> None:
        if not self._answered:
            self.plan_ms += 1000.0 * (time.perf_counter() - began)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        return self._brain.correct(request, deadline)
