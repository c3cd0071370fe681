"""Best-first search over states with a relaxed plan as its guide."""

from __future__ import annotations

import heapq
from typing import Dict, List, Optional, Sequence, Tuple

from hicrisp_core.domain.search.clock import Clock
from hicrisp_core.domain.search.operators import Operator
from hicrisp_core.domain.search.relaxation import Estimate, Relaxation
from hicrisp_core.domain.search.state_tests import StateTest

_WEIGHTS = ((0, 1), (60, 2), (240, 5))
"""From how many evaluated states on how much what is left counts against what was done: first short, then
any."""

_Entry = Tuple[int, int, int, int, int, bool]
"""Estimated cost of the whole sequence, estimate of what is left, order, commands so far, state, and whether
only the operators that are not helpful are left to be tried there."""


class BestFirst:
    """One search from one state.

    A state gets its estimate when it is taken from the queue; until then it has its parent's, one less where
    a helpful operator led to it and one more elsewhere. So mostly only the states on the way are ever
    evaluated.

    Args:
        keep: what no operator may end where it holds.
    """

    def __init__(
        self, relaxation: Relaxation, goal: Sequence[StateTest], clock: Clock, keep: Sequence[StateTest] = ()
    ) -> None:
        self._relaxation = relaxation
        self._goal = goal
        self._keep = tuple(keep)
        self._clock = clock
        self._parents: Dict[int, Tuple[int, Operator]] = {}
        self._reached: Dict[int, int] = {}
        self._estimates: Dict[int, Optional[Estimate]] = {}
        self._queue: List[_Entry] = []
        self._order = 0

    @property
    def looked_at(self) -> int:
        """The states that were evaluated."""
        return len(self._estimates)

    def run(self, start: int, depth: int, states: int) -> Optional[Tuple[Operator, ...]]:
        """The operators from a state to the goal; ``None`` when there are none within the limits.

        Args:
            depth: operators in a sequence, at most.
            states: states that are evaluated, at most.
        """
        self._reached[start] = 0
        self._push(0, 0, start, weight=1)
        weight = 1
        while self._queue and len(self._estimates) <= states:
            self._clock.tick()
            cost, _, _, done, state, rest = heapq.heappop(self._queue)
            if done > self._reached[state]:
                continue
            if rest:
                self._expand(state, done, self._estimates[state], weight, rest)
                continue
            if self._holds(state):
                return self._path(state)
            if done >= depth:
                continue
            if state not in self._estimates:
                self._estimates[state] = self._relaxation.estimate(state)
                weight = self._reweighted(weight)
            estimate = self._estimates[state]
            if estimate is None:
                continue
            if done + weight * estimate.steps > cost:
                # It is further than it seemed: others come first.
                self._push(done, estimate.steps, state, weight)
                continue
            self._expand(state, done, estimate, weight, rest=False)
            if estimate.others:
                self._push(done, estimate.steps + 2, state, weight, rest=True)
        return None

    def _expand(self, state: int, done: int, estimate: Optional[Estimate], weight: int, rest: bool) -> None:
        if estimate is None:
            return
        for operator in estimate.others if rest else estimate.helpful:
            self._clock.tick()
            after = operator.apply(state)
            if self._reached.get(after, done + 2) > done + 1 and not self._ends(state, after):
                self._reached[after] = done + 1
                self._parents[after] = (state, operator)
                known = self._estimates.get(after)
                left = estimate.steps + (1 if rest else -1) if known is None else known.steps
                self._push(done + 1, max(0, left), after, weight)

    def _ends(self, before: int, after: int) -> bool:
        """Whether something that must stay so is so before and not after."""
        return any(test.holds(before) and not test.holds(after) for test in self._keep)

    def _push(self, done: int, left: int, state: int, weight: int, rest: bool = False) -> None:
        self._order += 1
        heapq.heappush(self._queue, (done + weight * left, left, self._order, done, state, rest))

    def _reweighted(self, weight: int) -> int:
        """The weight from here on; the queue is put in order anew when it changes."""
        now = next(each for states, each in reversed(_WEIGHTS) if len(self._estimates) > states)
        if now != weight:
            self._queue = [(done + now * left, left, order, done, state, rest)
                           for _, left, order, done, state, rest in self._queue]
            heapq.heapify(self._queue)
        return now

    def _holds(self, state: int) -> bool:
        return all(test.holds(state) for test in self._goal)

    def _path(self, state: int) -> Tuple[Operator, ...]:
        found: List[Operator] = []
        while state in self._parents:
            state, operator = self._parents[state]
            found.append(operator)
        return tuple(reversed(found))
