"""What is asked of the memory of earlier runs, and what it is told of a finished one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Collection, Mapping, Optional, Protocol, Sequence, Tuple

from hicrisp_core.model import DecoderOffsets, Goal, KnownWay, Remembered, StackEntry, Task, WorldState


@dataclass(frozen=True)
class FinishedRun:
    """A task that has ended.

    Args:
        task: as it was understood.
        world: the one that it began in.
        events: all that happened, as they were written.
        goal: what the task meant, where that is known.
        went_well: whether it succeeded, with its goal seen where that was judged.
        offsets: what the action decoder knows now; ``measured`` are the keys of which it learnt something.
    """

    task: Task
    world: WorldState
    events: Sequence[Mapping[str, Any]]
    goal: Optional[Goal]
    went_well: bool
    offsets: DecoderOffsets
    measured: Tuple[str, ...] = ()


class Memory(Protocol):
    """What earlier runs left. It never fails a task: where it cannot be used it has nothing to offer."""

    def examples(self, task: Task, world: WorldState) -> Tuple[Remembered, ...]:
        """Return earlier successful tasks that resemble a task.

        Args:
            task: the new task.
            world: the observed world; the examples use its names.

        Returns:
            The examples, most similar last.
        """

    def ways(self, failed: StackEntry, world: WorldState) -> Tuple[KnownWay, ...]:
        """Return corrections that worked for a similar failure.

        Args:
            failed: the failed command with its feedback.
            world: the observed world; the corrections use its names.

        Returns:
            The corrections, best first; they are proposals and must be checked.
        """

    def offsets(self, known: DecoderOffsets, robots: Collection[str]) -> DecoderOffsets:
        """Complete placement offsets with what earlier runs learnt.

        Args:
            known: the offsets of this run, which take precedence.
            robots: names of the robots whose offsets are requested.

        Returns:
            The known offsets with those of earlier runs added.
        """

    def learn(self, run: FinishedRun) -> None:
        """Store what a finished run teaches.

        Args:
            run: the finished run with its events.
        """

    def complaint(self) -> str:
        """Return why the memory cannot be used, as a sentence that is reported once; empty if it works."""
