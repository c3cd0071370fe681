"""What was found impossible stays so until something that it is about has changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import FrozenSet, Iterable, Mapping, Optional

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Feedback, FeedbackKind, Pose, Relation, WorldState

_KINDS = frozenset((FeedbackKind.PLANNING, FeedbackKind.NO_PLACE, FeedbackKind.UNREACHABLE))
"""Failures that the same command meets again where nothing has changed."""
_MOVED = 0.02
"""Metres from which on an object counts as moved; noise moves it by less."""


def barred_by(failures: Iterable[Feedback]) -> FrozenSet[str]:
    """Return the commands, in writing, that some failures found impossible."""
    return frozenset(str(each.command) for each in failures if each.kind in _KINDS and each.command is not None)


@dataclass(frozen=True)
class Situation:
    """What a failure was about as it was then: facts and poses, robots left out, since they come and go."""

    failure: Feedback
    facts: FrozenSet[Relation]
    poses: Mapping[str, Optional[Pose]]

    @classmethod
    def of(cls, failure: Feedback, domain: Domain, world: WorldState) -> "Situation":
        """Return the situation of a failure in a world."""
        named = () if failure.command is None else map(str, failure.command.arguments.values())
        about = {*named, *failure.subjects, *failure.blockers}.intersection(world.objects)
        order = (domain.roles.waits_for, domain.roles.not_due)
        facts = frozenset(fact for fact in world.relations if about.intersection((fact.subject, fact.object))
                          and not {fact.subject, fact.object} & set(world.robots) and fact.predicate not in order)
        return cls(failure, facts, {name: world.objects[name].pose for name in about})

    def lasts(self, domain: Domain, world: WorldState) -> bool:
        """Check whether it is so still; a failure that is no matter of the situation lasts."""
        if self.failure.kind not in _KINDS:
            return True
        now = Situation.of(self.failure, domain, world)
        return now.facts == self.facts and now.poses.keys() == self.poses.keys() and all(
            _near(pose, now.poses[name]) for name, pose in self.poses.items())


def _near(one: Optional[Pose], other: Optional[Pose]) -> bool:
    if one is None or other is None:
        return one is other
    return math.dist(one.position, other.position) < _MOVED
