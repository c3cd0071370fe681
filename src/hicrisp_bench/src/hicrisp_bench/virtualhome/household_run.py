"""One household task in the home, planned by an endpoint or offline, carried out under a policy, and
scored.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from threading import Event
from typing import Any, Dict, List, Optional

from hicrisp_core.body.factory import without_model
from hicrisp_core.domain import Domain
from hicrisp_core.factory import load_factory
from hicrisp_core.llm.settings import OFFLINE, LlmSettings, load_llm_settings
from hicrisp_core.model import Command, FeedbackKind, Outcome, Task, WorldState
from hicrisp_core.policy.policy import DIRECT
from hicrisp_core.ports.body import Body
from hicrisp_core.ports.robot import Progress
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.virtualhome.facts import CHARACTER, VirtualHome
from hicrisp_bench.virtualhome.household import TASKS, everything, load_home, person
from hicrisp_bench.virtualhome.parts import HomeDetector, VerbatimBody
from hicrisp_bench.virtualhome.scoring import Course, score
from hicrisp_bench.virtualhome.words import HouseholdBrain


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
    parts = load_factory(run.config, "virtualhome", run.policy, _settings(run))
    domain, policy = parts.domain, parts.policy
    graph = load_home(run.config)
    world = _Diary(domain, graph)
    ports: Dict[str, Any] = {}
    if parts.llm.backend == OFFLINE:  # Its planner reads the words itself.
        planner = HouseholdBrain(domain, run.forget, Random(f"{run.task} {run.run}"))
        ports = {"brain": planner, "interpreter": None}
    body: Body = VerbatimBody(domain) if policy.body == DIRECT or without_model(policy.body, parts.llm) \
        else parts.body()
    events: List[Dict[str, Any]] = []
    result = parts.executive({CHARACTER: world}, world, events.append, body=body,
                             detector=HomeDetector(domain), **ports).run(Task(task.text))
    verdicts = [event["ok"] for event in events if event["kind"] == "verdict"]
    refused = sum(1 for failure in result.failures if failure.kind == FeedbackKind.INVALID.value)
    course = Course(tuple(world.states), len(verdicts) + refused, sum(verdicts))
    return {**score(task, course, domain, graph), "seconds": time.perf_counter() - began,
            "message": result.message,
            "llm_calls": result.llm_calls, "tokens": result.tokens, "corrections": result.corrections,
            "corrected_by": result.corrected_by,
            "carried_out": world.carried_out, "planned": bool(result.plan)}


def _settings(run: HouseholdRun) -> LlmSettings:
    settings = load_llm_settings(run.config / "llm" / f"{run.llm}.yaml")
    return settings if run.temperature is None else replace(settings, temperature=run.temperature,
                                                            seed=run.run)
