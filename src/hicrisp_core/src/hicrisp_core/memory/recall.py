"""What earlier runs left for today's task, in today's names: examples like it, and corrections that worked."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.goals.typed import check_goal
from hicrisp_core.memory.entries import Example, Failure, Mended, Numbered, Thing
from hicrisp_core.memory.likeness import Likeness
from hicrisp_core.memory.names import mentioned, names_in, todays_names, without_names
from hicrisp_core.model import Feedback, StackEntry, Step, Task, Value, WorldState
from hicrisp_core.model.goal_text import parse_goal
from hicrisp_core.model.misfit import Misfit
from hicrisp_core.model.remembered import KnownWay, Remembered

MOST = 3
"""Examples for one task, and corrections for one failure."""
ALIKE = 0.3
"""Likeness from which an earlier request is taken for an example."""


def near_examples(
    task: Task, world: WorldState, known: Sequence[Numbered], domain: Domain, alike: Likeness
) -> Tuple[Remembered, ...]:
    """The examples that are most like a task, the most alike last, where a model heeds them most.

    What does not fit today's scene and domain is left out: a name without a thing for it, an action or a
    condition that there is not.
    """
    entries = [(each, each.entry) for each in known if isinstance(each.entry, Example)]
    scores = alike(without_names(task.text, world.types()), [
        without_names(entry.text, {name: thing.type for name, thing in entry.things.items()})
        for _, entry in entries])
    spoken = mentioned(task.text, world)
    best = sorted(zip(scores, range(len(entries))), key=lambda each: (-each[0], each[1]))
    found: List[Remembered] = []
    for score, index in best:
        if score < ALIKE or len(found) == MOST:
            break
        example = _today(*entries[index], domain, world, score, spoken)
        if example is not None and all(example.text != other.text for other in found):
            found.append(example)
    return tuple(reversed(found))


def grounded(steps: Sequence[Step], domain: Domain, world: WorldState) -> Optional[Tuple[Step, ...]]:
    """Steps as the domain reads them in a world; ``None`` where one of them does not fit."""
    found: List[Step] = []
    for step in steps:
        try:
            command = domain.ground(step, world)
        except DomainError:
            return None
        found.append(Step(domain.describe(command), command.action, command.arguments, command.robot))
    return tuple(found)


def _today(
    numbered: Numbered, example: Example, domain: Domain, world: WorldState, score: float, spoken: Sequence[str],
) -> Optional[Remembered]:
    names = todays_names(example.things, domain, world, preferred=spoken)
    if names is None:
        return None
    text = names.said(example.text, example.things, world)
    steps = grounded([names.step(step) for step in example.steps], domain, world)
    goal = parse_goal(example.goal)
    if text is None or steps is None or isinstance(goal, Misfit):
        return None
    goal = names.goal(goal)
    if not goal.empty and check_goal(goal, domain, world) is not None:
        return None
    return Remembered(numbered.id, text, steps, None if goal.empty else goal, round(score, 3))


def failure_of(feedback: Feedback, action: str, arguments: Mapping[str, Value]) -> Failure:
    """What went wrong with a command, as the memory knows it."""
    about = tuple(dict.fromkeys((*feedback.subjects, *feedback.blockers)))
    return Failure(feedback.kind.value, feedback.label, Step("", action, arguments), about)


def known_ways(
    failed: StackEntry, world: WorldState, known: Sequence[Numbered], domain: Domain
) -> Tuple[KnownWay, ...]:
    """What once mended such a failure: the same action on things of the same types failed in the same way.

    The order is that of what is known; what does not fit today's things is left out.
    """
    today = failure_of(failed.feedback, failed.command.action, failed.command.arguments)
    found: List[KnownWay] = []
    for each in known:
        entry = each.entry
        if not isinstance(entry, Mended) or len(found) == MOST:
            continue
        steps = _in_todays_names(entry, today, world, domain)
        if steps is not None and all(steps != other.steps for other in found):
            found.append(KnownWay(each.id, steps, entry.instead, each.times))
    return tuple(found)


def _in_todays_names(entry: Mended, today: Failure, world: WorldState, domain: Domain) -> Optional[Tuple[Step, ...]]:
    failure = entry.failure
    if (failure.kind, failure.label, failure.command.action) != (today.kind, today.label, today.command.action):
        return None
    settled = _settled(failure, today, entry.things, world)
    needed = {name: entry.things[name] for name in names_in(entry.steps) if name in entry.things}
    if settled is None:
        return None
    names = todays_names(needed, domain, world, settled)
    return None if names is None else grounded([names.step(step) for step in entry.steps], domain, world)


def _settled(then: Failure, now: Failure, things: Mapping[str, Thing], world: WorldState) -> Optional[Dict[str, str]]:
    """Who stands for whom by their parts in the failure; ``None`` where their types differ or a name has
    two.
    """
    types, found = world.types(), {}  # type: Mapping[str, str], Dict[str, str]
    pairs = [(str(value), str(now.command.arguments.get(key, ""))) for key, value in then.command.arguments.items()]
    if set(then.command.arguments) != set(now.command.arguments):
        return None
    pairs += zip(then.about, now.about)
    for old, new in pairs:
        if old not in things:
            if old != new:
                return None  # A number, which must be the same.
            continue
        if types.get(new) != things[old].type or found.get(old, new) != new:
            return None
        if old not in found and new in found.values():
            return None
        found[old] = new
    return found
