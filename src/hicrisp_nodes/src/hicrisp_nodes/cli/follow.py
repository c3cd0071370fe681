"""Follows a task in the terminal to its end, also when events are lost or the supervisor goes away."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace.events import TaskFinished, UserSaid
from hicrisp_core.trace.read_event import event_of

from hicrisp_msgs.msg import TaskStatus
from hicrisp_nodes.cli.client import ENDED, EventStream, Supervisor, Unreachable
from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.narrator import Narrator

_SLICE = 0.2
_ASK_EVERY = 1.0
_SILENCE = 3.0
"""Seconds after the end of a task by its status in which its last event may still come."""
_REPORT_LIMIT = 60.0


class Follower:
    """Tells tasks while they run.

    Args:
        alive: whether what runs the supervisor is there; its end ends the following.
    """

    def __init__(
        self, supervisor: Supervisor, events: EventStream, console: Console,
        alive: Callable[[], bool] = lambda: True,
    ) -> None:
        self._supervisor = supervisor
        self._events = events
        self._console = console
        self._teller = Narrator(console)
        self._alive = alive
        self._asked = ""
        self._doubt = ""

    def follow(self, task_id: str, seconds: float) -> List[Dict[str, Any]]:
        """Show a task until it has ended; cancel it after the limit.

        Args:
            task_id: the task.
            seconds: limit in wall time, seconds.

        Returns:
            The task's events.

        Raises:
            Unreachable: when the supervisor went away.
        """
        told: List[Dict[str, Any]] = []
        limit, ask_at, ended_at = Deadline(seconds), time.monotonic() + _ASK_EVERY, None
        while not (told and told[-1].get("kind") == TaskFinished.kind):
            if not self._alive():
                raise Unreachable("the workspace has ended under the task")
            event = self._events.next(_SLICE)
            if event is not None and event["task_id"] == task_id:
                told.append(event)
                self._teller.tell(event)
                continue
            now = time.monotonic()
            if now >= ask_at:
                ask_at = now + _ASK_EVERY
                status = self._supervisor.status(task_id)
                if status is None:
                    raise Unreachable(f"the supervisor was started again and knows nothing of task {task_id}")
                self._approval(status)
                self._question(status)
                ended_at = ended_at or (now if status.state in ENDED else None)
            if ended_at is not None and now - ended_at > _SILENCE:
                break
            if limit.passed:
                self._console.say(self._console.paint(f"canceled: it takes longer than {seconds:g} s", "bad"))
                self._supervisor.ask("cancel_task", task_id)
                limit = Deadline(float("inf"))
        return told

    def hear(self, task_id: str, seconds: float) -> Optional[UserSaid]:
        """Wait until it is known what a remark does to a task, and show it.

        Args:
            task_id: the task.
            seconds: limit in wall time, seconds.

        Returns:
            The event; ``None`` if it does not come in time or the task ends before.
        """
        limit, ask_at = Deadline(seconds), time.monotonic() + _ASK_EVERY
        while not limit.passed:
            event = self._events.next(_SLICE)
            if event is not None and event["task_id"] == task_id:
                known = event_of(event)
                if isinstance(known, (UserSaid, TaskFinished)):
                    self._teller.tell(event)
                    return known if isinstance(known, UserSaid) else None
            if time.monotonic() >= ask_at:
                ask_at = time.monotonic() + _ASK_EVERY
                status = self._supervisor.status(task_id)
                if status is not None:
                    self._question(status)
        return None

    def _approval(self, status: TaskStatus) -> None:
        """Put the supervisor's question to who sits at the terminal, or say how to answer it."""
        if status.state != TaskStatus.AWAITING_APPROVAL:
            self._asked = ""
        elif self._asked != status.message:
            self._asked = status.message
            question = self._console.paint(status.message, "warn")
            if sys.stdin.isatty():
                self._console.say(f"{question} [y/N]")
                self._supervisor.ask("approve", status.task_id,
                                     sys.stdin.readline().strip().lower() in ("y", "yes"))
            else:
                self._console.say(f"{question} Answer with: hicrisp approve, or: hicrisp refuse")

    def _question(self, status: TaskStatus) -> None:
        """Put the question what the task means to who sits at the terminal, or say how to answer it."""
        if status.state != TaskStatus.ASKING:
            self._doubt = ""
        elif self._doubt != status.message:
            self._doubt = status.message
            self._console.say(self._console.paint(status.message, "warn"))
            for number, choice in enumerate(status.choices, start=1):
                self._console.say(f"  {number}. {choice}")
            if sys.stdin.isatty():
                self._console.say("a number, or other words:")
                self._supervisor.ask("answer", status.task_id, sys.stdin.readline().strip())
            else:
                self._console.say(f"Answer with: hicrisp answer {status.task_id} NUMBER, or other words")


def wait_for_report(run_folder: str) -> Optional[Path]:
    """Wait for the report of an ended run.

    Args:
        run_folder: the run's folder; empty if it has none.

    Returns:
        The report; ``None`` if it does not come.
    """
    report = Path(run_folder) / "report.html"
    if not run_folder:
        return None
    return report if wait_until(report.is_file, Deadline(_REPORT_LIMIT)) else None
