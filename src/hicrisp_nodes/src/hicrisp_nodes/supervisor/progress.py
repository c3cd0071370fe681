"""Where a task stands, folded from the executive's events; no ROS in here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Mapping


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


ENDED = frozenset({State.SUCCEEDED, State.FAILED, State.REFUSED, State.CANCELED, State.ANSWERED})


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

    def ended(self, state: State, message: str) -> "Progress":
        """The end of the task."""
        return replace(self, state=state, message=message)

    def after(self, event: Mapping[str, Any]) -> "Progress":
        """The progress once an event of the executive has happened."""
        kind = event.get("kind")
        if kind == "task_received":
            return replace(self, state=State.PLANNING)
        if kind == "waiting":
            return replace(self, message=str(event.get("text", "")))
        if kind == "plan":
            count = int(event.get("from_step") or 0) + len(event.get("steps", ()))
            return replace(self, state=State.RUNNING, step_count=count, message="")
        if kind == "step_started":
            index, text = int(event.get("index", 0)), str(event.get("text", ""))
            return replace(self, state=State.RUNNING, step_index=index, step=text)
        if kind == "correction":
            return replace(self, state=State.CORRECTING, corrections=self.corrections + 1,
                           message=str(event.get("note", "")))
        if kind == "stack":
            depth = len(event.get("entries", ()))
            state = self.state
            if state in (State.RUNNING, State.CORRECTING):
                state = State.CORRECTING if depth else State.RUNNING
            return replace(self, stack_depth=depth, state=state)
        if kind == "answer":
            return self.ended(State.ANSWERED, str(event.get("text", "")))
        if kind == "refused":
            return self.ended(State.REFUSED, refusal(event))
        if kind == "task_finished" and self.state not in (State.ANSWERED, State.REFUSED):
            state = State.SUCCEEDED if event.get("success") else State.FAILED
            state = State.CANCELED if event.get("canceled") else state
            return self.ended(state, str(event.get("message", "")))
        return self


def refusal(event: Mapping[str, Any]) -> str:
    """A refusal and what to try instead, in one text."""
    text = str(event.get("text", ""))
    alternatives = [str(alternative) for alternative in event.get("alternatives", ())]
    return f"{text} Try, for example: {'; '.join(alternatives)}." if alternatives else text
