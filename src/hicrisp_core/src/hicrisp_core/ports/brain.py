"""The interface of a brain: what it is asked and what it answers, whichever backend it has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Protocol, Tuple, runtime_checkable

from hicrisp_core.model import Feedback, Plan, StackEntry, Step, StepRecord, Task, TriedCommand, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.meaning import Turn
from hicrisp_core.model.remembered import Remembered
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.exchange import Exchange


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
            self.calls + other.calls, self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens, self.seconds + other.seconds,
            self.exchanges + other.exchanges,
        )

    @property
    def tokens(self) -> int:
        """Return the sum of prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class PlanRequest:
    """A plan is wanted: for a new task, or from the failed step on.

    Args:
        task: the user's words.
        conversation: what was asked back and answered, and what was said while the task ran, in its order.
        world: what is seen now.
        feedback: why the last plan failed, latest last; empty for a new task.
        done: the steps that were carried out and hold, and those that go on elsewhere.
        remaining: the steps of the last plan from the failed one on.
        history: what was said and done before this task, oldest first.
        feedback_level: ``what``, ``why`` or ``how``: how much of ⟨error, reason, suggestion⟩ a model is told.
        goal: what the task means, if that is known; a brain that plans by search needs it.
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
    conversation: Tuple[Turn, ...] = ()


@dataclass(frozen=True)
class CorrectionRequest:
    """A corrective action is wanted (HiCRISP, Algorithm 1, line 8): the stack's top failed, latest entry
    last.

    Args:
        stack: the failed commands, bottom first.
        world: what is seen now.
        done: the steps that were carried out, and those that go on elsewhere.
        remaining: the plan's steps from the one that is corrected on.
        goal: what the task means, where that is known.
        conversation: what was said about the task since it was submitted.
        tried: the commands that were tried for that step, in their order.
    """

    task: Task
    stack: Tuple[StackEntry, ...]
    world: WorldState
    done: Tuple[StepRecord, ...] = ()
    remaining: Tuple[Step, ...] = ()
    goal: Optional[Goal] = None
    conversation: Tuple[Turn, ...] = ()
    tried: Tuple[TriedCommand, ...] = ()
    feedback_level: str = "how"


@dataclass(frozen=True)
class PlanAnswer:
    """A plan, or an answer for the user, or a refusal.

    Exactly one of ``plan``, ``answer``, ``refusal`` and ``needs_goal`` is set.

    Args:
        needs_goal: whether this brain plans only to a goal, and was given none.
        drop: of a correction, whether the failed command is not wanted any more; the last of the plan's steps stands in
            for it, if there are any.
    """

    plan: Optional[Plan] = None
    answer: str = ""
    refusal: str = ""
    needs_goal: bool = False
    drop: bool = False
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
        """Plan a task, or the rest of it after a failure.

        Args:
            request: the task, the observed world and what happened so far.
            deadline: wall time by which the answer is due.

        Returns:
            A plan, an answer for the user, a refusal, or the note that a goal is needed first.
        """

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Find steps that lead to a state in which the failed command can be retried.

        Args:
            request: the feedback stack, whose last entry is to be corrected, and the observed world.
            deadline: wall time by which the answer is due.

        Returns:
            The corrective steps as a plan, that the failed command is to be left out, or a refusal.
        """


@runtime_checkable
class Reporter(Protocol):
    """Tells the user how a task ended, in the user's words (CoPAL, section III-A)."""

    def report(self, request: ReportRequest, deadline: Deadline) -> ReportAnswer:
        """Word the end of a task for the user.

        Args:
            request: how the task ended and the plain message.
            deadline: wall time by which the answer is due.

        Returns:
            The words for the user; an empty text if the plain message is to be used.
        """
