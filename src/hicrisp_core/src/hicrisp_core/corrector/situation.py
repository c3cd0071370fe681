"""The situation of a failure: by it the loop guard knows a failure again, and a new plan what is still impossible."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import FrozenSet, Mapping, Tuple, Union

from hicrisp_core.domain.schema import Domain
from hicrisp_core.goals.truth import ways_to_say
from hicrisp_core.model import Feedback, FeedbackKind, Relation, StackEntry, Vector, WorldState

LASTING = frozenset((FeedbackKind.PLANNING, FeedbackKind.NO_PLACE, FeedbackKind.UNREACHABLE))
"""Failures that the same command meets again if nothing has changed."""
_MOVED = 0.02
"""Distance at which an object counts as moved, metres; noise moves it by less."""
_DOUBTS = (FeedbackKind.CANNOT_TELL, FeedbackKind.GOAL_UNSEEN)
_GRID = 0.01
"""Metres to which positions are rounded: noise moves objects by more, a true loop does not."""


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
        subjects = {*named, *failure.subjects, *failure.blockers}.intersection(world.objects)
        order = (domain.roles.waits_for, domain.roles.not_due)
        facts = frozenset(fact for fact in world.relations if subjects.intersection((fact.subject, fact.object))
                          and not {fact.subject, fact.object} & set(world.robots) and fact.predicate not in order)
        poses = {name: world.objects[name].pose for name in subjects}
        return cls(failure, facts, {name: pose.position for name, pose in poses.items() if pose is not None})

    def lasts(self, domain: Domain, world: WorldState) -> bool:
        """Check whether the situation of the failure still exists; a failure that does not depend on it lasts.

        Args:
            domain: types, predicates and actions of the application.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            True if its facts are the same and its objects have not moved.
        """
        if self.failure.kind not in LASTING:
            return True
        now = Situation.of(self.failure, domain, world)
        return now.facts == self.facts and now.places.keys() == self.places.keys() and all(
            math.dist(place, now.places[name]) < _MOVED for name, place in self.places.items())


def without_doubtful(world: WorldState, failed: Feedback, domain: Domain) -> WorldState:
    """Remove the facts that a failure reports as not visible.

    Args:
        world: observed objects, robots and facts; poses in the world frame.
        failed: the feedback.
        domain: types, predicates and actions of the application.

    Returns:
        The world without these facts.
    """
    if failed.kind not in _DOUBTS:
        return world
    doubtful = {way for unmet in failed.unmet if not unmet.negated
                for fact in unmet.facts for way in ways_to_say(fact, domain)}
    return world.with_relations(world.relations - doubtful)


def meeting(failed: Union[StackEntry, Feedback], world: WorldState) -> str:
    """Hash a failure in a state: what failed, the facts and rounded positions.

    Args:
        failed: the failed command with its feedback, or what is missing of the goal once all steps are done.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        A short hash; equal for the same failure in the same situation.
    """
    if isinstance(failed, Feedback):
        failure: Tuple[object, ...] = (failed.kind.value, *map(str, failed.conditions))
    else:
        aim = tuple(round(value / _GRID) for value in failed.command.aim.position) if failed.command.aim else ()
        failure = (str(failed.command), failed.feedback.kind.value, failed.feedback.label, aim)
    places = sorted(
        (name, *(round(value / _GRID) for value in item.pose.position))
        for name, item in world.objects.items() if item.pose is not None and item.movable)
    return hashlib.sha256(repr((failure, sorted(world.relations), places)).encode()).hexdigest()[:16]
