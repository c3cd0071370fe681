"""Who may hold a command back: the pause, the emergency stop, and the question to the user; no ROS in here."""

from __future__ import annotations

import math
from contextlib import contextmanager
from threading import Condition, Event, Lock
from typing import Callable, Iterator, Optional, Sequence, Tuple

from hicrisp_core.executive.rehearsal import CheckedSteps, PlanReview
from hicrisp_core.model import Plan, Question
from hicrisp_core.time import Deadline, wait_on

from hicrisp_nodes.supervisor.state_files import EstopFile

FULL, SUPERVISED, CORRECTIONS, REVIEWED, MANUAL = "full", "supervised", "corrections", "reviewed", "manual"
LEVELS = (FULL, SUPERVISED, CORRECTIONS, REVIEWED, MANUAL)
CORRECTION = "correction"
"""The purpose of a command that mends a step."""
_LONGEST = 400
"""Characters of an answer that are taken."""


class Gate:
    """Stands before every command.

    Args:
        autonomy: what waits for approval: nothing (``full``), actions that cannot be undone
            (``supervised``), and besides those every correction (``corrections``), every plan
            (``reviewed``) or every command (``manual``).
        patience: seconds of wall time that a question waits for its answer; then the answer is no.
        changed: called after every change.
        kept: the emergency stop on the disk; without it, a stop ends with this object.
        how_to_clear: the command that ends an emergency stop, for messages.
        how_to_resume: the command that lets motions begin again after that.
    """

    def __init__(self, autonomy: str, patience: float, changed: Callable[[], None],
                 kept: Optional[EstopFile] = None, how_to_clear: str = "clear_estop",
                 how_to_resume: str = "resume") -> None:
        if autonomy not in LEVELS:
            raise ValueError(f"no autonomy '{autonomy}'; there are: {', '.join(LEVELS)}")
        self._autonomy = autonomy
        self._patience = patience
        self._changed = changed
        self._news = Condition()
        self._paused = False
        self._answer: Optional[bool] = None
        self._said = ""
        self.estop = Event()
        self.stops = 0
        """How often it was stopped so far."""
        self.question = ""
        self.asked: Optional[Question] = None
        """What the user is asked about a task's meaning."""
        self.offered: Optional[PlanReview] = None
        """The plan that waits for approval."""
        self._chosen: Optional[Plan] = None
        self._kept = kept
        self._keeping = Lock()
        self._how_to_clear = how_to_clear
        self._how_to_resume = how_to_resume
        before = kept.recall() if kept is not None else None
        self.reason = before or ""
        self._cleared = self._paused = kept is not None and kept.cleared
        if before is not None:
            self.estop.set()

    @property
    def paused(self) -> bool:
        """Whether no further command is started."""
        return self._paused

    @property
    def autonomy(self) -> str:
        """The level of autonomy."""
        return self._autonomy

    def set_autonomy(self, level: str) -> Tuple[bool, str]:
        """Change what needs approval; a waiting question that is no longer needed is answered yes.

        Args:
            level: one of ``LEVELS``.

        Returns:
            Whether it was changed, and a message.
        """
        if level not in LEVELS:
            return False, f"no autonomy '{level}'; there are: {', '.join(LEVELS)}"
        with self._change():
            self._autonomy = level
        return True, f"autonomy is {level}"

    def pause(self) -> str:
        """Hold the next command back; the running one ends."""
        with self._change():
            self._paused = True
        return "the next command waits until resume"

    def resume(self) -> Tuple[bool, str]:
        """Let commands through again; not while the emergency stop is active."""
        with self._news:
            stopped, cleared = self.stopped, self._cleared
            if not stopped:
                self._cleared = self._paused = False
                self._news.notify_all()
        if stopped:
            return False, f"nothing moves: {stopped}"
        problem = self._write_down() if cleared else ""
        self._changed()
        return True, "commands run again" + (f". After a restart they may wait again: {problem}" if problem else "")

    @property
    def stopped(self) -> str:
        """That the emergency stop is active, why, and how to clear it; empty where it is not."""
        if not self.estop.is_set():
            return ""
        return (f"the emergency stop is active ({self.reason}). When it is safe, clear it: "
                f"{self._how_to_clear}")

    @property
    def waits(self) -> str:
        """That an emergency stop was cleared and nothing begins until resume; empty where something may."""
        if not self._cleared or self.estop.is_set():
            return ""
        return f"the emergency stop was cleared, and nothing begins until you resume: {self._how_to_resume}"

    def stop(self, reason: str) -> str:
        """Activate the emergency stop: running commands end, and none is started until it is cleared.

        Args:
            reason: why, for people.

        Returns:
            A message.
        """
        with self._change():
            self.reason = reason
            self.stops += 1
            self.estop.set()
        problem = self._write_down()
        return f"stopped: {reason}" + (f"; a restart of the supervisor would end it: {problem}" if problem
                                       else "")

    def clear(self) -> Tuple[bool, str]:
        """End the emergency stop and stay paused: a reset never starts a motion, only resume does (ISO 13850)."""
        with self._news:
            if not self.estop.is_set():
                return False, "there is no emergency stop to clear"
            self._cleared = self._paused = True
            self.estop.clear()
            self.reason = ""
            said = self.waits
            self._news.notify_all()
        problem = self._write_down()
        self._changed()
        return True, said + (f". After a restart it may be active again: {problem}" if problem else "")

    def _write_down(self) -> str:
        """Keep the stop as it is now, whoever writes last; why that failed, or empty."""
        with self._keeping:
            if self._kept is None:
                return ""
            return self._kept.keep(self.estop.is_set(), self.reason, self._cleared)

    def answer(self, granted: bool) -> Tuple[bool, str]:
        """Answer the question that waits for approval.

        Args:
            granted: yes or no.

        Returns:
            Whether a question waited, and a message.
        """
        with self._news:
            if not self.question:
                return False, "nothing waits for approval"
            self._answer = granted
            question = self.question
            self._news.notify_all()
        return True, f"{'approved' if granted else 'refused'}: {question}"

    def say(self, answer: str) -> Tuple[bool, str]:
        """Answer the question what a task means.

        Args:
            answer: number of a choice, or words.

        Returns:
            Whether a question waited and the answer was taken, and a message.
        """
        words = " ".join(answer.split())[:_LONGEST]
        with self._news:
            if self.asked is None:
                return False, "nothing is asked"
            if not words:
                return False, f"say a number or words; the question is: {self.asked.text}"
            self._said = words
            self._news.notify_all()
        return True, f"understood: {words}"

    def ask(self, question: Question, seconds: float, cancel: Event) -> str:
        """Ask the user what is meant.

        Args:
            question: text and choices.
            seconds: limit in wall time, seconds.
            cancel: event that ends the wait.

        Returns:
            The answer; empty if none came in time or the task was canceled.
        """
        with self._change():
            self._said, self.asked = "", question
        wait_on(self._news, lambda: self._said, Deadline(seconds), cancel, self.estop.is_set)
        with self._change():
            said, self.asked = self._said, None
        return said

    def pass_through(self, cancel: Event) -> None:
        """Wait while paused; an emergency stop or a cancel ends the wait.

        Args:
            cancel: event that ends the wait.
        """
        wait_on(self._news, lambda: not self._paused, Deadline(math.inf), cancel, self.estop.is_set)

    def approve(self, question: str, cancel: Event, doubtful: bool = False) -> bool:
        """Ask for approval of an irreversible command; no answer in time is a no.

        Args:
            question: text for the user.
            cancel: event that ends the wait.
            doubtful: whether its consequences are unknown; then it is asked under full autonomy, too.

        Returns:
            Whether it may run.
        """
        if doubtful:
            return self._ask(question, cancel, asking=LEVELS)
        return self._autonomy == FULL or self._ask(question, cancel)

    def permit(self, question: str, purpose: str, cancel: Event) -> bool:
        """Ask for approval of a reversible command if the level requires it; no answer in time is a no.

        Args:
            question: text for the user.
            purpose: of the command: ``step``, ``correction`` or ``retry``.
            cancel: event that ends the wait.

        Returns:
            Whether it may run.
        """
        asking = (MANUAL, CORRECTIONS) if purpose == CORRECTION else (MANUAL,)
        return self._autonomy not in asking or self._ask(question, cancel, asking=asking)

    def help(self, wanted: str, cancel: Event) -> bool:
        """Ask the user for help; under full autonomy there is none.

        Args:
            wanted: what the user is asked to do.
            cancel: event that ends the wait.

        Returns:
            Whether the user did it.
        """
        return self._autonomy != FULL and self._ask(wanted, cancel, unasked=False)

    @property
    def reviews(self) -> bool:
        """Whether every plan is shown to the user before it runs."""
        return self._autonomy == REVIEWED

    def review(self, offered: PlanReview, cancel: Event) -> Optional[Plan]:
        """Show a plan for approval.

        Args:
            offered: the plan with the check of changed steps.
            cancel: event that ends the wait.

        Returns:
            The plan as it is or as the user changed it; ``None`` if it was refused.
        """
        if not self.reviews:
            return offered.plan
        with self._news:
            self.offered, self._chosen = offered, None
        granted = self._ask(offered.question, cancel, asking=(REVIEWED,))
        with self._news:
            chosen, self.offered = self._chosen or offered.plan, None
        return chosen if granted else None

    def answer_plan(self, granted: bool, steps: Sequence[str], only_check: bool) -> Tuple[CheckedSteps, str]:
        """Answer the question whether the waiting plan may run.

        Args:
            granted: yes or no.
            steps: other steps in words; empty to keep the plan's.
            only_check: whether the steps are only checked.

        Returns:
            The checked steps, and why nothing was answered, empty if it was.
        """
        with self._news:
            offered = self.offered
        if offered is None:
            return CheckedSteps((), ()), "no plan waits for approval"
        checked = offered.check(steps) if steps else CheckedSteps(offered.plan.steps, ())
        if only_check or (granted and not checked.ok):
            return checked, "" if checked.ok else "some steps cannot run as they stand"
        with self._news:
            if self.offered is not offered:
                return checked, "the plan was answered meanwhile"
            self._chosen = offered.changed(checked) if steps and granted else None
            self._answer = granted
            self._news.notify_all()
        return checked, ""

    def _ask(self, question: str, cancel: Event, unasked: bool = True,
             asking: Sequence[str] = LEVELS[1:]) -> bool:
        """The answer to a question; ``unasked`` where the autonomy is none of ``asking`` any more while it waits."""
        with self._change():
            self._answer, self.question = None, question
        wait_on(self._news, lambda: self._answer is not None or self._autonomy not in asking, Deadline(self._patience),
                cancel, self.estop.is_set)
        with self._change():
            if self._answer is None and self._autonomy not in asking:
                self._answer = unasked and not (cancel.is_set() or self.estop.is_set())
            granted, self.question = bool(self._answer), ""
        return granted

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Whoever waits looks again after what is done within, and everybody is told."""
        with self._news:
            yield
            self._news.notify_all()
        self._changed()
