"""A task in line: what was asked for, how far it has come, and what can be no task."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from threading import Event
from typing import Callable, Optional, Tuple

from hicrisp_core.model import Plan, Turn
from hicrisp_core.ports.remarks import Remarks
from hicrisp_core.trace.task_state import ENDED, State

from hicrisp_nodes.supervisor.progress import Progress
from hicrisp_nodes.supervisor.state_files import TaskEntry

MAX_TEXT = 2000
_OVER, _CLOSED = Event(), Remarks()
_OVER.set()
_CLOSED.close()


@dataclass
class Request:
    """One task from its submission to its end.

    Args:
        plan: the latest plan.
        history: what was said and done before it, oldest first.
        done: the steps that it carried out, as sentences.
        conversation: what was said about it, its first words included.
        explain: says in sentences why it goes as it does, once it has begun.
        cancel: set when the user wants it to end, and when it has ended.
        finished: set when it has ended.
        remarks: what the user says while it runs.
    """

    id: str
    text: str
    robot: str = ""
    request_id: str = ""
    dry_run: bool = False
    progress: Progress = field(default_factory=Progress)
    plan: Optional[Plan] = None
    history: Tuple[str, ...] = ()
    done: Tuple[str, ...] = ()
    conversation: Tuple[Turn, ...] = ()
    explain: Optional[Callable[[], str]] = None
    cut_off: str = ""
    """Why it cannot go on, where that is nobody's wish; ``cancel`` is set then too."""
    cancel: Event = field(default_factory=Event)
    finished: Event = field(default_factory=Event)
    remarks: Remarks = field(default_factory=Remarks)

    def entry(self, begun: bool) -> TaskEntry:
        """Return what is written down of the task.

        Args:
            begun: whether it was started.

        Returns:
            The entry.
        """
        progress = self.progress
        ended = progress.state.value if progress.state in ENDED else ""
        return TaskEntry(self.id, self.text, self.robot, self.request_id, self.dry_run, begun, ended,
                         progress.message if ended else "", progress.run_folder)

    def end(self, state: State, message: str) -> None:
        """End the task before it ran.

        Args:
            state: how it ended.
            message: for the user.
        """
        self.progress = self.progress.ended(state, message)
        self.finish()

    def finish(self) -> None:
        """Tell who waits for its end. It is remembered for long, and lets go of what only a task under way
        needs: events and inboxes of hundreds of tasks would fill a megabyte.
        """
        self.finished.set()
        self.cancel = self.finished = _OVER
        self.remarks = _CLOSED


@dataclass(frozen=True)
class Admission:
    """Whether a task was taken, and why not or at which place in the line."""

    accepted: bool
    message: str
    request: Optional[Request] = None


def objection(
    text: str, what: str = "task",
    advice: str = "say what shall be done, for example: place the box next to the cylinder"
) -> str:
    """Check a user's text.

    Args:
        text: what the user wrote.
        what: its name in the message, ``task`` or ``remark``.
        advice: what to write instead.

    Returns:
        What is wrong with it; empty if nothing is.
    """
    if not text.strip():
        return f"the {what} is empty; {advice}"
    if len(text) > MAX_TEXT:
        return f"the {what} has {len(text)} characters; at most {MAX_TEXT} are taken"
    strange = next((c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn")
                    and c not in "\n\t"), "")
    if strange:
        return f"the {what} holds the control character U+{ord(strange):04X}; plain text is taken"
    if not any(c.isalpha() for c in text):
        return f"the {what} holds no word; {advice}"
    return ""
