"""What a task has done and used so far: counts, times, and the events by which others follow it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

from hicrisp_core.brain.ports import Usage
from hicrisp_core.executive.policy import Budget
from hicrisp_core.model import Feedback, Rung, StackEntry, Vector

Event = Dict[str, Any]
Listener = Callable[[Event], None]


@dataclass(frozen=True)
class Failure:
    """One verdict that was not ok: the step's sentence, the level and kind, and the sentence of the error."""

    step: str
    level: str
    kind: str
    error: str


@dataclass(frozen=True)
class TaskResult:
    """How a task ended."""

    success: bool
    message: str
    plan: Tuple[str, ...] = ()
    steps_executed: int = 0
    corrections: Dict[str, int] = field(default_factory=dict)
    failures: Tuple[Failure, ...] = ()
    llm_calls: int = 0
    tokens: int = 0
    placement_error_m: Optional[float] = None
    first_motion_s: Optional[float] = None
    wall_s: float = 0.0
    sim_s: float = 0.0
    canceled: bool = False
    done: Tuple[str, ...] = ()
    """The steps that were carried out and hold, as sentences."""


class Ledger:
    """Counts, and tells the listener; the executive's only memory besides the plan and the stack."""

    def __init__(self, budget: Budget, on_event: Listener) -> None:
        self._budget = budget
        self._on_event = on_event
        self._start = time.monotonic()
        self._sim_start: Optional[float] = None
        self._sim_now = 0.0
        self.corrections: Dict[str, int] = {}
        self.failures: List[Failure] = []
        self.commands = 0
        self.usage = Usage()
        self.placement_error: Optional[float] = None
        self.first_motion: Optional[float] = None

    def tell(self, kind: str, **fields: Any) -> None:
        """Send one event."""
        self._on_event({"kind": kind, "t": round(self.seconds, 4), "sim_t": round(self.sim_seconds, 4), **fields})

    @property
    def seconds(self) -> float:
        """Wall seconds since the task began."""
        return time.monotonic() - self._start

    @property
    def sim_seconds(self) -> float:
        """Seconds of the robot's clock between the first and the latest observation."""
        return 0.0 if self._sim_start is None else self._sim_now - self._sim_start

    def saw(self, stamp: float) -> None:
        """Note the robot's clock from an observation."""
        self._sim_now = stamp
        if self._sim_start is None:
            self._sim_start = stamp

    def moved(self) -> None:
        """Note that a command was sent to a robot."""
        self.commands += 1
        if self.first_motion is None:
            self.first_motion = self.seconds

    def placed(self, deviation: Optional[Vector]) -> None:
        """Note the latest placement's error in the plane."""
        if deviation is not None:
            self.placement_error = math.hypot(deviation[0], deviation[1])

    def failed(self, step: str, feedback: Feedback) -> None:
        """Note a verdict that was not ok."""
        self.failures.append(Failure(step, feedback.level.value, feedback.kind, feedback.error))

    def corrected(self, rung: Rung) -> None:
        """Count a correction."""
        self.corrections[rung.value] = self.corrections.get(rung.value, 0) + 1

    def used(self, usage: Usage) -> None:
        """Add what a model's answer cost."""
        if usage.calls:
            self.usage = self.usage + usage
            self.tell("usage", calls=self.usage.calls, prompt_tokens=self.usage.prompt_tokens,
                      completion_tokens=self.usage.completion_tokens, seconds=self.usage.seconds)

    def stack(self, entries: Tuple[StackEntry, ...], said: Callable[[Any], str]) -> None:
        """Tell how the feedback stack stands, bottom first."""
        self.tell("stack", entries=[
            {"command": said(entry.command), "error": entry.feedback.error, "attempts": entry.attempts}
            for entry in entries])

    def exhausted(self) -> str:
        """Which budget is used up, as a sentence; empty while all last."""
        used = (
            (self.usage.calls, self._budget.llm_calls, "calls to the language model"),
            (self.usage.tokens, self._budget.tokens, "tokens"),
            (self.seconds, self._budget.seconds, "seconds"),
            (sum(self.corrections.values()), self._budget.corrections, "corrections"),
        )
        for amount, limit, what in used:
            if amount >= limit and amount > 0:
                return f"the task's budget of {limit:g} {what} is used up"
        return ""

    def result(
        self, success: bool, message: str, plan: Tuple[str, ...], canceled: bool = False, done: Tuple[str, ...] = ()
    ) -> TaskResult:
        """The task's result as it stands now."""
        return TaskResult(
            success, message, plan, self.commands, dict(self.corrections), tuple(self.failures), self.usage.calls,
            self.usage.tokens, self.placement_error, self.first_motion, self.seconds, self.sim_seconds, canceled, done)
