"""Who is asked what a sentence means: the brain's translator, with a model or without."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, Mapping, Optional, Tuple, Union

from hicrisp_core.brain.goal_model import GoalModel, Meaning
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.brain.translator import Translated, Translator
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.goal_words import goal_words
from hicrisp_core.domain.schema import Domain
from hicrisp_core.language.facts import FactReader
from hicrisp_core.language.front_ends import Form, form_of
from hicrisp_core.llm.chat_model import ChatModel
from hicrisp_core.model import Plan, Relation, Task
from hicrisp_core.model.goal import AnswerOnly, Ask, Goal, Holds, NoGoal, Refuse
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
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


@dataclass(frozen=True)
class Listener:
    """Who understands sentences.

    Args:
        model: asked where the grammar leaves a sentence to it; ``None`` for the grammar alone.
        prompt: the folder of the model's prompt.
        grammar: ``first``, ``doubt`` or ``off``, as in a policy.
        limit: seconds for one sentence.
        ask_below: goals that the model finds less likely than this are asked back.
        read_back: whether goals are compared with near ones by how likely the request is for each.
    """

    model: Optional[ChatModel]
    prompt: Path
    grammar: str
    limit: float
    ask_below: float = 0.0
    read_back: bool = False


class Reader:
    """Reads sentences as the brain does before it plans."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._translators: Dict[str, Translator] = {}

    def read(self, text: str, setting: Setting) -> Reply:
        """What a sentence means in a setting; an answer that cannot be used is as good as a refusal.

        Where the grammar's plan says no goal, what it understood are the facts that the plan makes and that
        last.
        """
        translator = self._translator(setting.domain)
        began = time.perf_counter()
        known = translator.translate(PlanRequest(Task(text), setting.world), Deadline(self._listener.limit))
        seconds = time.perf_counter() - began
        reply = _read(known.read, text, setting) if known.meaning is None else _meant(known)
        return replace(reply, seconds=seconds,
                       tokens=(known.usage.prompt_tokens, known.usage.completion_tokens))

    def _translator(self, domain: Domain) -> Translator:
        if domain.name not in self._translators:
            listener, offline = self._listener, OfflineBrain(domain)
            model = None if listener.model is None else GoalModel(
                listener.model, domain, GoalPrompt(listener.prompt), offline, listener.ask_below,
                listener.read_back)
            self._translators[domain.name] = Translator(domain, model, offline, listener.grammar)
        return self._translators[domain.name]


def _read(answer: Optional[PlanAnswer], text: str, setting: Setting) -> Reply:
    """What the grammar read."""
    if answer is None:
        return Reply(Refuse())
    if answer.plan is not None:
        steps = "; ".join(step.text for step in answer.plan.steps)
        return Reply(answer.plan.goal or _made_by(answer.plan, setting), steps)
    if answer.refusal:
        return Reply(Refuse(), answer.refusal)
    if answer.question is not None:
        which = tuple("_".join(each.text.split()) for each in answer.question.choices)
        return Reply(Ask(which), answer.question.text)
    question = form_of(text, setting.domain, FactReader(setting.domain)) is Form.QUESTION
    return Reply(AnswerOnly() if question else SoAlready(), answer.answer)


def _meant(known: Translated) -> Reply:
    """What a model understood, with the question that the user is asked about its goal."""
    meaning = known.meaning or Meaning()
    understood = meaning.understood or Refuse(NoGoal.IMPOSSIBLE)
    doubted = understood if isinstance(understood, Goal) and known.end is not None else None
    return Reply(Ask() if doubted else understood, meaning.trouble, doubted=doubted, sure=meaning.sure)


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
