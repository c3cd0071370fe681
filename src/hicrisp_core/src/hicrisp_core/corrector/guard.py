"""The loop guard: the same command, error and state met again climbs one rung of the ladder."""

from __future__ import annotations

import hashlib
from typing import Tuple

from hicrisp_core.model import Feedback, Rung, StackEntry, WorldState

_GRID = 0.01
"""Metres to which positions are rounded: noise moves things by more, a true loop does not."""


def meeting(entry: StackEntry, world: WorldState) -> str:
    """A short hash of a failure in a state: command, error, facts and rounded positions."""
    aim = tuple(round(value / _GRID) for value in entry.command.aim.position) if entry.command.aim else ()
    failure = (str(entry.command), entry.feedback.kind.value, entry.feedback.label)
    return _hash((*failure, aim), world)


def missed_meeting(missed: Feedback, world: WorldState) -> str:
    """The same for a goal of which something is missing once all steps are done."""
    return _hash((missed.kind.value, *map(str, missed.conditions)), world)


def mark(met: str, rung: Rung) -> str:
    """What is remembered of a rung that was tried at a meeting."""
    return f"{met}:{rung.value}"


def _hash(failure: Tuple[object, ...], world: WorldState) -> str:
    places = sorted(
        (name, *(round(value / _GRID) for value in thing.pose.position))
        for name, thing in world.objects.items() if thing.pose is not None and thing.movable)
    text = repr((failure, sorted(world.relations), places))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
