"""When to look again: where a view supports no verdict, and how far an item may be seen from its target at release."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Event
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Set, Tuple

from shapely.geometry import MultiPolygon, Point

from hicrisp_core.detector.relations import Measuring, measuring
from hicrisp_core.domain import Domain, expected_facts
from hicrisp_core.executive.run_log import RunLog
from hicrisp_core.goals.truth import ways_to_say
from hicrisp_core.model import Command, FeedbackKind, Pose, Relation, Visibility, WorldObject, WorldState
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.shapes import BOWL_WALL
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.ports.robot import CLEAR_VIEW, RobotPort
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.trace.events import LookedAgain

LOOKS = 4
"""Further looks after which it stays as it was seen last."""
_CLEAR_LIMIT = 90.0
"""Wall seconds for an arm to move out of sight."""
_TIME_LIMIT = 30.0
"""Seconds of the robot's clock for the same."""
OUT_OF_VIEW = frozenset((FeedbackKind.NOT_SEEN, FeedbackKind.STALE_POSE, FeedbackKind.CANNOT_TELL))
"""Failures that only state that something is not visible: another observation may resolve them."""
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


class ActiveObserver:
    """Looks again, at most ``LOOKS`` times for one question: first without moving anything, then with the arms out of
    sight.

    Args:
        canceled: returns whether the result is no longer needed.
    """

    def __init__(self, robots: Mapping[str, RobotPort], canceled: Event) -> None:
        self._robots = robots
        self._canceled = canceled
        self._cleared: Set[str] = set()
        self._vain: Set[str] = set()
        """What was looked for long enough since a robot moved last."""

    def moved(self, robot: str) -> None:
        """Record that a robot got another command: it may be in the camera's view again.

        Args:
            robot: name of the robot.
        """
        self._cleared.discard(robot)
        self._vain.clear()

    def until(
        self, world: WorldState, doubt: Callable[[WorldState], Iterable[str]], robots: Iterable[str],
        observe: Callable[[], WorldState], ledger: RunLog,
    ) -> WorldState:
        """Look until no doubt is left, or for long enough.

        Args:
            doubt: names what a world does not show; nothing where it shows all that is asked.
            robots: those that may be moved out of sight.
            observe: looks once, at what is newer than the call.
            ledger: counters and event log of the attempt's step.

        Returns:
            The world as it was seen last; at once the given one without a camera.
        """
        mine = tuple(robots)
        names = () if world.viewed is None else tuple(doubt(world))
        names = () if self._vain.issuperset(names) else names
        for number in range(LOOKS):
            if not names or self._canceled.is_set():
                break
            # The same look shows no more of what is out of view.
            hidden = any(name in world.objects and world.objects[name].visibility is not Visibility.VISIBLE
                         for name in names)
            cleared = self._clear(world, mine) if number > 0 or hidden else ()
            world = observe()
            wanted, names = names, tuple(doubt(world))
            ledger.looked()
            ledger.tell(LookedAgain(names=wanted, cleared=cleared, seen=not names))
            if world.trouble:
                break  # The camera shows nothing newer, however often it is asked.
        self._vain.update(names)
        return world

    def _clear(self, world: WorldState, robots: Iterable[str]) -> Tuple[str, ...]:
        """Move arms out of sight; those that went."""
        went = []
        for name in robots:
            seen = world.robots.get(name)
            if seen is None or seen.kind != ARM or name in self._cleared or name not in self._robots:
                continue
            command = Command(CLEAR_VIEW, {}, name, time_limit=_TIME_LIMIT)
            if self._robots[name].execute(command, Deadline(_CLEAR_LIMIT), self._canceled).ok:
                self._cleared.add(name)
                went.append(name)
        return tuple(went)


def out_of_sight(world: WorldState, names: Optional[Iterable[str]] = None) -> Tuple[str, ...]:
    """Select the movable objects whose current pose the camera does not show.

    Args:
        world: observed objects, robots and facts; poses in the world frame.
        names: the objects to check; by default all, sorted.

    Returns:
        Their names.
    """
    known = sorted(world.objects) if names is None else names
    objects = (world.objects[name] for name in known if name in world.objects)
    return tuple(item.name for item in objects if item.moves
                 and (item.unseen or item.visibility is Visibility.HIDDEN))


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
    made = expected_facts(domain, command)[0]
    if Relation(command.robot, domain.roles.held, item.name) in made:
        return _GRIP
    if command.target is None or not domain.actions[command.action].places:
        return 0.0
    objects = dict(world.objects)
    question = _Question(domain, made, replace(world, objects=objects), item, command.target, objects)
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
    made: Tuple[Relation, ...]
    """The facts that the command makes."""
    world: WorldState
    """With objects of its own, of which the item is put from pose to pose."""
    item: WorldObject
    target: Pose
    objects: Dict[str, WorldObject]

    def radius(self, steady: float) -> float:
        """Return how far the item may be beside its target in every direction, metres."""
        least = min(_MOST, self._clearance)
        if self._room < 0.0 and not self._will_do((0.0, 0.0), steady):  # At its target all facts are shown.
            return 0.0
        for number in range(_DIRECTIONS):
            x, y = math.cos(math.tau * number / _DIRECTIONS), math.sin(math.tau * number / _DIRECTIONS)
            if self._will_do((x * least, y * least), steady):
                continue
            good, bad = 0.0, least
            for _ in range(_HALVINGS):
                middle = (good + bad) / 2.0
                if self._will_do((x * middle, y * middle), steady):
                    good = middle
                else:
                    bad = middle
            least = good
        return least

    def _will_do(self, aside: Tuple[float, float], steady: float) -> bool:
        """Check whether the item may be let go so far beside its target, metres."""
        pose = self.target.shifted((*aside, 0.0))
        if len(self._shown(self._facts, pose)) < len(self._facts):
            return False
        if math.dist(pose.position[:2], self.target.position[:2]) <= self._room:
            return True
        # All that carries the item, one below the other, must keep carrying it: the weight of all above is over the
        # surface on which that stands, away from its edge.
        upper, at = self.item, pose
        weight, (x, y) = math.prod(self.item.size), pose.position[:2]
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
            more = math.prod(below.size)
            x, y = ((a * weight + b * more) / (weight + more)
                    for a, b in zip((x, y), below.pose.position[:2]))
            upper, at, weight = below, below.pose, weight + more
        return True

    def _shown(self, tests: Iterable[Measuring], pose: Pose) -> List[Measuring]:
        """Return those of the tests of facts that come out true with the item at a pose."""
        self.objects[self.item.name] = self.item.at(pose)
        return [test for test in tests if (seen := test(self.world)) is not None and seen.holds]

    @cached_property
    def _facts(self) -> List[Measuring]:
        """Tests of what the command makes of its item, as far as poses show it at the target; each said one way."""
        said = {min(ways_to_say(fact, self.domain)): fact for fact in self.made
                if self.item.name in (fact.subject, fact.object)}
        return self._shown([measuring(self.domain, fact) for fact in said.values()], self.target)

    @cached_property
    def _clearance(self) -> float:
        """How far the item may be moved until it comes too near to what stands at its height, metres."""
        low, high = vertical_span(self.item, self.target)
        shadow = footprint(self.item, self.target)
        least = math.inf
        for name, item in self.world.objects.items():
            if name == self.item.name or item.pose is None or item.form.ground:
                continue
            bottom, top = vertical_span(item, item.pose)
            if top <= low + _TOUCHING / 3.0 or bottom >= high:
                continue
            taken = footprint(item, item.pose)
            if item.form.hollow and taken.contains(Point(*self.target.position[:2])):
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

    def _carriers(self, upper: WorldObject, pose: Pose) -> List[WorldObject]:
        """Return what an object stands on."""
        bottom, shadow = vertical_span(upper, pose)[0], footprint(upper, pose)
        return [item for name, item in sorted(self.world.objects.items())
                if name not in (upper.name, self.item.name) and item.pose is not None
                and not item.form.hollow
                and abs(vertical_span(item, item.pose)[1] - bottom) <= _TOUCHING
                and footprint(item, item.pose).intersects(shadow)]
