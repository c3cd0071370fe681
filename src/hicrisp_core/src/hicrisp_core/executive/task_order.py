"""The order that a task asks for, watched over its steps: who was where, what waits for what, what is left
out.

The watch follows the goal, never the plan, and learns visits from observations alone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Dict, List, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.schema import Action, Domain, zones_of
from hicrisp_core.errors import DomainError
from hicrisp_core.model import (
    Cause,
    CauseKind,
    Command,
    Feedback,
    FeedbackKind,
    Level,
    Relation,
    Step,
    Unmet,
    Verdict,
    WorldState,
)
from hicrisp_core.model.goal import Goal, Holds
from hicrisp_core.model.task import Itinerary
from hicrisp_core.ports.robot import Constraints
from hicrisp_core.robot.drive_goals import DriveSpace, leads_into


class TaskOrder:
    """Adds to what is seen what was visited, what waits for what and what is not due; reports when the order
    is broken.

    Args:
        space: asked for the areas to go to instead of one that cannot be reached.
    """

    def __init__(self, domain: Domain, space: Optional[DriveSpace] = None) -> None:
        self._domain = domain
        self._roles = domain.roles
        self._space = space or DriveSpace()
        self.begin()

    def begin(self) -> None:
        """Reset for another task: no visits, no order."""
        self._itinerary: Optional[Itinerary] = None
        self._visited: List[str] = []
        self._standing = ""
        self._broken: Tuple[str, ...] = ()
        self._robot = ""
        self._skipped: Dict[str, Cause] = {}
        self._failed: Dict[str, Cause] = {}

    def follow(self, goal: Optional[Goal]) -> None:
        """Take the order of visits from a goal's stages; earlier visits stay counted.

        Args:
            goal: the goal; ``None`` for no order.
        """
        itinerary = itinerary_of(goal, self._domain)
        for area in self._visited:
            itinerary = itinerary.visited(area) if itinerary is not None else None
        self._itinerary, self._broken, self._skipped = itinerary, (), {}

    def see(self, world: WorldState) -> WorldState:
        """Add the facts about the order of visits to a world.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The world.
        """
        for fact in sorted(world.relations):
            if fact.predicate != self._roles.located:
                continue
            self._robot = fact.subject
            if fact.object == self._standing and not self._broken:
                continue  # One visit, however often it is looked at; one out of order counts once its turn has come.
            self._standing, self._broken = fact.object, ()
            if self._itinerary is not None and fact.object not in self._itinerary.due:
                self._broken = self._itinerary.before(fact.object) or ("",)
                continue
            if self._itinerary is not None:
                self._itinerary = self._itinerary.visited(fact.object)
            self._visited.append(fact.object)
            self._failed.pop(fact.object, None)
        if not any(fact.predicate == self._roles.located for fact in world.relations):
            self._standing, self._broken = "", ()
        told = (self._roles.visited, self._roles.waits_for, self._roles.not_due)
        facts = {fact for fact in world.relations if fact.predicate not in told}
        facts.update(Relation(self._base_in(world), self._roles.visited, area) for area in self._visited)
        if self._itinerary is not None:
            for area in self._domain.objects_of(world, self._roles.area):
                facts.update(Relation(area, self._roles.waits_for, first) for first in self._itinerary.before(area)
                             if first != area)
                if area not in self._itinerary.remaining and area != self._standing:
                    facts.add(Relation(area, self._roles.not_due))
        return world.with_relations(frozenset(fact for fact in facts if fact.predicate))

    def judge(self, command: Command, world: WorldState, verdict: Verdict) -> Verdict:
        """Add violations of the order to a verdict.

        Args:
            command: the action with its arguments and constraints.
            world: observed objects, robots and facts; poses in the world frame.
            verdict: the verdict on the command.

        Returns:
            The verdict.
        """
        area = self._area_of(command, world)
        feedback = verdict.feedback
        if feedback is None:
            broken = self._broken and area == self._standing
            return Verdict(self._breach(FeedbackKind.OUT_OF_ORDER, command)) if broken else verdict
        if area and feedback.cause is not None:
            self._failed[area] = feedback.cause
        if feedback.kind is FeedbackKind.UNREACHABLE and area:
            if self._itinerary is not None:
                self._itinerary = self._itinerary.without(area)
            self._skipped[area] = feedback.cause or Cause(CauseKind.NO_PATH, (area,))
            wanted = self._itinerary.remaining if self._itinerary else ()
            reachable = (name for name in dict.fromkeys(wanted) if name != area and name not in self._skipped
                         and self._leads_to(name, world) is not False)
            return replace(verdict, feedback=replace(feedback, alternatives=tuple(reachable)))
        if not self._broken or self._standing == area:
            return verdict
        if feedback.misses(self._roles.located):
            return replace(verdict, feedback=replace(
                self._breach(FeedbackKind.WRONG_AREA, command), measured=feedback.measured))
        # An aborted drive may have ended in an area that it only meant to pass.
        if feedback.level is Level.LOW:
            return replace(verdict, feedback=replace(
                feedback, seen=(*feedback.seen, Relation(self._robot, self._roles.located, self._standing)),
                unmet=(*feedback.unmet, *self._breach(feedback.kind, command).unmet)))
        return verdict

    def unfinished(self, world: WorldState) -> Optional[Tuple[Optional[Command], Feedback]]:
        """Find a visit that the task requires and no step made.

        Args:
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            The command for it with the feedback; no command if its turn is over. ``None`` if no visit is left.
        """
        if self._itinerary is None or not self._itinerary.remaining:
            return None
        left = self._itinerary.remaining[0]
        if left in self._skipped and self._itinerary.ordered:
            return None, Feedback(Level.HIGH, FeedbackKind.UNREACHABLE, subjects=(left,),
                                  cause=self._skipped[left])
        drives_to = ((action, parameter.name) for action in self._domain.actions.values()
                     if self._drives(action)
                     for parameter in action.parameters.values() if parameter.type == self._roles.area)
        action, place = next(drives_to, (None, ""))
        command = None
        if action is not None:
            with suppress(DomainError):
                command = self._domain.ground(Step("", action.name, {place: left}), world)
        return command, Feedback(
            Level.HIGH, FeedbackKind.OMITTED, command, subjects=(left,),
            cause=self._skipped.get(left) or self._failed.get(left))

    def _area_of(self, command: Union[Command, Step], world: WorldState) -> str:
        """Return the area that a command or a step names; empty when it names none."""
        areas = self._domain.objects_of(world, self._roles.area) if self._roles.area else ()
        return next((str(value) for value in command.arguments.values() if value in areas), "")

    def _base_in(self, world: WorldState) -> str:
        return self._robot or next((name for name, state in world.robots.items() if state.kind == "base"), "")

    def _breach(self, kind: FeedbackKind, command: Command) -> Feedback:
        """Return the feedback for a base in an area whose turn it is not."""
        area, first = self._standing, self._broken[0] if self._broken else ""
        early = Relation(area, self._roles.waits_for, first) if first else Relation(area, self._roles.not_due)
        return Feedback(Level.HIGH, kind, command, subjects=(area,), alternatives=(first,) if first else (),
                        unmet=(Unmet((early,), negated=True),) if early.predicate else ())

    def out_of_reach(self, steps: Sequence[Step], world: WorldState) -> Tuple[str, ...]:
        """Return the areas of planned drives that no path reaches from where the base stands.

        The check stops at the first unknown answer, since each may take time.

        Args:
            steps: steps of the plan.
            world: observed objects, robots and facts; poses in the world frame.

        Returns:
            Names of the areas.
        """
        areas = [self._area_of(step, world) for step in steps
                 if step.action in self._domain.actions and self._drives(self._domain.actions[step.action])]
        found: List[str] = []
        for area in dict.fromkeys(filter(None, areas)):
            leads = self._leads_to(area, world)
            if leads is None:
                break
            found += [] if leads else [area]
        return tuple(found)

    def _leads_to(self, area: str, world: WorldState) -> Optional[bool]:
        """Check whether a path leads to an area; ``None`` if it cannot be determined."""
        item = world.objects.get(area)
        constraints = Constraints(zones_of(self._domain, world.objects.values()))
        return item is not None and leads_into(
            item, world.robots.get(self._base_in(world)), self._space, constraints)

    @staticmethod
    def _drives(action: Action) -> bool:
        return action.target is not None and not action.places


def itinerary_of(goal: Optional[Goal], domain: Domain) -> Optional[Itinerary]:
    """Return the areas that the stages of a goal name, one group for each stage.

    Args:
        goal: the goal; may be ``None``.
        domain: types, predicates and actions of the application.

    Returns:
        ``None`` if the goal names none, or leaves open which: its stages have conditions, alternatives, or
        are optional.
    """
    if goal is None or goal.otherwise or any(each.when or each.optional for each in goal.stages):
        return None
    roles = domain.roles
    groups: List[Tuple[str, ...]] = []
    for stage in goal.stages:
        if not all(isinstance(each, Holds) for each in stage.conditions):
            return None
        group = tuple(dict.fromkeys(each.fact.object for each in stage.conditions if isinstance(each, Holds)
                                    and each.fact.predicate in (roles.located, roles.visited)))
        if group:
            groups.append(group)
    return Itinerary(tuple(groups), ordered=len(groups) > 1) if groups else None
