"""One task, told once: the words, a policy, a model, and placements that miss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import Domain, goal_words, load_domain
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.interpreter import Interpreter, Request, Understood
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import Answered, CommandTried, GoalUnderstood, QuestionAsked, Refused, UsageSoFar

from hicrisp_bench.brains.tasks import Reached, Told
from hicrisp_bench.trial import TrialSettings, run_trial

KNOWN = "known"
"""Stands in place of a model's name."""
MISS = "place_offset"
"""The fault that lets each placement end beside its goal."""
CARRIED_OUT, ASKED, REFUSED, ANSWERED = "carried_out", "asked", "refused", "answered"
"""How a task can end: with a motion, a question that nobody answers, a refusal, or words alone."""


class _Told:
    """Answers every request with one goal."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal

    def understand(self, request: Request, deadline: Deadline) -> Understood:
        """Return the goal that was told."""
        return Understood(self._goal)


@dataclass(frozen=True)
class KnownGoal:
    """Makes the interpreter for a domain."""

    goal: Goal

    def __call__(self, domain: Domain) -> Interpreter:
        """Return the interpreter."""
        return _Told(replace(self.goal, said=goal_words(self.goal, domain), source=KNOWN))


@dataclass(frozen=True)
class BrainTrial:
    """All that a trial depends on.

    Args:
        llm: the model; ``None`` where the goal is told as data.
        sigma: of the misses of placements, metres.
        look_ahead: in place of what the policy says.
        rate: simulated seconds a second; 0 for as fast as can be.
    """

    config: Path
    told: Told
    policy: str
    llm: Optional[LlmSettings]
    sigma: float
    look_ahead: Optional[bool] = None
    rate: float = 0.0

    def key(self) -> str:
        """What tells a trial from the others of the suite."""
        sentence = self.told.sentence
        return f"{self.policy}, {sentence.id}, {sentence.scene}, {self.told.seed}: {sentence.text}"

    def run(self) -> Dict[str, Any]:
        """Run one trial; the result is a plain dictionary."""
        return tell(self, Models(self.llm.of_trial(self.key())) if self.llm is not None else None)


def tell(trial: BrainTrial, models: Optional[Models]) -> Dict[str, Any]:
    """The same with models that may be known from before."""
    sentence = trial.told.sentence
    scene = load_scene(config_file("scenes", sentence.scene, trial.config), trial.told.seed)
    domain = load_domain(config_file("domains", scene.domain, trial.config))
    events: List[Mapping[str, Any]] = []
    settings = TrialSettings(
        trial.config, sentence.scene, sentence.text, Reached(sentence.goals, domain), trial.policy,
        trial.told.seed, misses(trial.sigma), models=models,
        interpreter=None if trial.llm else KnownGoal(sentence.goals[0]),
        look_ahead=trial.look_ahead, rate=trial.rate)
    result = run_trial(settings, events.append)
    goals = (event for event in events if event["kind"] == GoalUnderstood.kind and event["known"])
    goal: Mapping[str, Any] = next(goals, {})  # The first one that was understood.
    usage: Mapping[str, Any] = next((event for event in reversed(events) if event["kind"] == UsageSoFar.kind), {})
    return {**result, "id": sentence.id, "class": sentence.kind, "level": trial.told.level,
            "llm": trial.llm.name if trial.llm else KNOWN, "ending": ending(events),
            "understood": {part: list(goal[part]) for part in ("stages", "otherwise", "invariants") if goal.get(part)},
            "prompt_tokens": usage.get("prompt_tokens", 0), "completion_tokens": usage.get("completion_tokens", 0),
            "llm_s": usage.get("seconds", 0.0)}


def misses(sigma: float) -> Sequence[Mapping[str, Any]]:
    """The injected fault; none without a sigma."""
    return ({"kind": MISS, "target": "", "magnitude": (0.0, 0.0, sigma), "count": 0},) if sigma else ()


def ending(events: Sequence[Mapping[str, Any]]) -> str:
    """How a task ended, by its events."""
    kinds = [event["kind"] for event in events]
    if CommandTried.kind in kinds:
        return CARRIED_OUT
    if Refused.kind in kinds:
        unanswered = any(event["kind"] == QuestionAsked.kind and not event["answer"] for event in events)
        return ASKED if unanswered else REFUSED
    return ANSWERED if Answered.kind in kinds else CARRIED_OUT
