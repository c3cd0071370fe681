"""What one task has of the memory: what earlier runs offer it, and what it leaves for later ones."""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Optional, Tuple

from hicrisp_core.executive.run_log import Listener, RunLog
from hicrisp_core.model import DecoderOffsets, Goal, KnownWay, Remembered, StackEntry, Task, WorldState
from hicrisp_core.ports.memory import FinishedRun, Memory
from hicrisp_core.trace.events import Noted, OffsetLearnt, Recalled

EXAMPLES, OFFSETS = "examples", "offsets"
"""What is recalled, as events say it."""


class MemorySession:
    """The memory as one task uses it; it hears everything that happens, to hand it over at the end.

    Args:
        memory: without one nothing is recalled or kept.
        on_event: hears everything, too.
    """

    def __init__(self, memory: Optional[Memory], on_event: Listener) -> None:
        self._memory = memory
        self._on_event = on_event
        self._events: List[Dict[str, Any]] = []
        self._offered: Tuple[Remembered, ...] = ()

    def hear(self, event: Dict[str, Any]) -> None:
        """Pass an event on, and keep it for the memory.

        Args:
            event: the event as a JSON object.
        """
        if self._memory is not None:
            self._events.append(event)
        self._on_event(event)

    def offsets(self, known: DecoderOffsets, robots: Collection[str], ledger: RunLog) -> DecoderOffsets:
        """Add the offsets that earlier runs learnt to the known ones.

        Args:
            known: offsets of this run; they take precedence.
            robots: names of the robots.
            ledger: counters and event log of the task.

        Returns:
            The offsets.
        """
        if self._memory is None:
            return known
        found = self._memory.offsets(known, robots)
        self._complain(ledger)
        new = tuple(sorted(set(found.estimates) - set(known.estimates)))
        if new:
            ledger.tell(Recalled(what=OFFSETS, texts=new))
        return found

    def examples(self, task: Task, world: WorldState, ledger: RunLog) -> Tuple[Remembered, ...]:
        """Return earlier tasks similar to this one.

        Args:
            task: the user's request with its id.
            world: observed objects, robots and facts; poses in the world frame.
            ledger: counters and event log of the task.

        Returns:
            The examples, the most similar last; empty without a memory.
        """
        if self._memory is None:
            return ()
        self._offered = self._memory.examples(task, world)
        self._complain(ledger)
        return self._offered

    def tell_examples(self, ledger: RunLog) -> None:
        """Log which examples the brain got, if it asked a model.

        Args:
            ledger: counters and event log of the task.
        """
        if self._offered and ledger.calls:
            ledger.tell(Recalled(what=EXAMPLES, ids=tuple(each.id for each in self._offered),
                                 texts=tuple(each.text for each in self._offered)))

    def ways(self, failed: StackEntry, world: WorldState) -> Tuple[KnownWay, ...]:
        """Return corrections that worked for a similar failure.

        Args:
            failed: the failed command with its feedback.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The corrections, best first; empty without a memory.
        """
        return self._memory.ways(failed, world) if self._memory is not None else ()

    def learn(
        self, task: Task, world: WorldState, goal: Optional[Goal], went_well: bool, offsets: DecoderOffsets,
        ledger: RunLog,
    ) -> None:
        """Save what the task taught; problems of the memory are logged.

        Args:
            task: the user's request with its id.
            world: the world in which it started.
            goal: its goal; ``None`` if there was none.
            went_well: whether the task succeeded.
            offsets: learnt errors of the robots.
            ledger: counters and event log of the task.
        """
        if self._memory is None:
            return
        measured = dict.fromkeys(str(event.get("key", "")) for event in self._events
                                 if event.get("kind") == OffsetLearnt.kind)
        self._memory.learn(FinishedRun(task, world, tuple(self._events), goal, went_well, offsets,
                                       tuple(measured)))
        self._complain(ledger)

    def _complain(self, ledger: RunLog) -> None:
        complaint = self._memory.complaint() if self._memory is not None else ""
        if complaint:
            ledger.tell(Noted(text=complaint))
