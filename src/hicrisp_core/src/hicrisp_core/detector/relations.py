"""Facts seen from poses: each ``detect`` test of a domain's predicates, with the distance that decided it."""

from __future__ import annotations

import math
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from shapely.geometry import Point

from hicrisp_core.domain.schema import Domain, Predicate
from hicrisp_core.model import Measured, Relation, RobotState, WorldObject, WorldState
from hicrisp_core.model.footprint import BOWL_WALL, footprint, gap, half_extents, vertical_span
from hicrisp_core.model.geometry import distance, rotate

_GRASP_SLACK = 0.012
"""How much further apart than the object's width the fingers of a closed grasp may be seen, metres."""
_DOCKED_TURN = 15.0
"""Degrees by which a docked robot's heading may be off."""
_OFF_THE_FLOOR = 0.10
"""Height above the floor from which on a thing may be aboard a robot, metres."""
_DIRECTION_CONE = math.cos(math.radians(40.0))


class Seen(NamedTuple):
    """The answer of a test: whether the fact holds, and what was measured."""

    holds: bool
    measured: Tuple[Measured, ...] = ()


_UNSEEN = Seen(False)


def holding(predicate: Predicate, robot: RobotState, thing: WorldObject, _: WorldState) -> Seen:
    """The tool's centre is within the grown object, and the fingers are as far apart as it is wide."""
    if robot.pose is None or robot.opening is None or thing.pose is None:
        return _UNSEEN
    local = thing.pose.inverse().apply(robot.pose.position)
    outside = max(max(0.0, abs(p) - size / 2.0) for p, size in zip(local, thing.size))
    closing = rotate(robot.pose.orientation, (0.0, 1.0, 0.0))
    in_thing = rotate(thing.pose.inverse().orientation, closing)
    width = sum(abs(a) * size for a, size in zip(in_thing, thing.size))
    if thing.shape == "cylinder":
        width = min(width, max(thing.size[0], abs(in_thing[2]) * thing.size[2]))
    measured = (Measured("from_tool", outside, "m"), Measured("opening", robot.opening, "m"))
    fits = 0.3 * min(thing.size) < robot.opening < width + _GRASP_SLACK
    return Seen(outside <= predicate.tolerance and fits, measured)


def on(predicate: Predicate, upper: WorldObject, lower: WorldObject, _: WorldState) -> Seen:
    """The upper one's bottom is at the lower one's top and its centre above the lower one's footprint."""
    if upper.pose is None or lower.pose is None:
        return _UNSEEN
    step = vertical_span(upper, upper.pose)[0] - vertical_span(lower, lower.pose)[1]
    aside = footprint(lower, lower.pose).distance(Point(*upper.pose.position[:2]))
    measured = (Measured("above_top" if step > 0 else "below_top", abs(step), "m"), Measured("beside", aside, "m"))
    return Seen(lower.shape != "bowl" and abs(step) <= predicate.tolerance and aside <= 1e-6, measured)


def within_bowl(predicate: Predicate, thing: WorldObject, bowl: WorldObject, _: WorldState) -> Seen:
    """The centre is inside the bowl's wall, the bottom between its floor and its rim."""
    if thing.pose is None or bowl.pose is None:
        return _UNSEEN
    aside = math.hypot(thing.pose.position[0] - bowl.pose.position[0], thing.pose.position[1] - bowl.pose.position[1])
    floor, rim = vertical_span(bowl, bowl.pose)
    bottom = vertical_span(thing, thing.pose)[0]
    inside = aside <= bowl.size[0] / 2.0 - BOWL_WALL and floor - predicate.tolerance <= bottom <= rim
    return Seen(inside, (Measured("from_middle", aside, "m"), Measured("below_rim", rim - bottom, "m")))


def near(predicate: Predicate, a: WorldObject, b: WorldObject, _: WorldState) -> Seen:
    """The footprints are at most the tolerance apart and the heights overlap."""
    apart = gap(a, b)
    measured = (Measured("gap", apart, "m"), Measured("gap_limit", predicate.tolerance, "m"))
    return Seen(apart <= predicate.tolerance and _level(a, b), measured)


def direction(predicate: Predicate, a: WorldObject, b: WorldObject, _: WorldState) -> Seen:
    """As near, and the centre lies towards the predicate's direction, within 40 degrees."""
    if a.pose is None or b.pose is None:
        return _UNSEEN
    dx, dy = (a.pose.position[i] - b.pose.position[i] for i in (0, 1))
    length = math.hypot(dx, dy)
    cosine = (dx * predicate.direction[0] + dy * predicate.direction[1]) / length if length > 1e-9 else 0.0
    apart = gap(a, b)
    angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    measured = (Measured("gap", apart, "m"), Measured("gap_limit", predicate.tolerance, "m"),
                Measured("bearing_off", angle, "deg"))
    return Seen(apart <= predicate.tolerance and cosine >= _DIRECTION_CONE and _level(a, b), measured)


def lying(predicate: Predicate, thing: WorldObject, _: WorldObject, __: WorldState) -> Seen:
    """No face is level: a box on any of its faces is upright, a cylinder only on its round ones."""
    if thing.pose is None:
        return _UNSEEN
    axes = ((0.0, 0.0, 1.0),) if thing.shape != "box" else ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    upright = max(abs(rotate(thing.pose.orientation, axis)[2]) for axis in axes)
    tilt = math.acos(min(1.0, upright))
    return Seen(tilt > predicate.tolerance, (Measured("tilt", math.degrees(tilt), "deg"),))


def at(predicate: Predicate, robot: RobotState, area: WorldObject, _: WorldState) -> Seen:
    """The middle of the robot is above the area, within the tolerance."""
    if robot.pose is None or area.pose is None:
        return _UNSEEN
    aside = footprint(area, area.pose).distance(Point(*robot.pose.position[:2]))
    return Seen(aside <= predicate.tolerance + 1e-9, (Measured("from_edge", aside, "m"),))


def docked(predicate: Predicate, robot: RobotState, station: WorldObject, _: WorldState) -> Seen:
    """The robot stands at the station's own pose: its place within the tolerance, its heading within 15 degrees."""
    if robot.pose is None or station.pose is None:
        return _UNSEEN
    apart = math.dist(robot.pose.position[:2], station.pose.position[:2])
    turned = abs(math.degrees(math.remainder(robot.pose.yaw - station.pose.yaw, math.tau)))
    return Seen(apart <= predicate.tolerance and turned <= _DOCKED_TURN,
                (Measured("from_place", apart, "m"), Measured("turned", turned, "deg")))


def aboard(predicate: Predicate, thing: WorldObject, robot: RobotState, _: WorldState) -> Seen:
    """The thing's centre is above the robot's middle within the tolerance, and off the floor on which that stands."""
    if thing.pose is None or robot.pose is None:
        return _UNSEEN
    aside = math.dist(thing.pose.position[:2], robot.pose.position[:2])
    lifted = thing.pose.position[2] - robot.pose.position[2]
    return Seen(aside <= predicate.tolerance and lifted >= _OFF_THE_FLOOR,
                (Measured("from_middle", aside, "m"), Measured("above_floor", lifted, "m")))


Test = Callable[..., Seen]
TESTS: Mapping[str, Test] = {
    "holding": holding, "on": on, "in": within_bowl, "near": near, "direction": direction, "lying": lying, "at": at,
    "docked": docked, "aboard": aboard,
}


def see(domain: Domain, fact: Relation, world: WorldState) -> Seen:
    """Whether a fact is among the observed ones, with what decided it where poses were seen."""
    holds = fact in world.relations
    measured = _measure(domain, fact, world)
    return Seen(holds, measured.measured if measured else ())


def derive_relations(domain: Domain, world: WorldState) -> Tuple[Relation, ...]:
    """Every fact of the domain that the observed poses show; what is held stands nowhere else."""
    found: List[Relation] = []
    held: Set[str] = set()
    predicates = sorted(domain.predicates.values(), key=lambda p: p.detect != "holding")
    in_hand: Dict[str, Relation] = {}
    by_type: Dict[str, Tuple[str, ...]] = {}
    for predicate in predicates:
        if predicate.detect not in TESTS:
            continue
        for type_ in predicate.arguments:
            by_type.setdefault(type_, domain.objects_of(world, type_))
        subjects = by_type[predicate.arguments[0]]
        objects = by_type[predicate.arguments[1]] if len(predicate.arguments) > 1 else ("",)
        for subject in subjects:
            for object_ in objects:
                if subject == object_ or {subject, object_} & held:
                    continue  # What is held is nowhere else.
                fact = Relation(subject, predicate.name, object_)
                seen = _measure(domain, fact, world) if _close(world, fact) else None
                if seen is not None and seen.holds:
                    if predicate.detect != "holding":
                        found.append(fact)
                    elif subject not in in_hand or _from_tool(world, fact) < _from_tool(world, in_hand[subject]):
                        in_hand[subject] = fact  # One hand holds one thing, also when it is close to another.
        if predicate.detect == "holding":
            held.update(fact.object for fact in in_hand.values())
            found.extend(in_hand.values())
    return tuple(found)


def _from_tool(world: WorldState, fact: Relation) -> float:
    """Distance of a thing's centre from the tool that is said to hold it, metres."""
    robot, thing = world.robots[fact.subject], world.objects[fact.object]
    return math.inf if robot.pose is None or thing.pose is None else distance(robot.pose.position, thing.pose.position)


def _measure(domain: Domain, fact: Relation, world: WorldState) -> Optional[Seen]:
    """Test one fact on the observed poses; ``None`` where there is no test or nothing was seen."""
    predicate = domain.predicates.get(fact.predicate)
    test = TESTS.get(predicate.detect) if predicate else None
    subject = world.robots.get(fact.subject) or world.objects.get(fact.subject)
    object_ = (world.objects.get(fact.object) or world.robots.get(fact.object)) if fact.object else subject
    if test is None or subject is None or object_ is None or subject.pose is None or object_.pose is None:
        return None
    return test(predicate, subject, object_, world)


def _close(world: WorldState, fact: Relation) -> bool:
    """A cheap test before the exact one: far things share no fact but lying."""
    a, b = world.objects.get(fact.subject), world.objects.get(fact.object)
    if a is None or b is None or a.pose is None or b.pose is None:
        return True
    reach = [max(half_extents(thing, thing.pose)[:2]) * 1.5 for thing in (a, b) if thing.pose is not None]
    apart = math.hypot(a.pose.position[0] - b.pose.position[0], a.pose.position[1] - b.pose.position[1])
    return apart <= sum(reach) + 0.2


def _level(a: WorldObject, b: WorldObject) -> bool:
    """Whether two seen objects stand at overlapping heights, by at least half of the lower one."""
    if a.pose is None or b.pose is None:
        return False
    (a_low, a_high), (b_low, b_high) = vertical_span(a, a.pose), vertical_span(b, b.pose)
    return min(a_high, b_high) - max(a_low, b_low) >= 0.5 * min(a_high - a_low, b_high - b_low)
