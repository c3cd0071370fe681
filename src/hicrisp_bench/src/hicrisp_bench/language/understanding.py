"""Who is asked what a sentence means: the grammar, a language model, or the one where the other refuses."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Dict, Mapping, Optional, Protocol, Tuple, Union

from hicrisp_core.brain.goal_model import GoalModel
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.goal_words import goal_words
from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.facts import FactReader
from hicrisp_core.language.front_ends import Form, form_of
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.model import Plan, Relation, Task
from hicrisp_core.model.goal import AnswerOnly, Ask, Goal, Holds, NoGoal, Refuse
from hicrisp_core.ports.brain import PlanRequest
from hicrisp_core.prompting.goal_prompt import GoalPrompt
from hicrisp_core.time.deadline import Deadline

from hicrisp_bench.language.scenes import Setting


@dataclass(frozen=True)
class SoAlready:
    """Nothing needs to be done, as it is so already."""


Understood = Union[Goal, Ask, Refuse, AnswerOnly, SoAlready]


@dataclass(frozen=True)
class Reply:
    """What was understood, and what it cost.

    Args:
        said: the grammar's steps or answer, or why a model's answer cannot be used.
        doubted: the goal that was asked back about; ``None`` where none was.
        sure: how likely the model found its answer, 0 to 1; ``None`` where nobody said.
    """

    understood: Understood
    said: str = ""
    seconds: float = 0.0
    tokens: Tuple[int, int] = (0, 0)
    """Of the prompt and of the answer."""
    doubted: Optional[Goal] = None
    sure: Optional[float] = None


class Reader(Protocol):
    """Understands sentences."""

    def read(self, text: str, setting: Setting) -> Reply:
        """What a sentence means in a setting."""


@dataclass
class GrammarReader:
    """The grammar of the offline brain.

    Where its plan says no goal, what it understood are the facts that the plan makes and that last.
    """

    limit: float = 20.0
    """Seconds for one sentence."""
    _brains: Dict[str, OfflineBrain] = field(default_factory=dict)

    def read(self, text: str, setting: Setting) -> Reply:
        """What a sentence means in a setting."""
        brain = self._brains.setdefault(setting.domain.name, OfflineBrain(setting.domain))
        began = time.perf_counter()
        answer = brain.read(PlanRequest(Task(text), setting.world), Deadline(self.limit))
        seconds = time.perf_counter() - began
        if answer is None:
            return Reply(Refuse(), "", seconds)
        if answer.plan is not None:
            steps = "; ".join(step.text for step in answer.plan.steps)
            return Reply(answer.plan.goal or _made_by(answer.plan, setting), steps, seconds)
        if answer.refusal:
            return Reply(Refuse(), answer.refusal, seconds)
        if answer.question is not None:
            which = tuple("_".join(each.text.split()) for each in answer.question.choices)
            return Reply(Ask(which), answer.question.text, seconds)
        question = form_of(text, setting.domain, FactReader(setting.domain)) is Form.QUESTION
        return Reply(AnswerOnly() if question else SoAlready(), answer.answer, seconds)


class ModelReader:
    """A language model that is asked for the goal, as the brain asks it.

    Args:
        prompt: the folder of the prompt.
        limit: seconds for one sentence.
        ask_below: goals that the model finds less likely than this are asked back.
        read_back: whether goals are compared with near ones by how likely the request is for each.
    """

    def __init__(self, model: ChatModel, prompt: Path, limit: float, ask_below: float = 0.0,
                 read_back: bool = False) -> None:
        self._ask_below = ask_below
        self._read_back = read_back
        self._model = model
        self._prompt = GoalPrompt(prompt)
        self._limit = limit
        self._models: Dict[str, GoalModel] = {}

    def read(self, text: str, setting: Setting) -> Reply:
        """What a sentence means in a setting; an answer that cannot be used is as good as a refusal."""
        known = self._models.setdefault(setting.domain.name,
                                        GoalModel(self._model, setting.domain, self._prompt,
                                                  OfflineBrain(setting.domain), self._ask_below,
                                                  self._read_back))
        began = time.perf_counter()
        meaning = known.understand(text, setting.world, Deadline(self._limit))
        doubted = meaning.understood if meaning.doubtful and isinstance(meaning.understood, Goal) else None
        understood = Ask() if doubted else meaning.understood or Refuse(NoGoal.IMPOSSIBLE)
        return Reply(understood, meaning.trouble, time.perf_counter() - began,
                     (meaning.usage.prompt_tokens, meaning.usage.completion_tokens), doubted, meaning.sure)


@dataclass(frozen=True)
class EitherReader:
    """One reader, and another where that one refuses."""

    first: Reader
    second: Reader

    def read(self, text: str, setting: Setting) -> Reply:
        """What a sentence means in a setting."""
        one = self.first.read(text, setting)
        if not isinstance(one.understood, Refuse):
            return one
        other = self.second.read(text, setting)
        return replace(other, seconds=one.seconds + other.seconds)


def in_words(understood: Understood, domain: Domain) -> str:
    """What was understood, for people."""
    if isinstance(understood, Goal):
        return goal_words(understood, domain)
    if isinstance(understood, Ask):
        return f"asks back: {', '.join(understood.which) or 'unclear'}"
    if isinstance(understood, Refuse):
        return f"refuses: {understood.why.value}"
    return "answers" if isinstance(understood, AnswerOnly) else "says that it is so already"


def conditions(understood: Understood) -> Mapping[str, Tuple[str, ...]]:
    """The conditions that were understood, in writing."""
    return understood.texts if isinstance(understood, Goal) else {}


def _made_by(plan: Plan, setting: Setting) -> Goal:
    world = setting.world
    for step in plan.steps:
        world = apply_effects(setting.domain, setting.domain.ground(step, world), world)
    made = sorted(world.relations - setting.world.relations)
    return Goal(tuple(Holds(Relation(*fact)) for fact in made))
