"""The feedback stack: what failed and why, last in, first out (HiCRISP, section III-D)."""

from __future__ import annotations

from dataclasses import replace
from typing import List, Tuple

from hicrisp_core.model import Command, Feedback, Maker, StackEntry
from hicrisp_core.model.correction import NOBODY


class FeedbackStack:
    """Failed commands with their feedback; at the bottom the step's own command.

    Args:
        depth: the most entries that it takes, at least 1.
    """

    def __init__(self, depth: int) -> None:
        if depth < 1:
            raise ValueError(f"a feedback stack needs a depth of at least 1, got {depth}")
        self._depth = depth
        self._entries: List[StackEntry] = []

    @property
    def entries(self) -> Tuple[StackEntry, ...]:
        """The entries, bottom first."""
        return tuple(self._entries)

    @property
    def top(self) -> StackEntry:
        """The entry that failed last."""
        return self._entries[-1]

    @property
    def full(self) -> bool:
        """Whether no further entry may be pushed."""
        return len(self._entries) >= self._depth

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, command: Command, feedback: Feedback, maker: Maker = NOBODY) -> None:
        """Put a failed command on top (Algorithm 1, lines 5 and 23).

        Args:
            command: the failed command.
            feedback: why it failed.
            maker: who made the command, if it is a correction.

        Raises:
            ValueError: if the stack is full.
        """
        if self.full:
            raise ValueError(f"the feedback stack is full at {self._depth} entries")
        self._entries.append(StackEntry(command, feedback, maker=maker))

    def update(self, command: Command, feedback: Feedback) -> None:
        """Replace command and feedback of the top after another attempt (line 19).

        Args:
            command: the command as it was tried last.
            feedback: why it failed.
        """
        self._entries[-1] = replace(self.top, command=command, feedback=feedback, attempts=self.top.attempts + 1)

    def replace(self, command: Command, maker: Maker) -> None:
        """Replace the top by another command that has not been tried yet.

        Args:
            command: the new command.
            maker: who made it.
        """
        self._entries[-1] = replace(self.top, command=command, attempts=0, maker=maker)

    def pop(self) -> StackEntry:
        """Take off the top, which holds now (line 17)."""
        return self._entries.pop()
