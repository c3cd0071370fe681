"""What was found impossible stays so until something that it is about has changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import FrozenSet, Iterable, Mapping

from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Feedback, FeedbackKind, Relation, Vector, WorldState

_KINDS = frozenset((FeedbackKind.PLANNING, FeedbackKind.NO_PLACE, FeedbackKind.UNREACHABLE))
"""Failures that the same command meets again if nothing has changed."""
_MOVED = 0.02
"""Distance at which an object counts as moved, metres; noise moves it by less."""


def barred_by(failures: Iterable[Feedback]) -> FrozenSet[str]:
    """Return the commands that failures showed to be impossible.

    Args:
        failures: feedback of earlier attempts.

    Returns:
        The commands as text.
    """
    return frozenset(str(each.command) for each in failures if each.kind in _KINDS and each.command is not None)


@dataclass(frozen=True)
class Situation:
    """What a failure was about as it was then: facts and places, robots left out, since they come and go."""

    failure: Feedback
    facts: FrozenSet[Relation]
    places: Mapping[str, Vector]

    @classmethod
    def of(cls, failure: Feedback, domain: Domain, world: WorldState) -> "Situation":
        """Return the situation in which a command failed.

        Args:
            failure: feedback of the command.
            domain: types, predicates and actions of the application.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            Facts about its objects, and their positions.
        """
        named = () if failure.command is None else map(str, failure.command.arguments.values())
        about = {*named, *failure.subjects, *failure.blockers}.intersection(world.objects)
        order = (domain.roles.waits_for, domain.roles.not_due)
        facts = frozenset(fact for fact in world.relations if about.intersection((fact.subject, fact.object))
                          and not {fact.subject, fact.object} & set(world.robots) and fact.predicate not in order)
        poses = {name: world.objects[name].pose for name in about}
        return cls(failure, facts, {name: pose.position for name, pose in poses.items() if pose is not None})

    def lasts(self, domain: Domain, world: WorldState) -> bool:
        """Check whether the situation of the failure still exists; a failure that does not depend on it lasts.

        Args:
            domain: types, predicates and actions of the application.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            True if its facts are the same and its objects have not moved.
        """
        if self.failure.kind not in _KINDS:
            return True
        now = Situation.of(self.failure, domain, world)
        return now.facts == self.facts and now.places.keys() == self.places.keys() and all(
            math.dist(place, now.places[name]) < _MOVED for name, place in self.places.items())
