"""The brain of goals: a model (or the grammar) says what a task means, the domain's search plans to it
(LLM+P).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from hicrisp_core.brain.offline import OfflineBrain, out_of_reach
from hicrisp_core.brain.translator import Translated, Translator
from hicrisp_core.domain.goal_words import GoalWords, goal_words
from hicrisp_core.domain.saying import joined, named, sentence
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.goals.planning import Way, way_to
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import OFFLINE_SOURCE, Plan, Step
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline


class GoalBrain:
    """Plans by search to the goal that a translator states; what the grammar reads is planned as it says."""

    def __init__(self, domain: Domain, translator: Translator, offline: OfflineBrain) -> None:
        self._domain = domain
        self._translator = translator
        self._offline = offline
        self._searcher = Searcher(domain)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The steps to the goal from the world as it is now; the goal is made once and comes back with
        them.
        """
        if request.goal is not None:
            if request.goal.source == OFFLINE_SOURCE:
                return self._offline.plan(request, deadline)
            return self._searched(request, request.goal, deadline)
        known = self._translator.translate(request, deadline)
        if known.end is not None:
            return known.end
        if known.goal is None or known.goal.source == OFFLINE_SOURCE:
            return self._as_read(request, known)
        return replace(self._searched(request, known.goal, deadline), usage=known.usage)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The steps that make the preconditions of the stack's top true; a search finds them."""
        return self._offline.correct(request, deadline)

    def _as_read(self, request: PlanRequest, known: Translated) -> PlanAnswer:
        if known.read is not None:
            return replace(known.read, usage=known.usage)
        return replace(self._offline.refused(request, known.trouble), usage=known.usage)

    def _searched(self, request: PlanRequest, goal: Goal, deadline: Deadline) -> PlanAnswer:
        wanted = (*goal.first, *goal.end, *goal.keep)
        if not missing(wanted, request.world.relations, self._domain):
            so = GoalWords(self._domain).state((*goal.end, *goal.keep))
            return PlanAnswer(answer=f"Nothing needs to be done, it is so already: {so}.")
        way = way_to(self._searcher, request.world, goal, deadline)
        refusal = self._refusal(request, goal, way)
        if refusal is not None:
            return PlanAnswer(refusal=refusal)
        steps = tuple(Step(self._domain.describe(each), each.action, each.arguments, each.robot)
                      for each in way.commands)
        said = goal if goal.said else replace(goal, said=goal_words(goal, self._domain))
        return PlanAnswer(Plan(steps, goal.source, goal=said))

    def _refusal(self, request: PlanRequest, goal: Goal, way: Way) -> Optional[str]:
        said = goal.said or goal_words(goal, self._domain)
        if way.misfit is not None:
            return sentence(str(way.misfit))
        if way.others:
            can = joined([named(each) for each in way.others], "and")
            return f"{sentence(named(goal.robot))[:-1]} cannot do this; {can} can. Name {can}, or no robot."
        if not way.found:
            why = "The search ran out of time before it found a way" if way.ending.value == "out_of_time" \
                else "No way was found"
            return f"{why} to this: {said}."
        stuck = out_of_reach(self._domain, request.feedback)
        named_ = sorted({str(value) for each in way.commands for value in each.arguments.values()} & stuck)
        return f"{', '.join(named_)} cannot be reached, and the task leaves no other way." if named_ else None
