"""The tasks: sentences with the goals that must hold at the end, in layouts; and one of them, told once: the words, a
policy, a model, and placements that miss.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.config.files import config_file
from hicrisp_core.domain import Domain, goal_words, load_domain
from hicrisp_core.errors import ConfigError
from hicrisp_core.goals.stages import final_conditions
from hicrisp_core.goals.truth import holds
from hicrisp_core.llm.models import Models
from hicrisp_core.llm.settings import LlmSettings
from hicrisp_core.model import Goal, WorldState
from hicrisp_core.scene import load_scene
from hicrisp_core.trace.events import Answered, CommandTried, GoalUnderstood, QuestionAsked, Refused, UsageSoFar
from hicrisp_libero.episode import GoalGiven
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_bench.language.sentences import Sentence, read_sentences
from hicrisp_bench.pool import run_all
from hicrisp_bench.trial import TrialSettings, holds_in_truth, run_trial

PLAIN, HARDER = "plain", "harder"
_MOST_LAYOUTS = 50
"""Layouts of one task that are tried until one does not fulfil it from the start."""


@dataclass(frozen=True)
class Reached:
    """Whether one of the alternatives of a goal holds in a world.

    Args:
        goals: alternatives; the final conditions of one must hold.
    """

    goals: Tuple[Goal, ...]
    domain: Domain

    def __call__(self, world: WorldState) -> bool:
        """Whether it does."""
        return any(all(holds(each, world.relations, self.domain)
                       for each in final_conditions(goal, self.domain)) for goal in self.goals)


@dataclass(frozen=True)
class Told:
    """A task in one layout."""

    sentence: Sentence
    seed: int

    @property
    def level(self) -> str:
        """``plain`` or ``harder``."""
        return PLAIN if self.sentence.kind == PLAIN else HARDER


@dataclass(frozen=True)
class _Layouts:
    config: Path
    sentence: Sentence
    first: int


def read_tasks(file: Path, limit: int = 0) -> List[Sentence]:
    """The tasks of a file of sentences, each of which can be done; so many of them, evenly spread.

    Args:
        limit: how many; 0 for all.

    Raises:
        ConfigError: for a wrong file, or a sentence without a goal.
    """
    tasks = read_sentences(file)
    aside = next((each for each in tasks if not each.goals), None)
    if aside is not None:
        raise ConfigError(f"{file}: '{aside.id}' asks for no motion; a task needs a goal")
    count = min(limit or len(tasks), len(tasks))
    return [tasks[number * len(tasks) // count] for number in range(count)]


def lay_out(config: Path, tasks: Sequence[Sentence], seed: int, trials: int, jobs: int) -> List[Told]:
    """Each task in so many layouts in none of which it is fulfilled from the start.

    Args:
        seed: of the first layout that is tried.

    Raises:
        ConfigError: for a scene that cannot be loaded, or a task that nothing is left to do for.
    """
    asked = [_Layouts(config, task, seed + number * _MOST_LAYOUTS) for task in tasks for number in range(trials)]
    told: List[Told] = []
    for each, result in zip(asked, run_all(_first_open, asked, jobs, "layouts")):
        if "crashed" in result:
            raise ConfigError(f"the task '{each.sentence.id}' cannot be told: {result['crashed']}")
        if result["seed"] is None:
            raise ConfigError(f"the task '{each.sentence.id}' is fulfilled from the start in the scene "
                              f"'{each.sentence.scene}'")
        told.append(Told(each.sentence, result["seed"]))
    return told


def _first_open(asked: _Layouts) -> Dict[str, Any]:
    for seed in range(asked.first, asked.first + _MOST_LAYOUTS):
        scene = load_scene(config_file("scenes", asked.sentence.scene, asked.config), seed)
        domain = load_domain(config_file("domains", scene.domain, asked.config))
        world = EmbeddedWorld(scene, seed, domain=domain)
        world.settle(1.0)
        reached = Reached(asked.sentence.goals, domain)
        if not holds_in_truth(reached, world.true_frames(), scene, domain, world.time):
            return {"seed": seed}
    return {"seed": None}


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
