"""The brain without a model: a search over the domain plans to a goal, and to what a failed action needs."""

from __future__ import annotations

from hicrisp_core.brain.goal_search import GoalSearch
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher, preconditions_of
from hicrisp_core.model import OFFLINE_SOURCE, FeedbackKind, Plan, Step
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline


class SearchBrain:
    """Plans by search (LLM+P); without a goal it asks for one."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._searcher = Searcher(domain)
        self._goals = GoalSearch(domain, self._searcher)

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """Return the steps to the request's goal from the world as it is now."""
        if request.goal is None:
            return PlanAnswer(needs_goal=True)
        return self._goals.plan(request, request.goal, deadline)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """Return the steps that make the preconditions of the stack's top true."""
        top = request.stack[-1]
        if top.command.action not in self._domain.actions:
            return PlanAnswer(refusal=f"'{top.command.action}' is no action of this domain")
        if top.feedback.kind is FeedbackKind.UNREACHABLE:
            return PlanAnswer(refusal="no single action makes a way to where none leads")
        found = self._searcher.find(request.world, preconditions_of(self._domain, top.command), deadline=deadline)
        if not found.found:
            why = "the search ran out of time on the way" if found.out_of_time else "no way was found"
            return PlanAnswer(refusal=f"{why} to where '{self._domain.describe(top.command)}' can be tried")
        steps = tuple(Step(self._domain.describe(c), c.action, c.arguments, c.robot) for c in found.commands)
        return PlanAnswer(Plan(steps, OFFLINE_SOURCE, "what the failed action needs"))
