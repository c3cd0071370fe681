"""Algorithm 1 of HiCRISP for one failed command: correct it inside the step, with the feedback stack.

The printed algorithm never leaves its loop when the stack is empty; this one does. Corrections may be several
commands (section III-B). What a correction changed stays changed: the world is observed again, never rolled
back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Callable, Optional, Set, Tuple

from hicrisp_core.corrector.offset import DECODED
from hicrisp_core.corrector.stack import FeedbackStack
from hicrisp_core.domain import Domain, described, sentence, told, words_of
from hicrisp_core.domain.wording import cause_text
from hicrisp_core.executive.attempt import RETRY, Attempt, Attempts, told_by_user
from hicrisp_core.executive.attempt_history import Tried
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.executive.schedule import said_of
from hicrisp_core.model import (
    CauseKind,
    Command,
    Correction,
    Feedback,
    Maker,
    MakerKind,
    Rung,
    StackEntry,
    Step,
    TriedCommand,
    WorldState,
)
from hicrisp_core.model.correction import NOBODY
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.remembered import KnownWay
from hicrisp_core.policy.policy import LATER, Policy
from hicrisp_core.ports.corrector import Corrector, CorrectorRequest
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import CorrectionMade, StackChanged
from hicrisp_core.trace.records import MakerRecord, StackRecord

Ways = Callable[[StackEntry, WorldState], Tuple[KnownWay, ...]]
"""Returns what once repaired such a failure."""
_CORRECT_LIMIT = 180.0
"""Wall seconds for one answer of the corrector."""


class CorrectionStatus(Enum):
    """How a correction's commands, or the retries after them, ended."""

    SUCCEEDED = auto()
    FAILED = auto()
    """One that failed lies on the stack, or the time is used up."""
    STACK_FULL = auto()
    """One failed, and the stack takes no more: the correction is terminated (section III-D)."""
    TASK_CHANGED = auto()
    """The user has changed the task."""


@dataclass(frozen=True)
class StepResult:
    """How a command ended: it holds, or it was replaced by new steps, or it was given up with the reason.

    ``command`` is what was carried out for it in the end: itself, a replacement, or none if it was left out, for the
    ``reason``. ``maker`` made the new steps, which lead to the ``goal`` if that was restated.
    """

    ok: bool
    new_steps: Optional[Tuple[Step, ...]] = None
    reason: str = ""
    command: Optional[Command] = None
    failures: Tuple[Feedback, ...] = ()
    maker: Maker = Maker()
    goal: Optional[Goal] = None
    changed: bool = False
    """Whether it was left because the user has changed the task."""

    @property
    def commands(self) -> Tuple[Command, ...]:
        """The command that was carried out; empty without one."""
        return () if self.command is None else (self.command,)


_CHANGED = StepResult(False, reason="the user changed the task", changed=True)


@dataclass
class StepRunner:
    """Runs one command to its end under the policy."""

    attempts: Attempts
    corrector: Corrector
    domain: Domain
    policy: Policy
    ledger: RunLog
    canceled: Callable[[], bool]
    known: Ways
    """The corrections of earlier runs."""
    seen: Set[str] = field(default_factory=set)
    """Marks of the loop guard, for the whole task."""

    def within(self, ledger: RunLog, steps: Tuple[Step, ...]) -> "StepRunner":
        """Return a runner for one step.

        Args:
            ledger: counters and event log of the step.
            steps: it and those of the plan after it.

        Returns:
            The runner.
        """
        return replace(self, attempts=self.attempts.within(ledger, steps), ledger=ledger)

    def ended(self) -> bool:
        """Check whether no further step may start: the task was canceled, or a budget is used up.

        Returns:
            True if the task has to end.
        """
        return self.canceled() or bool(self.ledger.exhausted())

    def run(self, command: Command, progress: Callable[[], CorrectorRequest]) -> StepResult:
        """Execute a command; on failure correct it at most ``threshold`` times.

        Args:
            command: the action with its arguments and constraints.
            progress: returns where the task stands; called if the command fails.

        Returns:
            Whether the step succeeded, with the steps that a correction adds to the plan.
        """
        spent = self.ledger.out_of_time()
        if spent:
            return StepResult(False, reason=spent)
        first = self.attempts.run(command, "step", 0)
        if told_by_user(first.verdict):
            return _CHANGED
        if first.verdict.feedback is None or not self.policy.detect or self.policy.on_failed_step == LATER:
            return StepResult(True, command=command)
        return self.correct(first, progress())

    def correct(self, failed: Attempt, progress: CorrectorRequest) -> StepResult:
        """Correct a failed command (HiCRISP, Algorithm 1, lines 5 to 25).

        Args:
            failed: the failed attempt.
            progress: where the task stands.

        Returns:
            Whether the step succeeded.
        """
        stack, tried = FeedbackStack(self.policy.depth), Tried(self.domain)
        self._push(stack, failed)
        tried.add(failed)
        first = failed.verdict.feedback
        for _ in range(self.policy.threshold):
            if self.canceled():
                return StepResult(False, reason="the task was canceled")
            exhausted = self.ledger.exhausted()
            if exhausted:
                return self._given_up(first, stack, exhausted, tried)
            correction = self._ask(stack, progress, tried=tuple(tried.attempts))
            if correction.rung == Rung.GIVE_UP:
                return self._given_up(first, stack, correction.note)
            if correction.replaces_plan:
                return StepResult(False, new_steps=correction.steps,
                                  failures=tuple(entry.feedback for entry in stack.entries),
                                  maker=correction.maker, goal=correction.goal)
            if correction.maker.kind is MakerKind.PERSON:
                if not self.attempts.help(correction.note):
                    continue  # The loop guard keeps from asking again: the next rung answers.
                stack.replace(replace(stack.top.command, avoid=(), keep_out=(), clearance=0.0), correction.maker)
            status = self._carry_out(correction, stack, tried)
            done = stack.entries[0].command if len(stack) else None
            if status is CorrectionStatus.SUCCEEDED:
                status = self._retry(stack, tried)
            if status is CorrectionStatus.SUCCEEDED:
                return StepResult(True, command=done, reason="" if done else correction.note)
            if status is CorrectionStatus.STACK_FULL:
                return self._given_up(first, stack, f"the stack is full at {self.policy.depth}")
            if status is CorrectionStatus.TASK_CHANGED:
                return _CHANGED
        exhausted = self.ledger.exhausted() or f"{self.policy.threshold} corrections did not help"
        return self._given_up(first, stack, exhausted, tried)

    def pursue(self, missed: Feedback, progress: CorrectorRequest) -> StepResult:
        """Ask for steps to a goal that is missed after the last step.

        Args:
            missed: what is missing.
            progress: where the task stands.

        Returns:
            The new steps, or why there are none.
        """
        exhausted = "the task was canceled" if self.canceled() else self.ledger.exhausted()
        if exhausted:
            return StepResult(False, reason=exhausted)
        correction = self._ask(FeedbackStack(1), progress, missed)
        if correction.rung == Rung.GIVE_UP or not correction.steps:
            return StepResult(False, reason=f"{told(missed, self.domain)} ({correction.note})")
        return StepResult(False, new_steps=correction.steps, failures=(missed,), maker=correction.maker,
                          goal=correction.goal)

    def _ask(self, stack: FeedbackStack, progress: CorrectorRequest, missed: Optional[Feedback] = None,
             tried: Tuple[TriedCommand, ...] = ()) -> Correction:
        world = self.attempts.observe()
        known = self.known(stack.top, world) if len(stack) else ()
        request = replace(progress, stack=stack.entries, world=world, seen=frozenset(self.seen), missed=missed,
                          known=known, tried=tried)
        with self.ledger.thinking():
            answer = self.corrector.correct(request, Deadline(min(_CORRECT_LIMIT, self.ledger.wall_left)))
        if answer.mark:
            self.seen.add(answer.mark)
        self.ledger.used(answer.usage)
        correction = answer.correction
        said = [*(described(self.domain, each) for each in correction.commands), *map(said_of, correction.steps)]
        self.ledger.tell(CorrectionMade(
            rung=correction.rung, commands=tuple(said), note=correction.note, replaces_plan=correction.replaces_plan,
            maker=MakerRecord(correction.maker.kind.value, correction.maker.name)))
        if correction.rung != Rung.GIVE_UP:
            self.ledger.corrected(correction.rung, correction.maker)
            if len(stack) and self.attempts.aim.joins(correction, stack.top.feedback):
                self.ledger.corrected(Rung.OFFSET, DECODED)
        return correction

    def _carry_out(self, correction: Correction, stack: FeedbackStack, tried: Tried) -> CorrectionStatus:
        """Lines 9-10 and 23: run the correction's commands; the one that fails goes onto the stack.

        A replacement takes the top's place and is retried like it.
        """
        commands = correction.commands
        if correction.drop:
            if commands:
                stack.replace(commands[-1], correction.maker)
            else:
                stack.pop()
            self._tell(stack)
        for command in commands[:-1] if correction.drop else commands:
            if self.ledger.out_of_time():
                return CorrectionStatus.FAILED
            attempt = self.attempts.run(command, "correction", len(stack))
            if told_by_user(attempt.verdict):
                return CorrectionStatus.TASK_CHANGED
            tried.add(attempt)
            if not attempt.verdict.ok:
                if stack.full:
                    return CorrectionStatus.STACK_FULL
                self._push(stack, attempt, correction.maker)
                return CorrectionStatus.FAILED
        return CorrectionStatus.SUCCEEDED

    def _retry(self, stack: FeedbackStack, tried: Tried) -> CorrectionStatus:
        """Lines 12-20: try the stack from its top until it is empty."""
        while len(stack):
            if self.ledger.out_of_time():
                return CorrectionStatus.FAILED
            attempt = self.attempts.run(stack.top.command, RETRY, len(stack))
            if told_by_user(attempt.verdict):
                return CorrectionStatus.TASK_CHANGED
            tried.add(attempt)
            if attempt.verdict.feedback is not None:
                stack.update(attempt.command, attempt.verdict.feedback)
                self._tell(stack)
                return CorrectionStatus.FAILED
            stack.pop()
            self._tell(stack)
        return CorrectionStatus.SUCCEEDED

    def _push(self, stack: FeedbackStack, attempt: Attempt, maker: Maker = NOBODY) -> None:
        if attempt.verdict.feedback is not None:
            stack.push(attempt.command, attempt.verdict.feedback, maker)
            self._tell(stack)

    def _tell(self, stack: FeedbackStack) -> None:
        self.ledger.tell(StackChanged(entries=tuple(
            StackRecord(described(self.domain, each.command), words_of(each.feedback, self.domain).error, each.attempts,
                        each.feedback.kind.value, each.feedback.label, each.maker.label)
            for each in stack.entries)))

    def _given_up(
        self, first: Optional[Feedback], stack: FeedbackStack, note: str, tried: Optional[Tried] = None
    ) -> StepResult:
        """Return the end without success, and its reason: what failed last, what it began with where that was
        something else, and what was tried.
        """
        last, cause = stack.top.feedback, None if first is None else first.cause
        reason, began = f"{told(last, self.domain).rstrip('.')} ({note})", ""
        if cause is not None and cause != last.cause and cause.kind is not CauseKind.UNKNOWN:
            began = cause_text(cause)
        more = [sentence(f"It began with this: {began}")] if began else []
        more += filter(None, [tried.told() if tried is not None else ""])
        return StepResult(False, reason=" ".join([sentence(reason) if more else reason, *more]),
                          failures=tuple(entry.feedback for entry in stack.entries))
