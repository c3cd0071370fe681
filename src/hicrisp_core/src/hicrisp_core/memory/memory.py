"""The memory of one robot cell: what earlier runs left, in a file, for the tasks of one domain and in their names."""

from __future__ import annotations

import time
from dataclasses import replace
from sqlite3 import Connection
from typing import Callable, Collection, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.validation import check_goal
from hicrisp_core.memory import tables
from hicrisp_core.memory.entries import Entry, Example, Failure, Mended, NamedObject, Numbered, Offset, Source
from hicrisp_core.memory.learning import lesson_of
from hicrisp_core.memory.likeness import alike_in_words
from hicrisp_core.memory.names import mentioned, names_in, todays_names, without_names
from hicrisp_core.memory.store import Store, Trouble
from hicrisp_core.model import Feedback, GoalError, KnownWay, Remembered, StackEntry, Step, Task, Value, WorldState
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.model.offsets import DecoderOffsets, OffsetEstimate
from hicrisp_core.ports.memory import FinishedRun

MOST = 3
"""Examples for one task, and corrections for one failure."""
ALIKE = 0.3
"""Likeness from which an earlier request is taken for an example."""
HALF_LIFE = 7.0 * 86400.0
"""Seconds after which an estimate weighs half as many measurements."""
MOST_SAMPLES = 4.0
"""Measurements that an earlier estimate weighs at most."""
LEAST_SAMPLES = 0.5
"""One that weighs less is forgotten."""
_NOWHERE = Source()
_GOES_ON = "The task goes on without it; what is in it: hicrisp memory list."


def near_examples(
    task: Task, world: WorldState, known: Sequence[Numbered], domain: Domain
) -> Tuple[Remembered, ...]:
    """Return the examples most similar to a task.

    Examples that do not fit the current scene and domain are left out.

    Args:
        task: the user's request with its id.
        world: observed objects, robots and facts; poses in the world frame.
        known: the stored entries.
        domain: types, predicates and actions of the application.

    Returns:
        The examples, the most similar last, since a model heeds that most.
    """
    entries = [(each, each.entry) for each in known if isinstance(each.entry, Example)]
    scores = alike_in_words(without_names(task.text, world.types()), [
        without_names(entry.text, {name: item.type for name, item in entry.things.items()})
        for _, entry in entries])
    spoken = mentioned(task.text, world)
    best = sorted(zip(scores, range(len(entries))), key=lambda each: (-each[0], each[1]))
    found: List[Remembered] = []
    for score, index in best:
        if score < ALIKE or len(found) == MOST:
            break
        numbered, example = entries[index]
        names = todays_names(example.things, domain, world, preferred=spoken)
        if names is None:
            continue
        text = names.said(example.text, example.things, world)
        steps = grounded([names.step(step) for step in example.steps], domain, world)
        read = parse_goal(example.goal)
        if text is None or steps is None or isinstance(read, GoalError) or any(text == each.text for each in found):
            continue
        goal = names.goal(read)
        if goal.empty or check_goal(goal, domain, world) is None:
            found.append(Remembered(numbered.id, text, steps, None if goal.empty else goal, round(score, 3)))
    return tuple(reversed(found))


def grounded(steps: Sequence[Step], domain: Domain, world: WorldState) -> Optional[Tuple[Step, ...]]:
    """Ground steps in a world.

    Args:
        steps: steps of a plan, in order.
        domain: types, predicates and actions of the application.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The steps in the domain's words; ``None`` if one does not fit.
    """
    found: List[Step] = []
    for step in steps:
        try:
            command = domain.ground(step, world)
        except DomainError:
            return None
        found.append(Step(domain.describe(command), command.action, command.arguments, command.robot))
    return tuple(found)


def failure_of(feedback: Feedback, action: str, arguments: Mapping[str, Value]) -> Failure:
    """Describe a failure in the form that the memory stores.

    Args:
        feedback: what failed, and why.
        action: name of the failed action.
        arguments: its arguments.

    Returns:
        The failure.
    """
    about = tuple(dict.fromkeys((*feedback.subjects, *feedback.blockers)))
    return Failure(feedback.kind.value, Step("", action, arguments), feedback.label, about)


def known_ways(
    failed: StackEntry, world: WorldState, known: Sequence[Numbered], domain: Domain
) -> Tuple[KnownWay, ...]:
    """Return corrections of similar failures: the same action on objects of the same types failed in the same
    way.

    Args:
        failed: the failed command with its feedback.
        world: observed objects, robots and facts; poses in the world frame.
        known: the stored entries.
        domain: types, predicates and actions of the application.

    Returns:
        The corrections that fit the current objects, in the given order.
    """
    today = failure_of(failed.feedback, failed.command.action, failed.command.arguments)
    found: List[KnownWay] = []
    for each in known:
        entry = each.entry
        if not isinstance(entry, Mended) or len(found) == MOST:
            continue
        then = entry.failure
        if (then.kind, then.label, then.command.action) != (today.kind, today.label, today.command.action):
            continue
        settled = _settled(then, today, entry.things, world)
        needed = {name: entry.things[name] for name in names_in(entry.steps) if name in entry.things}
        names = None if settled is None else todays_names(needed, domain, world, settled)
        steps = None if names is None else grounded([names.step(step) for step in entry.steps], domain, world)
        if steps is not None and all(steps != other.steps for other in found):
            found.append(KnownWay(each.id, steps, entry.instead, each.times))
    return tuple(found)


def _settled(
    then: Failure, now: Failure, objects: Mapping[str, NamedObject], world: WorldState
) -> Optional[Dict[str, str]]:
    """Map objects by their parts in the failure; ``None`` if their types differ or a name has
    two.
    """
    types, found = world.types(), {}  # type: Mapping[str, str], Dict[str, str]
    pairs = [(str(value), str(now.command.arguments.get(key, ""))) for key, value in then.command.arguments.items()]
    if set(then.command.arguments) != set(now.command.arguments):
        return None
    pairs += zip(then.about, now.about)
    for old, new in pairs:
        if old not in objects:
            if old != new:
                return None  # A number, which must be the same.
            continue
        if types.get(new) != objects[old].type or found.get(old, new) != new:
            return None
        if old not in found and new in found.values():
            return None
        found[old] = new
    return found


def aged_offsets(known: Iterable[Offset], now: float) -> Dict[str, OffsetEstimate]:
    """Return earlier estimates reduced by their age.

    Args:
        known: the stored estimates.
        now: seconds since 1970.

    Returns:
        Estimates by key; those with too little weight left are omitted.
    """
    aged = {}
    for each in known:
        estimate, weight = each.estimate, 0.5 ** (max(0.0, now - each.when) / HALF_LIFE)
        samples = min(estimate.samples, MOST_SAMPLES) * weight
        if samples >= LEAST_SAMPLES:  # The scatter of a single measurement stays the same.
            aged[each.key] = OffsetEstimate(samples, estimate.mean, estimate.scatter * samples / estimate.samples)
    return aged


class FileMemory:
    """What earlier runs left in a file.

    Args:
        keeps: whether it writes down what runs teach, or only reads.
        body: which robot the offsets are of: real, or of which simulated world.
        source: what is written beside an entry: policy, language model, scene.
        clock: seconds since 1970.
    """

    def __init__(
        self, store: Store, domain: Domain, keeps: bool = True, body: str = "", source: Source = _NOWHERE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._domain = domain
        self._keeps = keeps
        self._body = body or "robot"
        self._source = source
        self._clock = clock
        self._complaints: List[str] = []

    def examples(self, task: Task, world: WorldState) -> Tuple[Remembered, ...]:
        """Return earlier tasks similar to this one.

        Args:
            task: the user's request with its id.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The examples, the most similar last.
        """
        known = self._found(lambda file: tables.examples(file, self._domain.name))
        return near_examples(task, world, known, self._domain) if known else ()

    def ways(self, failed: StackEntry, world: WorldState) -> Tuple[KnownWay, ...]:
        """Return corrections that worked for a similar failure.

        Args:
            failed: the failed command with its feedback.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The corrections, best first.
        """
        sign = tables.sign(failure_of(failed.feedback, failed.command.action, failed.command.arguments))
        known = self._found(lambda file: tables.corrections(file, self._domain.name, sign))
        return known_ways(failed, world, known, self._domain)

    def offsets(self, known: DecoderOffsets, robots: Collection[str]) -> DecoderOffsets:
        """Add offsets that earlier runs learnt to the known ones.

        Args:
            known: offsets of this run; they take precedence.
            robots: names of the robots.

        Returns:
            The offsets.
        """
        found = self._found(lambda file: tables.offsets(file, self._body))
        earlier = aged_offsets((each.entry for each in found if isinstance(each.entry, Offset)
                                and each.entry.key.partition("/")[0] in robots), self._clock())
        return replace(known, estimates={**earlier, **known.estimates}) if earlier else known

    def learn(self, run: FinishedRun) -> None:
        """Save what a run teaches; a read-only memory ignores it.

        Args:
            run: the finished run.
        """
        if not self._keeps:
            return
        now = self._clock()
        source = replace(self._source, run=run.task.id[:120], when=now)
        lesson = lesson_of(run.events, run.task.text, run.world, self._domain, run.goal, source, run.went_well)
        measured = {key: run.offsets.estimates[key] for key in run.measured if key in run.offsets.estimates}
        offsets = [Offset(self._body, key, found.samples, found.mean, found.scatter, now)
                   for key, found in measured.items()]
        entries: List[Entry] = [*lesson.mended, *offsets]
        if lesson.example is not None:
            entries.append(lesson.example)
        if not entries and not lesson.unhelpful:
            return

        def write(file: Connection) -> None:
            for entry in entries:
                tables.put(file, entry)
            for id_ in lesson.unhelpful:
                tables.count_failure(file, id_)

        trouble = self._store.write(write)
        if trouble is not None:
            self._complaints.append(trouble.message)

    def complaint(self) -> str:
        """Return why the memory cannot be used; each problem is reported once.

        Returns:
            A sentence; empty without a problem.
        """
        told, self._complaints = self._complaints, []
        return f"{told[0]} {_GOES_ON}" if told else ""

    def _found(self, query: Callable[[Connection], Tuple[Numbered, ...]]) -> Tuple[Numbered, ...]:
        nothing: Tuple[Numbered, ...] = ()
        found = self._store.read(query, nothing)
        if isinstance(found, Trouble):
            self._complaints.append(found.message)
            return nothing
        return found
