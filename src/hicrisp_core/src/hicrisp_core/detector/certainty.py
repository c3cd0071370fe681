"""How far a view supports a verdict: a fact is certain when no pose within the uncertainty decides it
otherwise.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Iterator, List, Optional, Tuple

from hicrisp_core.detector.relations import is_measured, measure
from hicrisp_core.domain.checker import no_picture
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Cause, CauseKind, Pose, Relation, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, multiply
from hicrisp_core.model.track import EXACT, Uncertainty, Visibility

SURE = 2.0
"""Standard deviations that a pose may be off while a verdict on a command must stay the same."""
STILL_SURE = 1.0
"""The same for a goal, whose facts were judged before when they were made."""
_DIRECTIONS = 8


def doubt_about(
    domain: Domain, fact: Relation, world: WorldState, sigmas: float = SURE
) -> Optional[Cause]:
    """Why the view does not show whether a fact holds; ``None`` where it does.

    Args:
        sigmas: how many standard deviations a pose may be off.
    """
    if not is_measured(domain, fact):
        return None  # No pose decides it.
    things = [world.objects[name] for name in (fact.subject, fact.object) if name in world.objects]
    hidden = [thing for thing in things if thing.movable and thing.visibility is Visibility.HIDDEN]
    if hidden and not _borne(domain, fact, world, hidden):
        age = max(thing.pose_age for thing in hidden)
        return no_picture(world) or Cause(CauseKind.HIDDEN, tuple(thing.name for thing in hidden), age)
    vague = tuple(thing for thing in things if thing.uncertainty != EXACT and thing.pose is not None)
    seen = measure(domain, fact, world) if vague else None
    if seen is None:
        return None
    for variant in _variants(world, vague, sigmas):
        other = measure(domain, fact, variant)
        if other is not None and other.holds != seen.holds:
            return Cause(CauseKind.IMPRECISE, tuple(thing.name for thing in vague))
    return None


def _borne(domain: Domain, fact: Relation, world: WorldState, hidden: List[WorldObject]) -> bool:
    """Whether a thing that is seen shows by its height what stands under it, and hides it: nothing else would
    bear it there.
    """
    if fact.predicate != domain.roles.stands_on or [thing.name for thing in hidden] != [fact.object]:
        return False
    seen = measure(domain, fact, world)
    return seen is not None and seen.holds and not domain.roles.is_held(world, fact.subject)


def _variants(world: WorldState, vague: Tuple[WorldObject, ...], sigmas: float) -> Iterator[WorldState]:
    """The world with one thing where it may be as well, as seen from the other.

    What is not known of two things adds up, so the first is moved by both.
    """
    first = vague[0]
    off = _together(vague)
    for number in range(_DIRECTIONS):
        angle = math.tau * number / _DIRECTIONS
        length = sigmas * off.position
        yield _moved(world, first, (length * math.cos(angle), length * math.sin(angle), 0.0))
    for side in (-1.0, 1.0):
        yield _moved(world, first, (0.0, 0.0, side * sigmas * off.height))
        for thing in vague:
            yield _turned(world, thing, side * sigmas * thing.uncertainty.yaw)


def _together(things: Tuple[WorldObject, ...]) -> Uncertainty:
    return Uncertainty(math.sqrt(sum(thing.uncertainty.position ** 2 for thing in things)),
                       math.sqrt(sum(thing.uncertainty.height ** 2 for thing in things)))


def _moved(world: WorldState, thing: WorldObject, by: Tuple[float, float, float]) -> WorldState:
    assert thing.pose is not None
    return _with(world, replace(thing, pose=thing.pose.shifted(by)))


def _turned(world: WorldState, thing: WorldObject, by: float) -> WorldState:
    assert thing.pose is not None
    turned = multiply(from_yaw(by), thing.pose.orientation)
    return _with(world, replace(thing, pose=Pose(thing.pose.position, turned)))


def _with(world: WorldState, thing: WorldObject) -> WorldState:
    return replace(world, objects={**world.objects, thing.name: thing})
