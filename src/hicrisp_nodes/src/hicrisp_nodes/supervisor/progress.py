"""Where a task stands, folded from the executive's events; no ROS in here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Mapping, Tuple

from hicrisp_core.trace.events import (
    Answered,
    CorrectionMade,
    GoalUnderstood,
    PlanMade,
    Refused,
    StackChanged,
    StepStarted,
    TaskFinished,
    TaskReceived,
    UserSaid,
    Waiting,
)
from hicrisp_core.trace.read_event import event_of


class State(Enum):
    """The states of a task, named as in the message TaskStatus."""

    QUEUED = "queued"
    PLANNING = "planning"
    RUNNING = "running"
    CORRECTING = "correcting"
    AWAITING_APPROVAL = "awaiting approval"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REFUSED = "refused"
    CANCELED = "canceled"
    ANSWERED = "answered"
    ASKING = "asking"
    INTERRUPTED = "interrupted"


ENDED = frozenset({State.SUCCEEDED, State.FAILED, State.REFUSED, State.CANCELED, State.ANSWERED,
                   State.INTERRUPTED})


@dataclass(frozen=True)
class Progress:
    """One moment of a task.

    Args:
        step_index: the current step, from 0.
        stack_depth: entries of the feedback stack.
    """

    state: State = State.QUEUED
    step_index: int = 0
    step_count: int = 0
    step: str = ""
    stack_depth: int = 0
    corrections: int = 0
    message: str = ""
    run_folder: str = ""
    goal: str = ""
    """What the task means, in words."""
    goal_state: str = ""
    said: Tuple[str, ...] = ()
    """What the user said while it ran, each with what became of it."""

    def ended(self, state: State, message: str) -> "Progress":
        """End the task.

        Args:
            state: how it ended.
            message: for the user.

        Returns:
            The final progress.
        """
        return replace(self, state=state, message=message)

    def after(self, entry: Mapping[str, Any]) -> "Progress":
        """Advance by an event of the executive.

        Args:
            entry: an event as it is written.

        Returns:
            The progress afterwards.
        """
        event = event_of(entry)
        if isinstance(event, TaskReceived):
            return replace(self, state=State.PLANNING)
        if isinstance(event, Waiting):
            return replace(self, message=event.text)
        if isinstance(event, GoalUnderstood):
            return replace(self, goal=event.said, goal_state="" if event.known else "unknown")
        if isinstance(event, UserSaid):
            told = f'"{event.text}": {event.reply or event.effect}'
            return replace(self, said=(*self.said, told), message=event.reply)
        if isinstance(event, PlanMade):
            return replace(self, state=State.RUNNING, step_count=event.from_step + len(event.steps),
                           message="")
        if isinstance(event, StepStarted):
            return replace(self, state=State.RUNNING, step_index=event.index or 0, step=event.text)
        if isinstance(event, CorrectionMade):
            return replace(self, state=State.CORRECTING, corrections=self.corrections + 1, message=event.note)
        if isinstance(event, StackChanged):
            state = self.state
            if state in (State.RUNNING, State.CORRECTING):
                state = State.CORRECTING if event.entries else State.RUNNING
            return replace(self, stack_depth=len(event.entries), state=state)
        if isinstance(event, Answered):
            return self.ended(State.ANSWERED, event.text)
        if isinstance(event, Refused):
            return self.ended(State.REFUSED, refusal(event))
        if isinstance(event, TaskFinished) and self.state not in (State.ANSWERED, State.REFUSED):
            state = State.SUCCEEDED if event.success else \
                State.INTERRUPTED if event.interrupted else State.FAILED
            return replace(self, goal_state=event.goal).ended(State.CANCELED if event.canceled else state,
                                                              event.message)
        return self


def refusal(event: Refused) -> str:
    """Write a refusal with sentences to try.

    Args:
        event: the refusal.

    Returns:
        One text.
    """
    options = "; ".join(event.alternatives)
    return f"{event.text} Try, for example: {options}." if options else event.text
