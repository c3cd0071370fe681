"""What a task can be doing, and how it can have ended."""

from __future__ import annotations

from enum import Enum


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
