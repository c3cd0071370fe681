"""The interface of a brain: what it is asked and what it answers, whichever backend it has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Protocol, Tuple, runtime_checkable

from hicrisp_core.model import Feedback, Plan, StackEntry, Step, StepRecord, Task, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchanges import Exchange


@dataclass(frozen=True)
class Usage:
    """What an answer cost, and the exchanges with the model behind it."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    exchanges: Tuple[Exchange, ...] = field(default=(), compare=False, repr=False)

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            self.exchanges + other.exchanges,
        )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class PlanRequest:
    """A plan is wanted: for a new task, or from the failed step on.

    Args:
        task: the user's words.
        world: what is seen now.
        feedback: why the last plan failed, latest last; empty for a new task.
        done: the steps that were carried out and hold, and those that go on elsewhere.
        remaining: the steps of the last plan from the failed one on.
        history: what was said and done before this task, oldest first (see
            :mod:`hicrisp_core.brain.dialogue`).
        feedback_level: ``what``, ``why`` or ``how``: how much of ⟨error, reason, suggestion⟩ a model is told.
        goal: what the task means, where that is known already; then nobody is asked for it again.
        examples: earlier tasks that went well, the most alike last; whoever shows one to a model fences it
            off.
    """

    task: Task
    world: WorldState
    feedback: Tuple[Feedback, ...] = ()
    done: Tuple[StepRecord, ...] = ()
    remaining: Tuple[Step, ...] = ()
    history: Tuple[str, ...] = ()
    feedback_level: str = "how"
    goal: Optional[Goal] = None
    examples: Tuple[Remembered, ...] = ()


@dataclass(frozen=True)
class CorrectionRequest:
    """A corrective action is wanted (HiCRISP, Algorithm 1, line 8): the stack's top failed, latest entry
    last.
    """

    task: Task
    world: WorldState
    stack: Tuple[StackEntry, ...]
    feedback_level: str = "how"


@dataclass(frozen=True)
class Choice:
    """One answer to a question: its words, and the goal that it means, where that is known already."""

    text: str
    goal: Optional[Goal] = None


@dataclass(frozen=True)
class Question:
    """What the user is asked where a task has several readings; an answer in other words is one, too."""

    text: str
    choices: Tuple[Choice, ...] = ()

    def chosen(self, said: str) -> Optional[Choice]:
        """The choice that an answer means, by its number from 1 or by its words; ``None`` for other words."""
        words = " ".join(said.replace("_", " ").lower().split())
        if words.isdigit():
            return self.choices[int(words) - 1] if 0 < int(words) <= len(self.choices) else None
        bare = words[4:] if words.startswith("the ") else words
        return next((each for each in self.choices if each.text.lower() in (words, bare)), None)


@dataclass(frozen=True)
class PlanAnswer:
    """A plan, or an answer for the user, or a question to the user, or a refusal with what would have been
    understood.

    Exactly one of ``plan``, ``answer``, ``question`` and ``refusal`` is set.
    """

    plan: Optional[Plan] = None
    answer: str = ""
    refusal: str = ""
    question: Optional[Question] = None
    alternatives: Tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class ReportRequest:
    """The user is to be told how a task ended.

    Args:
        message: the plain words for it.
        done: the steps that were carried out and hold.
        failures: what went wrong on the way, oldest first.
        history: what was said and done before this task, oldest first.
    """

    task: Task
    success: bool
    message: str
    done: Tuple[StepRecord, ...] = ()
    failures: Tuple[StackEntry, ...] = ()
    history: Tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportAnswer:
    """What the user is told; no text where the model gave none, so that the plain message stands."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)


class Brain(Protocol):
    """Plans tasks and corrects steps."""

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The steps of the task, from the world as it is now."""

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The steps that lead to a state in which the stack's top can be tried again."""


@runtime_checkable
class Understander(Protocol):
    """Says what a new task means, without a plan to it."""

    def meaning(self, request: PlanRequest, deadline: Deadline) -> Optional[PlanAnswer]:
        """A plan without steps whose goal is what the task means, or a question, an answer or a refusal;
        ``None`` where nobody knows.
        """


@runtime_checkable
class Reporter(Protocol):
    """Tells the user how a task ended, in the user's words (CoPAL, section III-A)."""

    def report(self, request: ReportRequest, deadline: Deadline) -> ReportAnswer:
        """The words for the user."""
