"""What a watch over the task as a whole is asked and answers."""

from __future__ import annotations

from typing import Optional, Protocol, Tuple

from hicrisp_core.model import Command, Feedback, Task, Verdict, WorldState


class TaskWatch(Protocol):
    """Knows what a task as a whole asks for, beyond its single steps: their order, and that none is
    missing.
    """

    def begin(self, task: Task) -> None:
        """Another task begins."""

    def change(self) -> None:
        """The task means something else from now on, as its goal says; what was seen so far still counts."""

    def see(self, world: WorldState) -> WorldState:
        """The observed world with the facts that the watch adds."""

    def judge(self, command: Command, world: WorldState, verdict: Verdict) -> Verdict:
        """The verdict with what the task as a whole has to say about it."""

    def unfinished(self, world: WorldState) -> Optional[Tuple[Optional[Command], Feedback]]:
        """What the task wants and no step did, with the command for it where there is one."""
