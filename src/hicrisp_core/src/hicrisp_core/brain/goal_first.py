"""A brain that plans by itself, with a translator before it that says what the task means, for the
verdict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from hicrisp_core.brain.agents import AgentBrain
from hicrisp_core.brain.translator import Translator
from hicrisp_core.model.goal import Goal
from hicrisp_core.ports.brain import (
    Brain,
    CorrectionRequest,
    PlanAnswer,
    PlanRequest,
    ReportAnswer,
    ReportRequest,
)
from hicrisp_core.time.deadline import Deadline


class GoalFirst:
    """Asks for the meaning of a new task before its planner plans; a task that nobody understands is planned
    all the same, without a goal.
    """

    def __init__(self, planner: Brain, translator: Translator) -> None:
        self._planner = planner
        self._translator = translator

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The planner's plan, with the goal."""
        goal = request.goal
        if goal is not None or request.feedback:
            return _with(self._planner.plan(request, deadline), goal)
        known = self._translator.translate(request, deadline)
        if known.end is not None and (known.end.question is not None or known.end is known.read):
            return known.end
        answer = self._planner.plan(replace(request, goal=known.goal), deadline)
        return replace(_with(answer, known.goal), usage=answer.usage + known.usage)

    def meaning(self, request: PlanRequest, deadline: Deadline) -> Optional[PlanAnswer]:
        """What a new task means, without a plan to it."""
        return self._translator.meaning(request, deadline)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The planner's correction."""
        return self._planner.correct(request, deadline)


class GoalFirstReporter(GoalFirst):
    """The same over agents that word the end of a task for the user."""

    def __init__(self, planner: AgentBrain, translator: Translator) -> None:
        super().__init__(planner, translator)
        self._reporter = planner

    def report(self, request: ReportRequest, deadline: Deadline) -> ReportAnswer:
        """The agents' words."""
        return self._reporter.report(request, deadline)


def _with(answer: PlanAnswer, goal: Optional[Goal]) -> PlanAnswer:
    """The answer whose plan says the goal."""
    if answer.plan is None or goal is None:
        return answer
    return replace(answer, plan=replace(answer.plan, goal=goal))
