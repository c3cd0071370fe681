"""One task, told once: the words, a policy, a model, and placements that miss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import goal_words, load_domain
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.scene import load_scene
from hicrisp_core.trace.events import Answered, CommandTried, GoalUnderstood, QuestionAsked, Refused, UsageSoFar
from hicrisp_libero.episode import GoalGiven

from hicrisp_bench.brains.tasks import Reached, Told
from hicrisp_bench.trial import TrialSettings, run_trial

KNOWN = "known"
"""Stands in place of a model's name."""
MISS = "place_offset"
"""The fault that lets each placement end beside its goal."""
CARRIED_OUT, ASKED, REFUSED, ANSWERED = "carried_out", "asked", "refused", "answered"
"""How a task can end: with a motion, a question that nobody answers, a refusal, or words alone."""


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
    goal = sentence.goals[0]
    settings = TrialSettings(
        trial.config, sentence.scene, sentence.text, Reached(sentence.goals, domain), trial.policy,
        trial.told.seed, misses(trial.sigma), models=models,
        interpreter=None if trial.llm else GoalGiven(replace(goal, said=goal_words(goal, domain), source=KNOWN)),
        look_ahead=trial.look_ahead, rate=trial.rate)
    result = run_trial(settings, events.append)
    goals = (event for event in events if event["kind"] == GoalUnderstood.kind and event["known"])
    first: Mapping[str, Any] = next(goals, {})
    usage: Mapping[str, Any] = next((event for event in reversed(events) if event["kind"] == UsageSoFar.kind), {})
    return {**result, "id": sentence.id, "class": sentence.kind, "level": trial.told.level,
            "llm": trial.llm.name if trial.llm else KNOWN, "ending": ending(events),
            "understood": {part: list(first[part]) for part in ("stages", "otherwise", "invariants")
                           if first.get(part)},
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
