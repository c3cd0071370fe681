"""The facts that observed poses show, each seen by its predicate's test."""

from __future__ import annotations

import math
from functools import partial
from typing import Callable, Dict, List, Optional, Set, Tuple

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.model.keep_out import half_extents
from hicrisp_core.ports.kinds import FactTest, Seen

Measuring = Callable[[WorldState], Optional[Seen]]
WITNESS = "witness"
"""The test of what no geometry shows: a second witness sees it."""


def see(domain: Domain, fact: Relation, world: WorldState) -> Seen:
    """Return whether a fact is among the observed ones, and what was measured of it.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Whether it holds, with the measurements that decided it.
    """
    measured = measure(domain, fact, world)
    holds = fact in world.relations
    decided = measured is not None and measured.holds == holds
    return Seen(holds, measured.measured if measured is not None and decided else ())


def is_measured(domain: Domain, fact: Relation) -> bool:
    """Check whether poses decide a fact.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.

    Returns:
        True if its predicate has a geometric test; false also for an unknown predicate, and for one that a second
        witness sees.
    """
    predicate = domain.predicates.get(fact.predicate)
    return predicate is not None and predicate.detect not in ("", WITNESS)


def measure(domain: Domain, fact: Relation, world: WorldState) -> Optional[Seen]:
    """Evaluate a fact from poses alone.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The result; ``None`` if no pose decides it, or an object was not observed.
    """
    return measuring(domain, fact)(world)


def measuring(domain: Domain, fact: Relation) -> Measuring:
    """Return what evaluates a fact in one world after another, as :func:`measure` does in one.

    Args:
        domain: types, predicates and actions of the application.
        fact: predicate, subject and object.

    Returns:
        Called with a world; returns the result, or ``None`` if no pose decides it.
    """
    predicate = domain.predicates.get(fact.predicate)
    if predicate is None or not is_measured(domain, fact):
        return lambda _: None
    return partial(_measure, predicate, extensions().tests.get(predicate.detect), fact)


def derive_relations(domain: Domain, world: WorldState) -> Tuple[Relation, ...]:
    """Return every fact of the domain that the observed poses show.

    A held object stands on nothing else, and the contents of a container are neither on nor beside what carries
    it.

    Args:
        domain: types, predicates and actions of the application.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        The facts.
    """
    found: List[Relation] = []
    held: Set[str] = set()
    known = extensions().tests
    tests = {name: known.get(predicate.detect) for name, predicate in domain.predicates.items() if predicate.detect}
    predicates = sorted((domain.predicates[name] for name in tests), key=lambda p: not tests[p.name].grips)
    in_hand: Dict[str, Relation] = {}
    by_type: Dict[str, Tuple[str, ...]] = {}
    for predicate in predicates:
        test = tests[predicate.name]
        for type_ in predicate.arguments:
            by_type.setdefault(type_, domain.objects_of(world, type_))
        subjects = by_type[predicate.arguments[0]]
        objects = by_type[predicate.arguments[1]] if len(predicate.arguments) > 1 else ("",)
        for subject in subjects:
            for object_ in objects:
                if subject == object_ or not test.in_hand and {subject, object_} & held:
                    continue  # What is held is nowhere else.
                fact = Relation(subject, predicate.name, object_)
                seen = _measure(predicate, test, fact, world) if test.far or _close(world, fact) else None
                if seen is not None and seen.holds:
                    if not test.grips:
                        found.append(fact)
                    elif subject not in in_hand or _from_tool(world, fact) < _from_tool(world, in_hand[subject]):
                        in_hand[subject] = fact  # One hand holds one object, also when it is close to another.
        if test.grips:
            held.update(fact.object for fact in in_hand.values())
            found.extend(in_hand.values())
    return _one_place_each(found, domain)


def _one_place_each(found: List[Relation], domain: Domain) -> Tuple[Relation, ...]:
    """Return the facts without those that only seem to hold of what is in a container: its bottom is hardly higher
    than that of what stands beside the container, but it neither stands there nor is it beside the container.
    """
    roles = domain.roles
    inside: Dict[str, Set[str]] = {}
    for fact in found:
        if roles.inside and fact.predicate == roles.inside:
            inside.setdefault(fact.subject, set()).add(fact.object)

    def seems(fact: Relation) -> bool:
        around, around_other = (inside.get(name, set()) for name in (fact.subject, fact.object))
        if fact.predicate == roles.stands_on:
            return not around <= around_other
        predicate = domain.predicates[fact.predicate]
        beside = predicate.symmetric or bool(predicate.inverse)
        return beside and (fact.object in around or fact.subject in around_other)

    return tuple(fact for fact in found if not seems(fact))


def _from_tool(world: WorldState, fact: Relation) -> float:
    """Distance of an object's centre from the tool that is said to hold it, metres."""
    robot, item = world.robots[fact.subject], world.objects[fact.object]
    return math.inf if robot.pose is None or item.pose is None else distance(robot.pose.position, item.pose.position)


def _measure(predicate: Predicate, test: FactTest, fact: Relation, world: WorldState) -> Optional[Seen]:
    """Test one fact on the observed poses; ``None`` if an object was not observed."""
    subject = world.robots.get(fact.subject) or (
        world.part(fact.subject) if test.part else world.objects.get(fact.subject))
    object_ = (world.objects.get(fact.object) or world.robots.get(fact.object)) if fact.object else subject
    if subject is None or object_ is None:
        return None
    for each in (subject, object_):  # A pose that is too old does not count.
        in_view = each.pose is not None and not (isinstance(each, WorldObject) and each.lost)
        if not in_view and not (test.fixed and isinstance(each, RobotState)):
            return None
    return test.see(predicate, subject, object_, world)


def _close(world: WorldState, fact: Relation) -> bool:
    """Check cheaply, before the exact test, whether two objects are close; distant ones share no fact but lying."""
    a, b = world.objects.get(fact.subject), world.objects.get(fact.object)
    if a is None or b is None or a.pose is None or b.pose is None:
        return True
    reach = [max(half_extents(item, item.pose)[:2]) * 1.5 for item in (a, b) if item.pose is not None]
    apart = math.hypot(a.pose.position[0] - b.pose.position[0], a.pose.position[1] - b.pose.position[1])
    return apart <= sum(reach) + 0.2
