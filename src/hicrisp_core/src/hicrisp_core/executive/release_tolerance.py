"""How far from where it should be an item may be let go, or gripped: where the command's facts come true and
it stands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Dict, List, Tuple

from shapely.geometry import MultiPolygon, Point

from hicrisp_core.detector.relations import measure
from hicrisp_core.domain.effects import expected_facts
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Command, Pose, Relation, WorldObject, WorldState
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL

_GRIP = 0.010
"""How far from where it was reached for an object may be seen when the hand closes: it is still between the
fingers, metres.
"""
_FINEST, _MOST = 0.005, 0.04
"""The least and the greatest distance that is asked for, metres."""
_SPARE = 0.002
"""What is left for the way from the last look to where it stands, metres."""
_CLEAR = 0.008
"""Space to other objects that is kept where the target leaves as much, metres."""
_WALL = 0.003
"""Space to a bowl's wall, metres."""
_STEADY = (0.4, 0.3, 0.2, 0.1)
"""How far from the edge of what carries it the weight shall be, as parts of half the smaller object's width;
the first that leaves enough room to let go counts."""
_ENOUGH = 0.008
"""Room to let go that need not be wider, metres."""
_DIRECTIONS, _HALVINGS = 12, 5
_TOUCHING = 0.015
"""Heights this near count as one object standing on another, metres."""


def look_within(domain: Domain, command: Command, world: WorldState) -> float:
    """Return how far an item may be observed from its target at release, or from its earlier place when the
    hand closes.

    The tolerance holds in every direction: all facts that the command makes and poses show come true, the item
    keeps clear of its neighbours, and what it stands on carries it, down to the bottom of a tower.

    Args:
        domain: types, predicates and actions of the application.
        command: the action with its arguments and constraints.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        Metres in the plane; 0 if there is nothing to compare with.
    """
    item = world.objects.get(domain.item(command))
    if item is None or item.pose is None:
        return 0.0
    if Relation(command.robot, domain.roles.held, item.name) in expected_facts(domain, command)[0]:
        return _GRIP
    if command.target is None or not domain.actions[command.action].places:
        return 0.0
    question = _Question(domain, command, world, item, command.target)
    found = 0.0
    for steady in _STEADY:
        found = max(found, question.radius(steady))
        if found >= _ENOUGH:
            break
    return max(_FINEST, found - _SPARE)


@dataclass(frozen=True)
class _Question:
    """What decides whether an item may be let go at a pose."""

    domain: Domain
    command: Command
    world: WorldState
    item: WorldObject
    target: Pose

    def radius(self, steady: float) -> float:
        """Return how far the item may be beside its target in every direction, metres."""
        least = min(_MOST, self._clearance)
        if not self._will_do(self.target, steady):
            return 0.0
        for number in range(_DIRECTIONS):
            angle = math.tau * number / _DIRECTIONS
            least = min(least, self._reach((math.cos(angle), math.sin(angle)), least, steady))
        return least

    def _reach(self, towards: Tuple[float, float], most: float, steady: float) -> float:
        """Return how far it may be in one direction, up to ``most`` metres."""
        good, bad = 0.0, most
        if self._will_do(self._aside(towards, most), steady):
            return most
        for _ in range(_HALVINGS):
            middle = (good + bad) / 2.0
            if self._will_do(self._aside(towards, middle), steady):
                good = middle
            else:
                bad = middle
        return good

    def _aside(self, towards: Tuple[float, float], distance: float) -> Pose:
        return self.target.shifted((towards[0] * distance, towards[1] * distance, 0.0))

    def _will_do(self, pose: Pose, steady: float) -> bool:
        there = replace(self.world, objects=self._objects(pose))
        aside = math.dist(pose.position[:2], self.target.position[:2])
        return all(self._holds(fact, there) for fact in self._facts) and (
            aside <= self._room or self._stands(pose, steady))

    def _objects(self, pose: Pose) -> Dict[str, WorldObject]:
        return {**self.world.objects, self.item.name: replace(self.item, pose=pose, lost=False)}

    def _holds(self, fact: Relation, there: WorldState) -> bool:
        seen = measure(self.domain, fact, there)
        return seen is not None and seen.holds

    @cached_property
    def _facts(self) -> Tuple[Relation, ...]:
        """What the command makes of its item, as far as poses show it at the target."""
        at_target = replace(self.world, objects=self._objects(self.target))
        return tuple(fact for fact in expected_facts(self.domain, self.command)[0]
                     if self.item.name in (fact.subject, fact.object) and self._holds(fact, at_target))

    @cached_property
    def _clearance(self) -> float:
        """How far the item may be moved until it comes too near to what stands at its height, metres."""
        low, high = vertical_span(self.item, self.target)
        shadow = footprint(self.item, self.target)
        least = math.inf
        for name, thing in self.world.objects.items():
            if name == self.item.name or thing.pose is None or thing.form.ground:
                continue
            bottom, top = vertical_span(thing, thing.pose)
            if top <= low + _TOUCHING / 3.0 or bottom >= high:
                continue
            taken = footprint(thing, thing.pose)
            if thing.form.hollow and taken.contains(Point(*self.target.position[:2])):
                taken = taken.difference(taken.buffer(-BOWL_WALL - _WALL))
            space = float(taken.distance(shadow))
            if space > 0.0:  # What it touches at the target itself asks for no space.
                least = min(least, max(space - _CLEAR, space * 0.1))
        return least

    @cached_property
    def _room(self) -> float:
        """How far the item may be moved until it juts out over the one fixed object that carries it, metres; less
        than 0 on anything else.
        """
        carriers = self._carriers(self.item, self.target)
        if len(carriers) != 1 or carriers[0].movable or carriers[0].pose is None:
            return -1.0
        below, shadow = footprint(carriers[0], carriers[0].pose), footprint(self.item, self.target)
        return float(below.boundary.distance(shadow)) if below.contains(shadow) else -1.0

    def _stands(self, pose: Pose, steady: float) -> bool:
        """Check whether all that carries the item, one below the other, keeps carrying it: the weight of all above
        is over the surface on which that stands, away from its edge.
        """
        upper, at = self.item, pose
        weight, (x, y) = _volume(self.item), pose.position[:2]
        for _ in range(len(self.world.objects)):
            carriers = self._carriers(upper, at)
            if not carriers:
                return True
            surface = MultiPolygon([polygon for polygon in (
                footprint(upper, at).intersection(footprint(each, each.pose))
                for each in carriers if each.pose is not None) if polygon.geom_type == "Polygon"]).convex_hull
            centre = Point(x, y)
            edge = steady * min(min(each.size[:2]) for each in (upper, *carriers)) / 2.0
            if not surface.contains(centre) or surface.boundary.distance(centre) < edge:
                return False
            below = carriers[0]
            if len(carriers) > 1 or not below.movable or below.pose is None:
                return True
            more = _volume(below)
            x, y = ((a * weight + b * more) / (weight + more)
                    for a, b in zip((x, y), below.pose.position[:2]))
            upper, at, weight = below, below.pose, weight + more
        return True

    def _carriers(self, upper: WorldObject, pose: Pose) -> List[WorldObject]:
        """Return what an object stands on."""
        bottom, shadow = vertical_span(upper, pose)[0], footprint(upper, pose)
        return [thing for name, thing in sorted(self.world.objects.items())
                if name not in (upper.name, self.item.name) and thing.pose is not None
                and not thing.form.hollow
                and abs(vertical_span(thing, thing.pose)[1] - bottom) <= _TOUCHING
                and footprint(thing, thing.pose).intersects(shadow)]


def _volume(thing: WorldObject) -> float:
    return math.prod(thing.size)
