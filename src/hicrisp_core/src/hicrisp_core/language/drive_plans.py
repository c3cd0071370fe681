"""Plans for mobile bases: the steps of a request, and another plan when areas cannot be reached."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Action, Domain
from hicrisp_core.errors import DomainError
from hicrisp_core.language.drives import TO_AREAS, Errand, nearest_first, read_errands
from hicrisp_core.language.intents import NotUnderstood
from hicrisp_core.model import Feedback, FeedbackKind, Plan, Step, Value, WorldState
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest


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
    covered = {fact.object for fact in request.world.relations if fact.predicate == "visited"} | skipped
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
        robot = next((robot for robot in world.robots.values() if robot.kind == "base"), None)
        self._at: Optional[Tuple[float, float]] = robot.pose.position[:2] if robot and robot.pose else None
        self.notes: List[str] = []

    def steps(self, errand: Errand) -> List[Step]:
        """The steps of one part of the request."""
        if errand.skill == "wait":
            return [self._step(errand.skill, {"number": errand.seconds})]
        places: Sequence[str] = errand.places
        if len(places) > 1:
            places = nearest_first(places, self._world, self._at)
            self.notes.append(f"no order was asked for: {', '.join(places)} is the nearest first")
        for place in places:
            thing = self._world.objects[place]
            self._at = thing.pose.position[:2] if thing.pose else None
        return [self._step(errand.skill, {"place": place}) for place in places]

    def _step(self, skill: str, values: Dict[str, Value]) -> Step:
        action = self._action(skill)
        arguments: Dict[str, Value] = {}
        for parameter in action.parameters.values():
            if parameter.name == action.robot_parameter:
                continue
            arguments[parameter.name] = values["number" if parameter.type == "number" else "place"]
        try:
            command = self._domain.ground(Step("", action.name, arguments), self._world)
        except DomainError as error:
            raise NotUnderstood(str(error)) from error
        return Step(self._domain.describe(command), command.action, command.arguments, command.robot)

    def _action(self, skill: str) -> Action:
        found = [action for action in self._domain.actions.values() if action.skill == skill]
        if not found:
            raise NotUnderstood(f"nothing here can '{skill.replace('_', ' ')}'")
        return found[0]
