"""Failures as a detector would report them, for tests of those who read them."""

from __future__ import annotations

from typing import Any

from hicrisp_core.domain import Domain
from hicrisp_core.domain.wording import Words, words_of
from hicrisp_core.model import Cause, CauseKind, Feedback, FeedbackKind, Level, Step, StepRecord, WorldState
from tabletop import steps


def failure(
    domain: Domain, world: WorldState, command: str, kind: FeedbackKind, said: str = "", **more: Any
) -> Feedback:
    """A command, such as ``pick(panda, box)``, that failed in some way; ``said`` are a driver's words."""
    level = Level.LOW if kind.value in ("planning", "execution", "timeout") else Level.HIGH
    cause = Cause(CauseKind.UNKNOWN, said=said) if said else None
    return Feedback(level, kind, domain.ground(steps(domain, command)[0], world), cause=cause, **more)


def no_motion(domain: Domain, world: WorldState, command: str, said: str = "", **more: Any) -> Feedback:
    """A command for which no motion was found."""
    return failure(domain, world, command, FeedbackKind.PLANNING, said, **more)


def done(domain: Domain, *commands: str) -> "tuple[StepRecord, ...]":
    """Steps that were carried out; what is no command is only words."""
    return tuple(StepRecord(steps(domain, text)[0] if "(" in text else Step(text, "")) for text in commands)


def words(domain: Domain, feedback: Feedback) -> Words:
    """A failure in the domain's words."""
    assert feedback is not None
    return words_of(feedback, domain)
