"""A searcher that notes how long each of its answers took."""

from __future__ import annotations

import time
from typing import FrozenSet, List, Optional

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search import Conditions, SearchAnswer, Searcher
from hicrisp_core.model import WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline


class TimedSearcher(Searcher):
    """Answers as any searcher does; ``seconds`` has the wall time of each question in their order."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self.seconds: List[float] = []
        self.out_of_time = 0

    def find(
        self, state: WorldState, goal: Conditions, limits: Optional[SearchLimits] = None,
        deadline: Optional[Deadline] = None, undoable: bool = False, keep: Conditions = (),
        barred: FrozenSet[str] = frozenset(),
    ) -> SearchAnswer:
        """See ``Searcher``."""
        began = time.perf_counter()
        answer = super().find(state, goal, limits, deadline, undoable, keep, barred)
        self.seconds.append(time.perf_counter() - began)
        self.out_of_time += answer.out_of_time
        return answer
