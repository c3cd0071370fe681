"""Plans by search to a goal that is known (LLM+P)."""

from __future__ import annotations

from dataclasses import replace

from hicrisp_core.brain.out_of_reach import out_of_reach
from hicrisp_core.domain.goal_words import GoalWords, goal_words
from hicrisp_core.domain.saying import joined, named, sentence
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Ending, Searcher
from hicrisp_core.goals.planning import Way, way_to
from hicrisp_core.goals.truth import missing
from hicrisp_core.model import Plan, Step
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.brain import PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline


class GoalSearch:
    """Finds the steps to goals."""

    def __init__(self, domain: Domain, searcher: Searcher) -> None:
        self._domain = domain
        self._searcher = searcher

    def plan(self, request: PlanRequest, goal: Goal, deadline: Deadline) -> PlanAnswer:
        """The steps from the world as it is now; an answer where nothing is missing; why there is no way."""
        wanted = (*goal.first, *goal.end, *goal.keep)
        if not missing(wanted, request.world.relations, self._domain):
            so = GoalWords(self._domain).state((*goal.end, *goal.keep))
            return PlanAnswer(answer=f"Nothing needs to be done, it is so already: {so}.")
        way = way_to(self._searcher, request.world, goal, deadline)
        refusal = self._refusal(request, goal, way)
        if refusal:
            return PlanAnswer(refusal=refusal)
        steps = tuple(Step(self._domain.describe(each), each.action, each.arguments, each.robot)
                      for each in way.commands)
        said = goal if goal.said else replace(goal, said=goal_words(goal, self._domain))
        return PlanAnswer(Plan(steps, goal.source, goal=said))

    def _refusal(self, request: PlanRequest, goal: Goal, way: Way) -> str:
        why = in_vain(goal, way, self._domain)
        if why:
            return why
        stuck = out_of_reach(self._domain, request.feedback)
        named_ = sorted({str(value) for each in way.commands for value in each.arguments.values()} & stuck)
        return f"{', '.join(named_)} cannot be reached, and the task leaves no other way." if named_ else ""


def in_vain(goal: Goal, way: Way, domain: Domain) -> str:
    """Why a search led to no way, in words; empty where it found one."""
    said = goal.said or goal_words(goal, domain)
    if way.misfit is not None:
        return sentence(str(way.misfit))
    if way.others:
        can = joined([named(each) for each in way.others], "and")
        return f"{sentence(named(goal.robot))[:-1]} cannot do this; {can} can. Name {can}, or no robot."
    if not way.found:
        why = "The search ran out of time before it found a way" if way.ending is Ending.OUT_OF_TIME \
            else "No way was found"
        return f"{why} to this: {said}."
    return ""
