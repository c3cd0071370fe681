"""Tasks wait in line and run one at a time; no ROS in here."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from threading import Condition, Lock, Thread
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from hicrisp_core.model.meaning import Turn
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.task_state import ENDED, State

from hicrisp_nodes.supervisor.progress import Progress
from hicrisp_nodes.supervisor.request import Admission, Request, objection
from hicrisp_nodes.supervisor.state_files import Remembered, TaskEntry

log = logging.getLogger(__name__)

MAX_WAITING = 100
MAX_REMEMBERED = 200
EXCHANGES = 8
"""Tasks of which is kept what was said and done."""
_LONGEST = 400
"""Characters of one line; a task may be longer, but what is remembered of it need not."""
_INTERRUPTED = ("the supervisor ended while it ran, and the robots were stopped. It is not taken up again by "
                "itself; submit it again where it is still wanted")
_LEFT = "the workspace was launched anew before it began; submit it again where it is still wanted"
_CLOSED = "the workspace was shut down before it began"


@dataclass(frozen=True)
class Dialogue:
    """The last exchanges, oldest first. Nodes that think keep no state, so it travels with each request.

    Args:
        exchanges: for each task what the user asked, what was done and what was answered.
    """

    exchanges: Tuple[Tuple[str, ...], ...] = ()

    def after(
        self, asked: str, done: Iterable[str], answered: str, conversation: Sequence[Turn] = ()
    ) -> "Dialogue":
        """Add a task to the dialogue.

        Args:
            asked: the task's text.
            done: the steps that were carried out.
            answered: the final message.
            conversation: turns of the task, oldest first; its first text is not repeated.

        Returns:
            The dialogue with the latest exchanges.
        """
        actions = "; ".join(done)
        said = (f"{turn.speaker.value.capitalize()}: {turn.text}" for turn in conversation if turn.text != asked)
        lines = (f"User: {asked}", *said, f"Robot did: {actions or 'nothing'}", f"Robot: {answered}")
        bounded = tuple(line if len(line) <= _LONGEST else line[:_LONGEST] + " [cut]" for line in lines)
        return Dialogue((*self.exchanges, bounded)[-EXCHANGES:])

    @property
    def history(self) -> Tuple[str, ...]:
        """The lines, as :class:`hicrisp_core.ports.brain.PlanRequest` takes them."""
        return tuple(line for exchange in self.exchanges for line in exchange)


class TaskQueue:
    """Runs requests one after another in a thread of its own, and keeps what was said and done for the next.

    Args:
        run: carries out one request; it ends soon after ``request.cancel`` is set.
        changed: called when a request was taken in, began or ended.
        blocked: why no task may begin or be taken now, with what to do; empty where one may.
        keep: writes the tasks and their count down; why that failed, or empty.
        waits: why those in line do not begin yet though new ones are taken, likewise.
    """

    def __init__(self, run: Callable[[Request], None], changed: Callable[[Request], None],
                 blocked: Callable[[], str] = str,
                 keep: Callable[[Sequence[TaskEntry], int], str] = lambda tasks, count: "",
                 waits: Callable[[], str] = str) -> None:
        self._run = run
        self._changed = changed
        self._blocked = blocked
        self._waits = waits
        self._keep = keep
        self._keeping = Lock()
        self._unkept = ""
        self._news = Condition()
        self._waiting: List[Request] = []
        self._all: Dict[str, Request] = {}
        self._current: Optional[Request] = None
        self._last: Optional[Request] = None
        self._count = 0
        self._dialogue = Dialogue()
        self._closed = False
        self._held = Deadline(0.0)
        """Until when no task begins."""
        self._thread = Thread(target=self._loop, name="tasks", daemon=True)

    def start(self) -> None:
        """Begin to run what is submitted."""
        self._thread.start()

    def close(self, seconds: float) -> bool:
        """Cancel everything and wait for the running task's end.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether it ended in time.
        """
        with self._news:
            self._closed = True
            pending = list(self._waiting) + ([self._current] if self._current else [])
            for request in pending:
                request.cancel.set()
            for request in self._waiting:
                request.end(State.CANCELED, _CLOSED)
            self._waiting.clear()
            self._news.notify_all()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def submit(self, text: str, robot: str = "", request_id: str = "", dry_run: bool = False) -> Admission:
        """Queue a task; a request id that is known returns its task.

        Args:
            text: what the user wrote.
            robot: the robot that is to do it; empty for any.
            request_id: chosen by the client; empty for none.
            dry_run: whether it is only planned.

        Returns:
            The queued task, or why it was refused.
        """
        with self._news:
            known = next((r for r in self._all.values() if request_id and r.request_id == request_id), None)
            if known is not None:
                return Admission(True, "this request was taken before", known)
            reason = objection(text) or self._blocked()
            if not reason and len(self._waiting) >= MAX_WAITING:
                reason = f"{MAX_WAITING} tasks are waiting already; cancel one or wait"
            if reason:
                return Admission(False, reason)
            self._count += 1
            name = f"{time.strftime('%Y%m%d-%H%M%S')}-{self._count:03d}"
            request = Request(name, text.strip(), robot, request_id, dry_run)
            ahead = len(self._waiting) + (1 if self._current else 0)
            self._waiting.append(request)
            self._all[request.id] = request
            for old in [r for r in self._all.values()
                        if r.finished.is_set()][: max(0, len(self._all) - MAX_REMEMBERED)]:
                del self._all[old.id]
            self._news.notify_all()
        self._write_down()
        self._changed(request)
        waits = f"it waits behind {ahead}" if ahead else f"it waits: {self.waits}" if self.waits else ""
        return Admission(True, waits or "it starts now", request)

    def cancel(self, task_id: str = "") -> Tuple[bool, str]:
        """Cancel a task that runs or waits.

        Args:
            task_id: the task; empty for the running one.

        Returns:
            Whether it was canceled, and a message.
        """
        with self._news:
            request, why = self._meant(task_id)
            if request is None:
                return False, why
            request.cancel.set()
            waiting = request in self._waiting
            if waiting:
                self._waiting.remove(request)
                request.end(State.CANCELED, "canceled before it began")
        if waiting:
            self._write_down()
            self._changed(request)
        return True, f"task {request.id} {'was taken out of the line' if waiting else 'is being stopped'}"

    def tell(self, task_id: str, said: str) -> Tuple[bool, str]:
        """Pass a remark to the running task.

        Args:
            task_id: the task; empty for the running one.
            said: the user's words.

        Returns:
            Whether it was passed on, and a message.
        """
        why = objection(said, "remark", "say what is meant, for example: not that one, the blue one")
        if why:
            return False, why
        with self._news:
            request, why = self._meant(task_id, ": submit a new one")
            if request is None:
                return False, why
            if request is not self._current:
                return False, f"task {request.id} has not begun: cancel it and submit another one"
            if not request.remarks.add(" ".join(said.split())):
                return False, f"task {request.id} is finishing and no longer accepts changes; submit a new one"
        return True, f"task {request.id} hears: {' '.join(said.split())}"

    def _meant(self, task_id: str, instead: str = "") -> Tuple[Optional[Request], str]:
        """Return the task that is meant, or why there is none."""
        request = self._all.get(task_id) if task_id else self._current
        if request is None:
            return None, f"there is no task '{task_id}'" if task_id else "no task is running"
        ended = request.progress.state in ENDED
        return (None, f"task {request.id} has ended already ({request.progress.state.value}){instead}") if ended \
            else (request, "")

    def restore(self, before: Remembered) -> Tuple[Request, ...]:
        """Take up the tasks of a supervisor that was killed, before this one starts; those that it left under
        way end as interrupted, and so do those in line of an earlier launch.

        Args:
            before: what the former supervisor wrote down.

        Returns:
            Those that end here.
        """
        left: List[Request] = []
        for entry in before.tasks:
            request = Request(entry.id, entry.text, entry.robot, entry.request_id, entry.dry_run)
            request.progress = Progress(message=entry.message, run_folder=entry.run_folder)
            self._all[request.id] = request
            if entry.ended:
                request.end(State(entry.ended), entry.message)
            elif entry.begun or not before.resumes:
                request.end(State.INTERRUPTED, _INTERRUPTED if entry.begun else _LEFT)
                left.append(request)
            else:
                self._waiting.append(request)
        self._count = before.count
        self._last = next((request for request in reversed(list(self._all.values()))
                           if request.finished.is_set()), None)
        self._write_down()
        return tuple(left)

    def look(self) -> None:
        """Look again whether a task may begin."""
        with self._news:
            self._news.notify_all()

    @property
    def waits(self) -> str:
        """Why no task begins now; empty where one may."""
        return self._blocked() or self._waits()

    def hold(self, seconds: float, patience: float) -> str:
        """Begin no task until ``release``.

        Args:
            seconds: longest duration, wall time.
            patience: seconds that a task which is about to end gets for that.

        Returns:
            Why that is not possible; empty if it is.
        """
        limit = Deadline(patience)
        with self._news:
            while self._current is not None and not limit.passed:
                self._news.wait(limit.remaining)
            if self._current is not None:
                return (f"task {self._current.id} is running ('{self._current.text}'): "
                        "cancel it first, or wait for its end")
            self._held = Deadline(seconds)
        return ""

    def release(self) -> None:
        """Begin tasks again."""
        with self._news:
            self._held = Deadline(0.0)
            self._news.notify_all()

    def find(self, task_id: str = "") -> Optional[Request]:
        """Find a task.

        Args:
            task_id: the task; empty for the running or the last one.

        Returns:
            The task; ``None`` if there is no such task.
        """
        with self._news:
            return self._all.get(task_id) if task_id else self._current or self._last

    @property
    def current(self) -> Optional[Request]:
        """The task that runs now."""
        return self._current

    @property
    def waiting(self) -> Tuple[str, ...]:
        """The ids of the tasks in line, next first."""
        with self._news:
            return tuple(request.id for request in self._waiting)

    def _write_down(self) -> None:
        """Keep the tasks for a supervisor that has to take over; a disk that takes nothing stops no robot."""
        with self._keeping:
            with self._news:
                tasks = [request.entry(request is self._current) for request in self._all.values()]
                count = self._count
            problem = self._keep(tasks, count)
            if problem and problem != self._unkept:
                log.error("a restart of the supervisor would forget the tasks: %s", problem)
            self._unkept = problem

    def _loop(self) -> None:
        while True:
            with self._news:
                while not (self._waiting and self._held.passed and not self.waits) and not self._closed:
                    self._news.wait(min(1.0, self._held.remaining) or 1.0)
                if self._closed:
                    return
                request = self._waiting.pop(0)
                self._current = request
            self._write_down()
            self._carry_out(request)
            with self._news:
                self._current, self._last = None, request
                self._news.notify_all()
            self._write_down()
            request.finish()
            self._changed(request)

    def _carry_out(self, request: Request) -> None:
        request.history = self._dialogue.history
        try:
            self._run(request)
        except Exception as error:  # one task's fault must not end the line
            log.exception("task %s ended with an error", request.id)
            request.progress = request.progress.ended(State.FAILED, f"{type(error).__name__}: {error}")
        if request.progress.state not in ENDED:
            state = State.CANCELED if request.cancel.is_set() else State.FAILED
            request.progress = request.progress.ended(state, request.progress.message)
        if not request.dry_run:
            said = request.progress.message or request.progress.state.value
            self._dialogue = self._dialogue.after(request.text, request.done, said, request.conversation)
