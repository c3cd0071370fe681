"""The brain of goals: a model (or the grammar) says what a task means, the domain's search plans to it
(LLM+P).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from hicrisp_core.brain.goal_search import GoalSearch
from hicrisp_core.brain.offline import OfflineBrain
from hicrisp_core.brain.translator import Translated, Translator
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Searcher
from hicrisp_core.model import OFFLINE_SOURCE
from hicrisp_core.ports.brain import CorrectionRequest, PlanAnswer, PlanRequest
from hicrisp_core.time.deadline import Deadline


class GoalBrain:
    """Plans by search to the goal that a translator states; what the grammar reads is planned as it says."""

    def __init__(self, domain: Domain, translator: Translator, offline: OfflineBrain) -> None:
        self._translator = translator
        self._offline = offline
        self._goals = GoalSearch(domain, Searcher(domain))

    def plan(self, request: PlanRequest, deadline: Deadline) -> PlanAnswer:
        """The steps to the goal from the world as it is now; the goal is made once and comes back with
        them.
        """
        if request.goal is not None:
            if request.goal.source == OFFLINE_SOURCE:
                return self._offline.plan(request, deadline)
            return self._goals.plan(request, request.goal, deadline)
        known = self._translator.translate(request, deadline)
        if known.end is not None:
            return known.end
        if known.goal is None or known.goal.source == OFFLINE_SOURCE:
            return self._as_read(request, known)
        return replace(self._goals.plan(request, known.goal, deadline), usage=known.usage)

    def meaning(self, request: PlanRequest, deadline: Deadline) -> Optional[PlanAnswer]:
        """What a new task means, without a plan to it."""
        return self._translator.meaning(request, deadline)

    def correct(self, request: CorrectionRequest, deadline: Deadline) -> PlanAnswer:
        """The steps that make the preconditions of the stack's top true; a search finds them."""
        return self._offline.correct(request, deadline)

    def _as_read(self, request: PlanRequest, known: Translated) -> PlanAnswer:
        if known.read is not None:
            return replace(known.read, usage=known.usage)
        return replace(self._offline.refused(request, known.trouble), usage=known.usage)
