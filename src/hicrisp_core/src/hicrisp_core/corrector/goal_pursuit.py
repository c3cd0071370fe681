"""From a missed goal up the ladder: a search from here to the goal, then the brain, then the reason for giving up;
and what was found impossible.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import FrozenSet, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.goal_wording import GoalWords
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.goals.planning import way_to
from hicrisp_core.goals.stages import about, final_conditions, without
from hicrisp_core.goals.truth import ended_by, holds, ways_to_say
from hicrisp_core.model import (
    Correction,
    Feedback,
    FeedbackKind,
    Maker,
    MakerKind,
    Relation,
    Rung,
    StackEntry,
    Step,
    Vector,
    WorldState,
)
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Brain, PlanRequest, Usage
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.time.deadline import Deadline

_KINDS = frozenset((FeedbackKind.PLANNING, FeedbackKind.NO_PLACE, FeedbackKind.UNREACHABLE))
"""Failures that the same command meets again if nothing has changed."""
_MOVED = 0.02
"""Distance at which an object counts as moved, metres; noise moves it by less."""
_DOUBTS = (FeedbackKind.CANNOT_TELL, FeedbackKind.GOAL_UNSEEN)
_UNSEEN = "no step brings it back into view"
_GRID = 0.01
"""Metres to which positions are rounded: noise moves objects by more, a true loop does not."""
_FOUND = Tuple[Optional[Correction], Usage]


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
        if self.failure.kind not in _KINDS:
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


def mark(met: str, rung: str) -> str:
    """Return the key under which a tried rung is remembered.

    Args:
        met: hash of the failure and its situation.
        rung: the rung of the correction ladder.

    Returns:
        The key.
    """
    return f"{met}:{rung}"


class GoalPursuit:
    """Answers with steps that lead from what is seen now to the goal.

    Args:
        brain: asked on the rungs with a model; ``None`` if the policy has none.
    """

    def __init__(self, domain: Domain, policy: Policy, brain: Optional[Brain], searcher: Searcher) -> None:
        self._domain = domain
        self._policy = policy
        self._brain = brain
        self._searcher = searcher
        self._words = GoalWords(domain)

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """Return steps from the first rung that has some and was not tried in this situation.

        Args:
            request: what is missing of the goal, the world and the rungs tried so far.
            deadline: wall-clock limit of the call.

        Returns:
            The correction; ``GIVE_UP`` if no rung is left.
        """
        missed = request.missed
        if missed is None:
            return CorrectorAnswer(Correction(Rung.GIVE_UP, note="nothing is missing"))
        request = replace(request, world=without_doubtful(request.world, missed, self._domain))
        met, usage, note = meeting(missed, request.world), Usage(), ""
        out_of_view = missed.kind is FeedbackKind.GOAL_UNSEEN and not missed.unmet
        usable = [rung for rung in self._policy.rungs if rung in (Rung.REPAIR, Rung.LLM_STEP, Rung.LLM_REPLAN)]
        for rung in usable:
            if rung == Rung.LLM_STEP and Rung.LLM_REPLAN in usable:
                continue  # A whole plan stands for a single action.
            if out_of_view and rung != Rung.REPAIR:
                continue
            if mark(met, rung) in request.seen:
                note = note or "every rung was tried in this situation"
                continue
            found, cost = self._searched(request, deadline) if rung == Rung.REPAIR else \
                self._planned(rung, request, deadline)
            usage = usage + cost
            if found is not None and found.steps:
                return CorrectorAnswer(found, mark(met, rung), usage)
            note = found.note if found is not None and found.note else note
        given_up = Correction(Rung.GIVE_UP, note=note or (_UNSEEN if out_of_view else "nothing else is left to try"))
        return CorrectorAnswer(given_up, mark(met, Rung.GIVE_UP), usage)

    def _searched(self, request: CorrectorRequest, deadline: Deadline) -> _FOUND:
        """Return the shortest way that keeps achieved conditions; without one, a way that states what it undoes."""
        if request.goal is None:
            return None, Usage()
        world = request.world
        barred = frozenset(str(each.command) for each in request.earlier
                           if each.kind in _KINDS and each.command is not None and not each.stopped)
        goal = without(request.goal, about({each.name for each in world.unseen}))
        reached = tuple(each for each in final_conditions(goal, self._domain)
                        if holds(each, world.relations, self._domain))
        way = way_to(self._searcher, world, goal, deadline, protect=reached, barred=barred)
        note = "so that the goal is reached"
        if not way.found and reached:
            way = way_to(self._searcher, world, goal, deadline, barred=barred)
            worlds = tuple(accumulate(way.commands, lambda state, each: apply_effects(self._domain, each, state),
                                      initial=world))
            ended = (each for before, after in zip(worlds, worlds[1:])
                     for each in ended_by(reached, self._domain, before, after))
            undone = self._words.state(tuple(dict.fromkeys(ended)))
            note = f"this must be undone first, and is made again: {undone}"
        if way.found and not way.commands:
            note = _UNSEEN
        elif not way.found:
            tried = f" without what was found impossible ({', '.join(sorted(barred))})" if barred else ""
            note = f"no way to the goal was found{tried}"
        steps = tuple(Step(self._domain.describe(each), each.action, each.arguments, each.robot)
                      for each in way.commands)
        return Correction(Rung.REPAIR, steps=steps, note=note, maker=Maker(MakerKind.SEARCH)), Usage()

    def _planned(self, rung: str, request: CorrectorRequest, deadline: Deadline) -> _FOUND:
        if self._brain is None or request.missed is None:
            return None, Usage()
        if rung == Rung.LLM_REPLAN and request.replans_left < 1:
            return Correction(rung, note=f"all {self._policy.replans} new plans are used up"), Usage()
        answer = self._brain.plan(PlanRequest(
            request.task, request.world, (*request.earlier, request.missed), request.done,
            feedback_level=self._policy.feedback_level, goal=request.goal, conversation=request.conversation), deadline)
        if answer.plan is None:
            return Correction(rung, note=answer.refusal or answer.answer), answer.usage
        return Correction(rung, steps=answer.plan.steps, note=answer.plan.reasoning,
                          maker=Maker.of_plan(answer.plan.source), goal=answer.plan.goal), answer.usage
