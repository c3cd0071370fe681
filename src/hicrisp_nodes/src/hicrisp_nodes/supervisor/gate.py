"""Who may hold a command back: the pause, the emergency stop, and the question to the user; no ROS in
here.
"""

from __future__ import annotations

from threading import Condition, Event
from typing import Callable, Optional, Sequence, Tuple

from hicrisp_core.executive.plan_review import CheckedSteps, PlanReview
from hicrisp_core.model import Plan
from hicrisp_core.model.meaning import Question
from hicrisp_core.time.deadline import Deadline

from hicrisp_nodes.supervisor.state_files import EstopFile

FULL, SUPERVISED, CORRECTIONS, REVIEWED, MANUAL = "full", "supervised", "corrections", "reviewed", "manual"
LEVELS = (FULL, SUPERVISED, CORRECTIONS, REVIEWED, MANUAL)
CORRECTION = "correction"
"""The purpose of a command that mends a step."""
SLICE = 0.05
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
    """

    def __init__(self, autonomy: str, patience: float, changed: Callable[[], None],
                 kept: Optional[EstopFile] = None, how_to_clear: str = "clear_estop") -> None:
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
        self.question = ""
        self.asked: Optional[Question] = None
        """What the user is asked about a task's meaning."""
        self.offered: Optional[PlanReview] = None
        """The plan that waits for approval."""
        self._chosen: Optional[Plan] = None
        self._kept = kept
        self._how_to_clear = how_to_clear
        before = kept.recall() if kept is not None else None
        self.reason = before or ""
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
        """Change the level; a question that waits is answered yes when nothing is asked any more."""
        if level not in LEVELS:
            return False, f"no autonomy '{level}'; there are: {', '.join(LEVELS)}"
        with self._news:
            self._autonomy = level
            self._news.notify_all()
        self._changed()
        return True, f"autonomy is {level}"

    def pause(self) -> str:
        """Hold the next command back; the running one ends."""
        return self._set_paused(True, "the next command waits until resume")

    def resume(self) -> Tuple[bool, str]:
        """Let commands through again; not while the emergency stop is active."""
        if self.estop.is_set():
            return False, f"nothing moves: {self.stopped}"
        return True, self._set_paused(False, "commands run again")

    @property
    def stopped(self) -> str:
        """That the emergency stop is active, why, and how to clear it; empty where it is not."""
        if not self.estop.is_set():
            return ""
        return (f"the emergency stop is active ({self.reason}). When it is safe, clear it: "
                f"{self._how_to_clear}")

    def stop(self, reason: str) -> str:
        """The emergency stop: running commands end at once, none is started until it is cleared."""
        self.reason = reason
        self.estop.set()
        self._wake()
        problem = self._kept.keep(True, reason) if self._kept is not None else ""
        return f"stopped: {reason}" + (f"; a restart of the supervisor would end it: {problem}" if problem
                                       else "")

    def clear(self) -> Tuple[bool, str]:
        """End the emergency stop; what was stopped does not start again by itself."""
        if not self.estop.is_set():
            return False, "there is no emergency stop to clear"
        problem = self._kept.keep(False, "") if self._kept is not None else ""
        self.estop.clear()
        self.reason = ""
        self._wake()
        said = "the emergency stop is over; no command runs until resume" if self._paused else \
            "the emergency stop is over; commands run again"
        return True, said + (f". After a restart it may be active again: {problem}" if problem else "")

    def answer(self, granted: bool) -> Tuple[bool, str]:
        """Answer the question that waits."""
        with self._news:
            if not self.question:
                return False, "nothing waits for approval"
            self._answer = granted
            question = self.question
            self._news.notify_all()
        return True, f"{'approved' if granted else 'refused'}: {question}"

    def say(self, answer: str) -> Tuple[bool, str]:
        """Answer the question what a task means."""
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
        """Ask the user what is meant; empty where no answer came in time, or the task was canceled."""
        with self._news:
            self._said, self.asked = "", question
        self._changed()
        patience = Deadline(seconds)
        with self._news:
            while not self._said and not patience.passed and not cancel.is_set() and not self.estop.is_set():
                self._news.wait(SLICE)
            said, self.asked = self._said, None
        self._changed()
        return said

    def pass_through(self, cancel: Event) -> None:
        """Wait while paused; an emergency stop or a cancel ends the wait."""
        with self._news:
            while self._paused and not cancel.is_set() and not self.estop.is_set():
                self._news.wait(SLICE)

    def approve(self, question: str, cancel: Event, doubtful: bool = False) -> bool:
        """Ask for leave for what cannot be undone; no answer in time is a no.

        Args:
            doubtful: whether nobody could find out what it takes away; then full autonomy is no leave.
        """
        if doubtful:
            return self._ask(question, cancel, asking=LEVELS)
        return self._autonomy == FULL or self._ask(question, cancel)

    def permit(self, question: str, purpose: str, cancel: Event) -> bool:
        """Ask for leave for a command that can be undone, where the level asks for it; no answer in time is
        a no.

        Args:
            purpose: of the command: ``step``, ``correction`` or ``retry``.
        """
        asking = (MANUAL, CORRECTIONS) if purpose == CORRECTION else (MANUAL,)
        return self._autonomy not in asking or self._ask(question, cancel, asking=asking)

    def help(self, wanted: str, cancel: Event) -> bool:
        """Ask for something that the user may do; where nothing is asked, nobody does it."""
        return self._autonomy != FULL and self._ask(wanted, cancel, unasked=False)

    @property
    def reviews(self) -> bool:
        """Whether every plan is shown to the user before it runs."""
        return self._autonomy == REVIEWED

    def review(self, offered: PlanReview, cancel: Event) -> Optional[Plan]:
        """The plan that shall be carried out, as it is or as the user changed it; ``None`` where none
        shall.
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
        """Answer the question whether the plan that waits may run, with other steps in its place.

        Returns:
            What is wrong with the steps, and why nothing was answered, which is empty where it was.
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
        """The answer to a question; ``unasked`` where the autonomy is none of ``asking`` any more while it
        waits.
        """
        with self._news:
            self._answer, self.question = None, question
        self._changed()
        patience = Deadline(self._patience)
        with self._news:
            while (self._answer is None and not patience.passed and not cancel.is_set()
                   and not self.estop.is_set()):
                if self._autonomy not in asking:
                    self._answer = unasked
                    break
                self._news.wait(SLICE)
            granted, self.question = bool(self._answer), ""
        self._changed()
        return granted

    def _set_paused(self, paused: bool, message: str) -> str:
        with self._news:
            self._paused = paused
            self._news.notify_all()
        self._changed()
        return message

    def _wake(self) -> None:
        with self._news:
            self._news.notify_all()
        self._changed()
