"""The memory of one robot cell: what earlier runs left, in a file, for the tasks of one domain."""

from __future__ import annotations

import time
from dataclasses import replace
from sqlite3 import Connection
from typing import Callable, Collection, Dict, Iterable, List, Tuple, TypeVar, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.memory import tables
from hicrisp_core.memory.entries import Entry, Numbered, Offset, Source
from hicrisp_core.memory.learning import lesson_of
from hicrisp_core.memory.likeness import Likeness, alike_in_words
from hicrisp_core.memory.recall import failure_of, known_ways, near_examples
from hicrisp_core.memory.store import Store, Trouble
from hicrisp_core.model import StackEntry, Task, WorldState
from hicrisp_core.model.offsets import DecoderOffsets, OffsetEstimate, robot_of
from hicrisp_core.model.remembered import KnownWay, Remembered
from hicrisp_core.ports.memory import FinishedRun

HALF_LIFE = 7.0 * 86400.0
"""Seconds after which an estimate weighs half as many measurements."""
MOST_SAMPLES = 4.0
"""Measurements that an earlier estimate weighs at most."""
LEAST_SAMPLES = 0.5
"""One that weighs less is forgotten."""
_Found = TypeVar("_Found")
_NOWHERE = Source()
_GOES_ON = "The task goes on without it; what is in it: hicrisp memory list."


def aged_offsets(known: Iterable[Offset], now: float) -> Dict[str, OffsetEstimate]:
    """What is left of earlier estimates, by their key.

    Args:
        now: seconds since 1970.
    """
    aged = {each.key: aged_estimate(each.estimate, max(0.0, now - each.when)) for each in known}
    return {key: estimate for key, estimate in aged.items() if estimate.samples >= LEAST_SAMPLES}


def aged_estimate(estimate: OffsetEstimate, age: float) -> OffsetEstimate:
    """An estimate with as many measurements as it still weighs; the scatter of one stays as it was.

    Args:
        age: seconds since the latest measurement.
    """
    if estimate.samples <= 0.0:
        return OffsetEstimate()
    weight = 0.5 ** (age / HALF_LIFE)
    samples = min(estimate.samples, MOST_SAMPLES) * weight
    return OffsetEstimate(samples, estimate.mean, estimate.scatter * samples / estimate.samples)


class FileMemory:
    """What earlier runs left in a file.

    Args:
        keeps: whether it writes down what runs teach, or only reads.
        body: which robot the offsets are of: real, or of which simulated world.
        source: what is written beside an entry: policy, language model, scene.
        alike: how requests are compared.
        clock: seconds since 1970.
    """

    def __init__(
        self, store: Store, domain: Domain, keeps: bool = True, body: str = "", source: Source = _NOWHERE,
        alike: Likeness = alike_in_words, clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._domain = domain
        self._keeps = keeps
        self._body = body or "robot"
        self._source = source
        self._alike = alike
        self._clock = clock
        self._complaints: List[str] = []

    def examples(self, task: Task, world: WorldState) -> Tuple[Remembered, ...]:
        """Earlier tasks that were like this one, the most alike last."""
        nothing: Tuple[Numbered, ...] = ()
        known = self._or(self._store.read(lambda file: tables.examples(file, self._domain.name), nothing), nothing)
        return near_examples(task, world, known, self._domain, self._alike) if known else ()

    def ways(self, failed: StackEntry, world: WorldState) -> Tuple[KnownWay, ...]:
        """Corrections that worked for such a failure, the best first."""
        nothing: Tuple[Numbered, ...] = ()
        sign = tables.sign(failure_of(failed.feedback, failed.command.action, failed.command.arguments))
        known = self._or(
            self._store.read(lambda file: tables.corrections(file, self._domain.name, sign), nothing), nothing)
        return known_ways(failed, world, known, self._domain)

    def offsets(self, known: DecoderOffsets, robots: Collection[str]) -> DecoderOffsets:
        """Offsets with what earlier runs learnt of some robots, where nothing newer is known."""
        nothing: Tuple[Numbered, ...] = ()
        found = self._or(self._store.read(lambda file: tables.offsets(file, self._body), nothing), nothing)
        earlier = aged_offsets((each.entry for each in found if isinstance(each.entry, Offset)
                                and robot_of(each.entry.key) in robots), self._clock())
        return replace(known, estimates={**earlier, **known.estimates}) if earlier else known

    def learn(self, run: FinishedRun) -> None:
        """Keep what a run teaches; nothing where this memory only reads."""
        if not self._keeps:
            return
        now = self._clock()
        source = replace(self._source, run=run.task.id[:120], when=now)
        lesson = lesson_of(run.events, run.task.text, run.world, self._domain, run.goal, source, run.went_well)
        offsets = [Offset(self._body, key, run.offsets.estimates[key], now) for key in run.measured
                   if key in run.offsets.estimates]
        entries: List[Entry] = [*lesson.mended, *offsets]
        if lesson.example is not None:
            entries.append(lesson.example)
        if not entries and not lesson.in_vain:
            return

        def write(file: Connection) -> None:
            for entry in entries:
                tables.put(file, entry)
            for id_ in lesson.in_vain:
                tables.in_vain(file, id_)

        self._or(self._store.write(write), None)

    def complaint(self) -> str:
        """Why it cannot be used, as a sentence that is told once; empty while all is well."""
        told, self._complaints = self._complaints, []
        return f"{told[0]} {_GOES_ON}" if told else ""

    def _or(self, found: Union[_Found, Trouble], nothing: _Found) -> _Found:
        if isinstance(found, Trouble):
            self._complaints = [*self._complaints, found.message]
            return nothing
        return found
