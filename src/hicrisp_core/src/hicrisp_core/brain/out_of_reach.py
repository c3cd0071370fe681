"""Which objects and places a plan does without, since no motion leads to them."""

from __future__ import annotations

from typing import FrozenSet, Iterator, Set, Tuple

from hicrisp_core.domain.schema import Domain, expected_facts
from hicrisp_core.model import Command, Feedback, FeedbackKind, WorldState


def out_of_reach(domain: Domain, feedback: Tuple[Feedback, ...]) -> FrozenSet[str]:
    """The things that no motion was found to pick up."""
    return frozenset(domain.item(entry.command) for entry in _without_motion(feedback)
                     if entry.command is not None and _picks(domain, entry.command))


def no_path_to(feedback: Tuple[Feedback, ...]) -> FrozenSet[str]:
    """The places to which no path leads."""
    return frozenset(name for entry in feedback if entry.kind is FeedbackKind.UNREACHABLE for name in entry.subjects)


def placed_by(domain: Domain, feedback: Tuple[Feedback, ...], world: WorldState) -> FrozenSet[str]:
    """The things that no motion was found to place others by."""
    found: Set[str] = set()
    for entry in _without_motion(feedback):
        command = entry.command
        if command is not None and not _picks(domain, command):
            item, named = domain.item(command), (str(value) for value in command.arguments.values())
            found.update(name for name in named if name in world.objects and name != item)
    return frozenset(found)


def _without_motion(feedback: Tuple[Feedback, ...]) -> Iterator[Feedback]:
    return (entry for entry in feedback if entry.kind is FeedbackKind.PLANNING and entry.command is not None)


def _picks(domain: Domain, command: Command) -> bool:
    item = domain.item(command)
    return bool(item) and any(fact.predicate == domain.roles.held and fact.object == item
                              for fact in expected_facts(domain, command)[0])
