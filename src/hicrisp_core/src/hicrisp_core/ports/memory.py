"""What is asked of the memory of earlier runs, and what it is told of a finished one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Collection, Mapping, Optional, Protocol, Sequence, Tuple

from hicrisp_core.model import StackEntry, Task, WorldState
from hicrisp_core.model.goal import Goal
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.model.remembered import KnownWay, Remembered


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
        """Earlier tasks that were like this one, the most alike last."""

    def ways(self, failed: StackEntry, world: WorldState) -> Tuple[KnownWay, ...]:
        """Corrections that worked for such a failure, the best first."""

    def offsets(self, known: DecoderOffsets, robots: Collection[str]) -> DecoderOffsets:
        """Offsets with what earlier runs learnt of some robots, where nothing newer is known."""

    def learn(self, run: FinishedRun) -> None:
        """Keep what a run teaches."""

    def complaint(self) -> str:
        """Why it cannot be used, as a sentence that is told once; empty while all is well."""
