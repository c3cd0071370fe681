"""Plans for mobile bases: the steps of a request, and another plan when areas cannot be reached."""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.language.actions import arguments, of_skill
from hicrisp_core.language.drives import TO_AREAS
from hicrisp_core.language.front_ends import read_errands
from hicrisp_core.language.intents import Errand, NotUnderstood
from hicrisp_core.model import Feedback, FeedbackKind, Plan, Step, WorldState
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.ports.kinds import BASE


def plan_drives(domain: Domain, request: PlanRequest, source: str) -> PlanAnswer:
    """The steps of a request for a base; after a failure the rest of them, without what cannot be reached.

    Raises:
        NotUnderstood: with the part that cannot be read or done.
    """
    if request.remaining or request.feedback:
        return _rest(domain, request, source)
    planner = DrivePlanner(domain, request.world)
    steps = [step for errand in read_errands(request.task.text, domain, request.world)
             for step in planner.steps(errand)]
    return PlanAnswer(Plan(tuple(steps), source, "; ".join(planner.notes)))


def _rest(domain: Domain, request: PlanRequest, source: str) -> PlanAnswer:
    """The remaining steps; what cannot be reached is skipped, with the explanation."""
    skipped = _unreachable(request.feedback, request.remaining)
    steps = tuple(step for step in request.remaining if not skipped & set(map(str, step.arguments.values())))
    if not request.remaining:
        return PlanAnswer(refusal="every step was carried out or tried, and nothing else would help")
    if not skipped:
        return PlanAnswer(Plan(steps, source, "the steps that are left"))
    names = ", ".join(sorted(skipped))
    steps = (*steps, *_forgotten(domain, request, steps, skipped))
    if not steps:
        return PlanAnswer(refusal=f"{names} cannot be reached, and nothing else is left to do")
    return PlanAnswer(Plan(steps, source, f"{names} cannot be reached and is skipped; the rest goes on"))


def _forgotten(
    domain: Domain, request: PlanRequest, steps: Sequence[Step], skipped: "frozenset[str]"
) -> List[Step]:
    """Steps to the areas that the task asks for, that were not visited and that no step goes to."""
    visited = domain.roles.visited
    covered = {fact.object for fact in request.world.relations if fact.predicate == visited} | skipped
    covered.update(str(value) for step in steps for value in step.arguments.values())
    try:
        errands = read_errands(request.task.text, domain, request.world)
    except NotUnderstood:
        return []  # The plan was made from other words than these.
    planner = DrivePlanner(domain, request.world)
    return [step for errand in errands if errand.skill in TO_AREAS
            for place in errand.places if place not in covered
            for step in planner.steps(Errand(errand.skill, (place,)))]


def _unreachable(feedback: Sequence[Feedback], remaining: Sequence[Step]) -> "frozenset[str]":
    """The places of the remaining steps to which no path leads."""
    places = {str(value) for step in remaining for value in step.arguments.values()}
    return frozenset(name for entry in feedback if entry.kind is FeedbackKind.UNREACHABLE
                     for name in entry.subjects if name in places)


class DrivePlanner:
    """Turns errands into steps; of areas in no order the nearest comes first."""

    def __init__(self, domain: Domain, world: WorldState) -> None:
        self._domain = domain
        self._world = world
        self._at: Dict[str, Optional[Tuple[float, float]]] = {}
        """Where each base is by then; the key is empty for the only one."""
        self.notes: List[str] = []

    def steps(self, errand: Errand) -> List[Step]:
        """The steps of one part of the request."""
        if errand.skill == "wait":
            return [self._step(errand)]
        places: Sequence[str] = errand.places
        if len(places) > 1:
            places = nearest_first(places, self._world, self._stands(errand.robot))
            self.notes.append(f"no order was asked for: {', '.join(places)} is the nearest first")
        for place in places:
            thing = self._world.objects[place]
            self._at[errand.robot] = thing.pose.position[:2] if thing.pose else None
        return [self._step(errand, place) for place in places]

    def _stands(self, name: str) -> Optional[Tuple[float, float]]:
        """Where the base of that name, or the first one, is in the world's plane, m."""
        if name not in self._at:
            bases = (robot for robot in self._world.robots.values() if robot.kind == BASE)
            robot = self._world.robots.get(name) or next(bases, None)
            self._at[name] = robot.pose.position[:2] if robot and robot.pose else None
        return self._at[name]

    def _step(self, errand: Errand, place: str = "") -> Step:
        action = of_skill(self._domain, errand.skill)
        given = arguments(action, reference=place, number=errand.seconds)
        try:
            command = self._domain.ground(Step("", action.name, given, errand.robot), self._world)
        except DomainError as error:
            raise NotUnderstood(str(error)) from error
        return Step(self._domain.describe(command), command.action, command.arguments, command.robot)


def nearest_first(areas: Sequence[str], world: WorldState, start: Optional[Tuple[float, float]]) -> List[str]:
    """Areas in the order in which the nearest is always the next; as given where poses are not known."""
    places: Dict[str, Tuple[float, float]] = {}
    for name in areas:
        thing = world.objects.get(name)
        if thing is not None and thing.pose is not None:
            places[name] = thing.pose.position[:2]
    if start is None or len(places) < len(areas):
        return list(areas)
    found: List[str] = []
    here = start
    while places:
        ranked = sorted((math.dist(place, here), name) for name, place in places.items())
        found.append(ranked[0][1])
        here = places.pop(found[-1])
    return found
