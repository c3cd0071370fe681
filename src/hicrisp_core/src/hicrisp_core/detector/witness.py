"""What counts when a second witness has seen it too: the measurement, the witness, or neither."""

from __future__ import annotations

import math
from typing import Optional

from hicrisp_core.detector.relations import WITNESS, measure
from hicrisp_core.domain import Domain, GoalWords
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Holds, Relation, Visibility, WorldState
from hicrisp_core.policy.policy import ALL, ALWAYS, DOUBT, FAILURES, OFF
from hicrisp_core.ports.witness import Ruling

_ENOUGH = 0.5
"""Standard deviation of a sure measurement at most, as a part of the tolerance."""


def combined(measured: Optional[bool], sure: bool, answer: Ruling) -> Optional[bool]:
    """Decide whether a fact holds.

    Args:
        measured: what the detector says; ``None`` for what nothing measures.
        sure: whether the measurement is exact enough to stand alone.
        answer: what the witness says.

    Returns:
        The measurement if it is sure, or the witness agrees or cannot tell; the witness's answer if nothing is
        measured; ``None`` if they disagree or nobody can tell.
    """
    if answer is Ruling.CANNOT_TELL or measured is not None and sure:
        return measured
    said = answer is Ruling.YES
    return said if measured is None or measured is said else None


def is_witnessed(domain: Domain, fact: Relation) -> bool:
    """Check whether the witness alone can tell if a fact holds, by the domain.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.

    Returns:
        True if the domain says ``detect: witness``.
    """
    predicate = domain.predicates.get(fact.predicate)
    return predicate is not None and predicate.detect == WITNESS


def is_sure(domain: Domain, fact: Relation, world: WorldState) -> bool:
    """Check whether the measurement of a fact stands without a witness: its objects are in view, not just taken to be
    in a hand, and one standard deviation of where they are is less than half the predicate's tolerance.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        True also for what is measured otherwise than by poses; false for what only a witness sees.
    """
    if is_witnessed(domain, fact):
        return False
    if measure(domain, fact, world) is None:
        return not any(each.name in (fact.subject, fact.object) for each in world.unseen)
    objects = [world.objects[name] for name in (fact.subject, fact.object) if name in world.objects]
    sigma = math.hypot(*(part for item in objects for part in (item.uncertainty.position, item.uncertainty.height)))
    in_view = all(item.visibility is Visibility.VISIBLE for item in objects if item.movable)
    return in_view and sigma < _ENOUGH * domain.predicates[fact.predicate].tolerance


def stated(domain: Domain, fact: Relation) -> str:
    """Write a fact as a statement that pictures can decide.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.

    Returns:
        A clause in the domain's words, with the limit that the detector has for it.
    """
    predicate, words = domain.predicates[fact.predicate], GoalWords(domain).now(Holds(fact))
    limit = extensions().tests.get(predicate.detect).limit if predicate.detect else ""
    return f"{words}, {limit.format(100.0 * predicate.tolerance)}" if limit else words


def is_asked(domain: Domain, fact: Relation, world: WorldState, policy: str) -> bool:
    """Check whether the witness is asked about a fact.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.
        world: observed objects, robots and facts; poses in the world frame.
        policy: the policy's ``witness``.

    Returns:
        True for what nothing measures, with ``doubt`` also for unsure measurements, with ``always`` for all; false with
        ``failures``.
    """
    return policy not in (OFF, FAILURES) and (policy in (ALWAYS, ALL) or is_witnessed(domain, fact)
                              or policy == DOUBT and not is_sure(domain, fact, world))
