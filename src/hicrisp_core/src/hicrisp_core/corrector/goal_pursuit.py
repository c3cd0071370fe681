"""From a missed goal up the ladder: a search from here to the goal, then the brain, then the reason for
giving up."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional, Tuple

from hicrisp_core.corrector.doubtful import without_doubtful
from hicrisp_core.corrector.guard import mark, missed_meeting
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.goals.planning import way_to
from hicrisp_core.model import Correction, FeedbackKind, Maker, MakerKind, Rung, Step
from hicrisp_core.policy.policy import Policy
from hicrisp_core.ports.brain import Brain, PlanRequest, Usage
from hicrisp_core.ports.corrector import CorrectorAnswer, CorrectorRequest
from hicrisp_core.time.deadline import Deadline

_FOUND = Tuple[Optional[Correction], Usage]


class GoalPursuit:
    """Answers with steps that lead from what is seen now to the goal.

    Args:
        brain: asked on the rungs with a model; ``None`` where the policy has none.
    """

    def __init__(self, domain: Domain, policy: Policy, brain: Optional[Brain], searcher: Searcher) -> None:
        self._domain = domain
        self._policy = policy
        self._brain = brain
        self._searcher = searcher

    def correct(self, request: CorrectorRequest, deadline: Deadline) -> CorrectorAnswer:
        """Steps by the first rung that has some and was not tried in this situation."""
        missed = request.missed
        if missed is None or missed.kind is FeedbackKind.GOAL_UNSEEN and not missed.unmet:
            return CorrectorAnswer(Correction(Rung.GIVE_UP, note="no step brings it back into view"))
        request = replace(request, world=without_doubtful(request.world, missed, self._domain))
        met, usage, note = missed_meeting(missed, request.world), Usage(), ""
        for rung in self._rungs():
            if mark(met, rung) in request.seen:
                note = note or "every rung was tried in this situation"
                continue
            found, cost = self._searched(request, deadline) if rung is Rung.REPAIR else \
                self._planned(rung, request, deadline)
            usage = usage + cost
            if found is not None and found.steps:
                return CorrectorAnswer(found, mark(met, rung), usage)
            note = found.note if found is not None and found.note else note
        given_up = Correction(Rung.GIVE_UP, note=note or "nothing else is left to try")
        return CorrectorAnswer(given_up, mark(met, Rung.GIVE_UP), usage)

    def _rungs(self) -> Tuple[Rung, ...]:
        """The policy's rungs that can lead to a goal; a whole plan stands for a single action."""
        usable = [rung for rung in self._policy.rungs
                  if rung in (Rung.REPAIR, Rung.LLM_STEP, Rung.LLM_REPLAN)]
        if Rung.LLM_REPLAN in usable and Rung.LLM_STEP in usable:
            usable.remove(Rung.LLM_STEP)
        return tuple(usable)

    def _searched(self, request: CorrectorRequest, deadline: Deadline) -> _FOUND:
        if request.goal is None:
            return None, Usage()
        way = way_to(self._searcher, request.world, request.goal, deadline)
        steps = tuple(Step(self._domain.describe(each), each.action, each.arguments, each.robot)
                      for each in way.commands)
        note = "so that the goal is reached" if way.found else "no way to the goal was found"
        return Correction(Rung.REPAIR, steps=steps, note=note, maker=Maker(MakerKind.SEARCH)), Usage()

    def _planned(self, rung: Rung, request: CorrectorRequest, deadline: Deadline) -> _FOUND:
        if self._brain is None or request.missed is None:
            return None, Usage()
        if rung is Rung.LLM_REPLAN and request.replans_left < 1:
            return Correction(rung, note=f"all {self._policy.replans} new plans are used up"), Usage()
        answer = self._brain.plan(PlanRequest(
            request.task, request.world, (*request.earlier, request.missed), request.done,
            feedback_level=self._policy.feedback_level, goal=request.goal), deadline)
        if answer.plan is None:
            return Correction(rung, note=answer.refusal or answer.answer), answer.usage
        return Correction(rung, steps=answer.plan.steps, note=answer.plan.reasoning,
                          maker=Maker.of_plan(answer.plan.source), goal=answer.plan.goal), answer.usage
