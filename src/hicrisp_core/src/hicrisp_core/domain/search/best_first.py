"""Best-first search over states with a relaxed plan as its guide."""

from __future__ import annotations

import heapq
from typing import Dict, List, Optional, Sequence, Tuple

from hicrisp_core.domain.search.clock import Clock
from hicrisp_core.domain.search.relaxation import Estimate, Relaxation
from hicrisp_core.domain.search.state_tests import Operator, StateTest

_WEIGHTS = ((0, 1), (60, 2), (240, 5))
"""From how many evaluated states on how much what is left counts against what was done: first short, then
any."""

_FURTHER = 50
"""States that are evaluated after a sequence that is too long, beside as many as it took to find it."""

_Entry = Tuple[int, int, int, int, int, bool]
"""Estimated cost of the whole sequence, estimate of what is left, order, commands so far, state, and whether
only the operators that are not helpful are left to be tried there."""


class BestFirst:
    """One search from one state.

    A state gets its estimate when it is taken from the queue; until then it has its parent's, one less where
    a helpful operator led to it and one more elsewhere. So mostly only the states on the way are ever
    evaluated.

    A search can be run a part at a time. Where it finds a sequence that is too long, a short one would most
    likely have come first, so it looks only a little further.

    Args:
        start: the state that it begins from.
        depth: operators in a sequence, at most.
        keep: what no operator may end where it holds.
    """

    def __init__(
        self, relaxation: Relaxation, goal: Sequence[StateTest], clock: Clock, start: int, depth: int,
        keep: Sequence[StateTest] = (),
    ) -> None:
        self._relaxation = relaxation
        self._goal = goal
        self._keep = tuple(keep)
        self._clock = clock
        self._depth = depth
        self._weight = 1
        self._parents: Dict[int, Tuple[int, Operator]] = {}
        self._reached: Dict[int, int] = {start: 0}
        self._estimates: Dict[int, Optional[Estimate]] = {}
        self._queue: List[_Entry] = []
        self._order = 0
        self._ends_at: Optional[int] = None
        """How many states are evaluated at most, once a sequence was found that is too long."""
        self._push(0, 0, start)

    @property
    def looked_at(self) -> int:
        """The states that were evaluated."""
        return len(self._estimates)

    @property
    def over(self) -> bool:
        """Whether nothing is left to be looked at."""
        return not self._queue or self._ends_at is not None and self.looked_at > self._ends_at

    @property
    def too_long(self) -> bool:
        """Whether a sequence was found that is longer than the depth."""
        return self._ends_at is not None

    def run(self, states: int) -> Optional[Tuple[Operator, ...]]:
        """Continue the search.

        Args:
            states: limit of evaluated states, in this and all earlier runs.

        Returns:
            Operators from the start to the goal; ``None`` if none were found within the limits.
        """
        while not self.over and self.looked_at <= states:
            self._clock.tick()
            cost, _, _, done, state, rest = heapq.heappop(self._queue)
            if done > self._reached[state]:
                continue
            if rest:
                self._expand(state, done, self._estimates[state], rest)
                continue
            if all(test.holds(state) for test in self._goal):
                if done <= self._depth:
                    return self._path(state)
                if self._ends_at is None:
                    self._ends_at = 2 * self.looked_at + _FURTHER
                continue
            # Sequences up to twice as long are looked at until one is found too long.
            if done >= (2 * self._depth if self._ends_at is None else self._depth):
                continue
            if state not in self._estimates:
                self._estimates[state] = self._relaxation.estimate(state)
                self._reweigh()
            estimate = self._estimates[state]
            if estimate is None:
                continue
            if done + self._weight * estimate.steps > cost:
                # It is further than it seemed: others come first.
                self._push(done, estimate.steps, state)
                continue
            self._expand(state, done, estimate, rest=False)
            if estimate.others or self._relaxation.remembers:
                self._push(done, estimate.steps + 2, state, rest=True)
        return None

    def _expand(self, state: int, done: int, estimate: Optional[Estimate], rest: bool) -> None:
        if estimate is None:
            return
        operators = estimate.helpful
        if rest:
            operators = (*estimate.others, *self._relaxation.remembered(state, estimate))
        for operator in operators:
            self._clock.tick()
            after = operator.apply(state)
            if self._reached.get(after, done + 2) > done + 1 and not any(
                    test.holds(state) and not test.holds(after) for test in self._keep):
                self._reached[after] = done + 1
                self._parents[after] = (state, operator)
                known = self._estimates.get(after)
                left = estimate.steps + (1 if rest else -1) if known is None else known.steps
                self._push(done + 1, max(0, left), after)

    def _push(self, done: int, left: int, state: int, rest: bool = False) -> None:
        self._order += 1
        heapq.heappush(self._queue, (done + self._weight * left, left, self._order, done, state, rest))

    def _reweigh(self) -> None:
        """Set the weight from here on, and put the queue in order anew where it changes."""
        now = next(each for states, each in reversed(_WEIGHTS) if len(self._estimates) > states)
        if now != self._weight:
            self._weight = now
            self._queue = [(done + now * left, left, order, done, state, rest)
                           for _, left, order, done, state, rest in self._queue]
            heapq.heapify(self._queue)

    def _path(self, state: int) -> Tuple[Operator, ...]:
        found: List[Operator] = []
        while state in self._parents:
            state, operator = self._parents[state]
            found.append(operator)
        return tuple(reversed(found))
