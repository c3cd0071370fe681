"""From a missed goal up the ladder: a search from here to the goal, then the brain, then the reason for
giving up."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import accumulate
from typing import Optional, Tuple

from hicrisp_core.corrector.impossible import barred_by
from hicrisp_core.domain.effects import apply_effects
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.domain.wording import GoalWords
from hicrisp_core.goals.planning import way_to
from hicrisp_core.goals.stages import about, final_conditions, without
from hicrisp_core.goals.truth import ended_by, holds, ways_to_say
from hicrisp_core.model import Correction, Feedback, FeedbackKind, Maker, MakerKind, Rung, StackEntry, Step, WorldState
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Brain, PlanRequest, Usage
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.time.deadline import Deadline

_DOUBTS = (FeedbackKind.CANNOT_TELL, FeedbackKind.GOAL_UNSEEN)
_UNSEEN = "no step brings it back into view"
_GRID = 0.01
"""Metres to which positions are rounded: noise moves objects by more, a true loop does not."""
_FOUND = Tuple[Optional[Correction], Usage]


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


def meeting(entry: StackEntry, world: WorldState) -> str:
    """Hash a failure in a state: command, error, facts and rounded positions.

    Args:
        entry: the failed command with its feedback.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        A short hash; equal for the same failure in the same situation.
    """
    aim = tuple(round(value / _GRID) for value in entry.command.aim.position) if entry.command.aim else ()
    failure = (str(entry.command), entry.feedback.kind.value, entry.feedback.label)
    return _hash((*failure, aim), world)


def missed_meeting(missed: Feedback, world: WorldState) -> str:
    """Hash a missed goal in a state.

    Args:
        missed: what is missing once all steps are done.
        world: observed objects, robots and facts; poses in the world frame.

    Returns:
        A short hash.
    """
    return _hash((missed.kind.value, *map(str, missed.conditions)), world)


def mark(met: str, rung: str) -> str:
    """Return the key under which a tried rung is remembered.

    Args:
        met: hash of the failure and its situation.
        rung: the rung of the correction ladder.

    Returns:
        The key.
    """
    return f"{met}:{rung}"


def _hash(failure: Tuple[object, ...], world: WorldState) -> str:
    places = sorted(
        (name, *(round(value / _GRID) for value in thing.pose.position))
        for name, thing in world.objects.items() if thing.pose is not None and thing.movable)
    text = repr((failure, sorted(world.relations), places))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
        met, usage, note = missed_meeting(missed, request.world), Usage(), ""
        out_of_view = missed.kind is FeedbackKind.GOAL_UNSEEN and not missed.unmet
        for rung in self._rungs():
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

    def _rungs(self) -> Tuple[str, ...]:
        """Return the policy's rungs that can lead to a goal; a whole plan stands for a single action."""
        usable = [rung for rung in self._policy.rungs if rung in (Rung.REPAIR, Rung.LLM_STEP, Rung.LLM_REPLAN)]
        if Rung.LLM_REPLAN in usable and Rung.LLM_STEP in usable:
            usable.remove(Rung.LLM_STEP)
        return tuple(usable)

    def _searched(self, request: CorrectorRequest, deadline: Deadline) -> _FOUND:
        """Return the shortest way that keeps achieved conditions; without one, a way that states what it undoes."""
        if request.goal is None:
            return None, Usage()
        world, barred = request.world, barred_by(request.earlier)
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
