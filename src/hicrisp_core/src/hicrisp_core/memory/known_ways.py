"""Corrections that worked before for a failure like today's, in today's names."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.memory.entries import Failure, Mended, Numbered, Thing
from hicrisp_core.memory.names import names_in, todays_names
from hicrisp_core.memory.recall import grounded
from hicrisp_core.model import Feedback, StackEntry, Step, Value, WorldState
from hicrisp_core.model.remembered import KnownWay

MOST = 3
"""Corrections that are offered for one failure."""


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


def _in_todays_names(
    entry: Mended, today: Failure, world: WorldState, domain: Domain
) -> Optional[Tuple[Step, ...]]:
    failure = entry.failure
    if (failure.kind, failure.label, failure.command.action) != (today.kind, today.label,
                                                                 today.command.action):
        return None
    settled = _settled(failure, today, entry.things, world)
    needed = {name: entry.things[name] for name in names_in(entry.steps) if name in entry.things}
    if settled is None:
        return None
    names = todays_names(needed, domain, world, settled)
    return None if names is None else grounded([names.step(step) for step in entry.steps], domain, world)


def _settled(
    then: Failure, now: Failure, things: Mapping[str, Thing], world: WorldState
) -> Optional[Dict[str, str]]:
    """Who stands for whom by their parts in the failure; ``None`` where their types differ or a name has
    two.
    """
    types, found = world.types(), {}  # type: Mapping[str, str], Dict[str, str]
    pairs = [(str(value), str(now.command.arguments.get(key, "")))
             for key, value in then.command.arguments.items()]
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
