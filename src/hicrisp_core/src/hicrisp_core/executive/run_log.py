"""What a task has done and used so far: counts, times, and the events by which others follow it."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Set, Tuple

from hicrisp_core.domain import Domain, words_of
from hicrisp_core.model import Command, Feedback, Maker, StackEntry, Turn, Vector
from hicrisp_core.model.feedback import feedback_record
from hicrisp_core.policy.policy import Budget
from hicrisp_core.ports.brain import Usage
from hicrisp_core.trace.events import Event, UsageSoFar
from hicrisp_core.trace.records import FailureRecord, FeedbackRecord

Listener = Callable[[Dict[str, Any]], None]
"""Called with every event as it is written: a JSON object."""
_SECONDS, _CORRECTING = "seconds", "seconds for corrections"
_GOAL, _LEFT = "/goal", "/left"
"""In trouble besides robots: what the finished steps were to make, and steps that others stand for now."""
_ASKED = 0.5
"""Least wall time that counts as waiting for a person or a model, seconds."""


@dataclass(frozen=True)
class TaskResult:
    """How a task ended."""

    success: bool
    message: str
    plan: Tuple[str, ...] = ()
    steps_executed: int = 0
    corrections: Dict[str, int] = field(default_factory=dict)
    failures: Tuple[FailureRecord, ...] = ()
    llm_calls: int = 0
    tokens: int = 0
    placement_error_m: Optional[float] = None
    first_motion_s: Optional[float] = None
    wall_s: float = 0.0
    sim_s: float = 0.0
    canceled: bool = False
    done: Tuple[str, ...] = ()
    """The steps that were carried out and hold, as sentences; begun and given up; not begun for those."""
    given_up: Tuple[str, ...] = ()
    not_begun: Tuple[str, ...] = ()
    goal: str = ""
    """What is known of the goal: ``seen``, ``missed``, ``unknown``; empty if it was not judged."""
    looks: int = 0
    """How often the camera looked once more on purpose."""
    corrected_by: Dict[str, int] = field(default_factory=dict)
    """The corrections by who made them: a model by its name, ``search``, ``offline``, ``decoder``, ``person``,
    ``memory``."""
    conversation: Tuple[Turn, ...] = ()
    """What was said about the task, its first words included."""


@dataclass(frozen=True)
class _Failure:
    """A verdict that was not ok; ``step`` and ``error`` in words. A missed goal has no command."""

    command: Optional[Command]
    feedback: Feedback
    step: str
    error: str


@dataclass
class _Counts:
    """What was counted so far; every view of a ledger shares it."""

    commands: int = 0
    usage: Usage = field(default_factory=Usage)
    corrections: Dict[str, int] = field(default_factory=dict)
    corrected_by: Dict[str, int] = field(default_factory=dict)
    failures: List[_Failure] = field(default_factory=list)
    placement_error: Optional[float] = None
    first_motion: Optional[float] = None
    looks: int = 0
    sim_start: Optional[float] = None
    sim_now: float = 0.0
    correcting: float = 0.0
    """Seconds of the robot's clock in which something was in trouble."""
    trouble: Set[str] = field(default_factory=set)
    """The robots whose step failed and has not been repaired, ``_GOAL`` and ``_LEFT``."""
    waits: int = 0
    """How many wait for a person now."""
    wait_began: float = 0.0
    waited: float = 0.0
    """Wall time spent waiting for a person, seconds."""
    sim_waited: float = 0.0
    """Seconds of the robot's clock, not among ``sim_thought``, in which a person or a thought was waited for."""
    thought: float = 0.0
    """Wall time spent on computation since the latest observation, which was at ``seen_at``, seconds."""
    seen_at: float = 0.0
    sim_thought: float = 0.0
    """Simulation time that passed during computation, seconds."""
    was_asked: bool = False
    """Whether a person was waited for since the latest observation; and whether a computation ran."""
    was_thought: bool = False


class RunLog:
    """Counts, and tells the listener; the executive's only memory besides the plan and the stack.

    Steps of several robots may write at once; the listener hears one event at a time.
    """

    def __init__(self, budget: Budget, on_event: Listener) -> None:
        self._budget = budget
        self._on_event = on_event
        self._start = time.monotonic()
        self._counts = _Counts()
        self._lock = RLock()
        self._tags: Dict[str, Any] = {}

    def within(self, **tags: Any) -> "RunLog":
        """Return a view for one step.

        Args:
            **tags: fields that every event of the view gets.

        Returns:
            The view; counters are shared.
        """
        view = copy(self)
        view._tags = {**self._tags, **tags}
        return view

    def tell(self, event: Event) -> None:
        """Send an event with the time and the tags of this view; fields that the event sets itself take
        precedence.

        Args:
            event: kind and fields; time and tags are added.
        """
        with self._lock:
            tags = {name: value for name, value in self._tags.items() if getattr(event, name) in (None, "")}
            self._on_event(event.as_dict(t=round(self.seconds, 4), sim_t=round(self.sim_seconds, 4), **tags))

    @property
    def failures(self) -> Tuple[FailureRecord, ...]:
        """The verdicts that were not ok, oldest first."""
        return tuple(FailureRecord(
            each.step, each.feedback.level.value, each.feedback.kind.value, each.error, each.feedback.label,
            each.feedback.subjects, each.feedback.cause.kind.value if each.feedback.cause is not None else "")
            for each in self._counts.failures)

    @property
    def failed_commands(self) -> Tuple[StackEntry, ...]:
        """The commands of these verdicts, as data."""
        return tuple(StackEntry(failure.command, failure.feedback) for failure in self._counts.failures
                     if failure.command is not None)

    @property
    def calls(self) -> int:
        """How often a model was asked."""
        return self._counts.usage.calls

    @property
    def seconds(self) -> float:
        """Wall time since the start of the task, seconds."""
        return time.monotonic() - self._start

    @property
    def sim_seconds(self) -> float:
        """Simulation time between the first and the latest observation, without long computations, seconds."""
        counts = self._counts
        return 0.0 if counts.sim_start is None else counts.sim_now - counts.sim_start - counts.sim_thought

    def saw(self, stamp: float) -> None:
        """Record the robot's clock.

        Args:
            stamp: simulation time of an observation, seconds.
        """
        with self._lock:
            counts = self._counts
            if counts.sim_start is None:
                counts.sim_start = counts.sim_now = stamp
            passed, seen_at = stamp - counts.sim_now, time.monotonic()
            if counts.thought > _ASKED:
                thought = passed * min(1.0, counts.thought / max(seen_at - counts.seen_at, _ASKED))
                counts.sim_thought, passed = counts.sim_thought + thought, passed - thought
            if counts.was_asked or counts.was_thought:
                counts.sim_waited += passed
            elif counts.trouble:
                counts.correcting += passed
            counts.sim_now, counts.was_asked, counts.was_thought = stamp, counts.waits > 0, False
            counts.seen_at, counts.thought = seen_at, 0.0

    @contextmanager
    def for_a_person(self) -> Iterator[None]:
        """Provide a context in which time spent waiting for a person is not charged."""
        counts = self._counts
        with self._lock:
            counts.waits += 1
            if counts.waits == 1:
                counts.wait_began = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                counts.waits -= 1
                waited = time.monotonic() - counts.wait_began if not counts.waits else 0.0
                counts.waited += waited
                counts.was_asked = counts.was_asked or waited > _ASKED

    def moved(self) -> None:
        """Record that a command was sent to a robot."""
        with self._lock:
            self._counts.commands += 1
            if self._counts.first_motion is None:
                self._counts.first_motion = self.seconds

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Provide a context in which computation is charged in wall time, and not in simulation time."""
        began = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._counts.was_thought = True
                self._counts.thought += time.monotonic() - began

    @property
    def person_was_asked(self) -> bool:
        """Whether a person was waited for since the latest observation."""
        return self._counts.was_asked

    def looked(self) -> None:
        """Record a deliberate observation; it is not a step."""
        with self._lock:
            self._counts.looks += 1

    def placed(self, deviation: Optional[Vector]) -> None:
        """Record the error of the latest placement.

        Args:
            deviation: from the target, metres; ``None`` changes nothing.
        """
        if deviation is not None:
            self._counts.placement_error = math.hypot(deviation[0], deviation[1])

    def failed(self, command: Optional[Command], feedback: Feedback, step: str, error: str) -> None:
        """Record a verdict that was not ok.

        Args:
            command: the failed command; ``None`` for a missed goal.
            feedback: why it failed.
            step: the step in words.
            error: the error in words.
        """
        with self._lock:
            self._counts.trouble.add(self._tags.get("robot", _GOAL))
        self._counts.failures.append(_Failure(command, feedback, step, error))

    def mended(self, robot: str = _GOAL) -> None:
        """Record that a robot's step was carried out, or that a missed goal was repaired: the trouble is over.

        Args:
            robot: name of the robot; by default the goal.
        """
        with self._lock:
            self._counts.trouble -= {robot, _LEFT}

    def left(self, robot: str) -> None:
        """Record that a robot's step was abandoned; the next step that is carried out ends the trouble.

        Args:
            robot: name of the robot.
        """
        with self._lock:
            self._counts.trouble.discard(robot)
            self._counts.trouble.add(_LEFT)

    def begun_anew(self) -> None:
        """Record that earlier failures no longer matter."""
        with self._lock:
            self._counts.trouble.clear()

    def corrected(self, rung: str, maker: Maker) -> None:
        """Count a correction.

        Args:
            rung: the rung of the correction ladder.
            maker: who made it.
        """
        with self._lock:
            for counts, name in ((self._counts.corrections, rung), (self._counts.corrected_by, maker.label)):
                counts[name] = counts.get(name, 0) + 1

    def used(self, usage: Usage) -> None:
        """Add the cost of a model's answer.

        Args:
            usage: calls, tokens and exchanges.
        """
        with self._lock:
            for exchange in usage.exchanges:
                self.tell(exchange)
        if usage.calls:
            with self._lock:
                total = self._counts.usage = self._counts.usage + replace(usage, exchanges=())
            self.tell(UsageSoFar(calls=total.calls, prompt_tokens=total.prompt_tokens,
                                 completion_tokens=total.completion_tokens, seconds=total.seconds))

    def exhausted(self) -> str:
        """Return which budget is used up.

        Returns:
            A sentence; empty while all budgets last.
        """
        counts = self._counts
        used = (
            (counts.usage.calls, self._budget.llm_calls, "calls to the language model"),
            (counts.usage.tokens, self._budget.tokens, "tokens"),
            (self._used_seconds, self._budget.seconds, _SECONDS),
            (sum(tuple(counts.corrections.values())), self._budget.corrections, "corrections"),
            (counts.correcting, self._budget.correction_seconds, _CORRECTING),
        )
        return _used_up(used)

    def out_of_time(self) -> str:
        """Return which time budget is used up, so that nothing more may start.

        Returns:
            A sentence; empty while there is time.
        """
        correcting = self._counts.correcting if self._counts.trouble else 0.0
        return _used_up(((self._used_seconds, self._budget.seconds, _SECONDS),
                         (correcting, self._budget.correction_seconds, _CORRECTING)))

    @property
    def time_left(self) -> float:
        """Simulation time until the first time budget is used up, seconds, never negative."""
        left = self._budget.seconds - self._used_seconds
        if self._counts.trouble:
            left = min(left, self._budget.correction_seconds - self._counts.correcting)
        return max(0.0, left)

    @property
    def wall_left(self) -> float:
        """Wall time until the task's budget is used up, seconds, never negative."""
        return max(0.0, self._budget.seconds - self.seconds + self._counts.waited)

    @property
    def _used_seconds(self) -> float:
        counts = self._counts
        return max(self.seconds - counts.waited, self.sim_seconds - counts.sim_waited)

    def result(self) -> TaskResult:
        """Return what was counted so far as the result of a task that has not succeeded."""
        counts = self._counts
        return TaskResult(
            False, "", steps_executed=counts.commands, corrections=dict(counts.corrections), failures=self.failures,
            llm_calls=counts.usage.calls, tokens=counts.usage.tokens, placement_error_m=counts.placement_error,
            first_motion_s=counts.first_motion, wall_s=self.seconds, sim_s=self.sim_seconds, looks=counts.looks,
            corrected_by=dict(counts.corrected_by))


def _used_up(used: Iterable[Tuple[float, float, str]]) -> str:
    """Return the first amount that has reached its limit, as a sentence; empty if none has."""
    return next((f"the task's budget of {limit:g} {what} is used up" for amount, limit, what in used
                 if amount >= limit and amount > 0), "")


def in_words(feedback: Optional[Feedback], domain: Domain) -> Optional[FeedbackRecord]:
    """Convert feedback to a record for an event, with its sentences.

    Args:
        feedback: the feedback; may be ``None``.
        domain: types, predicates and actions of the application.

    Returns:
        The record; ``None`` without feedback.
    """
    if feedback is None:
        return None
    words = words_of(feedback, domain)
    return feedback_record(feedback, words.error, words.reason, words.suggestion)
