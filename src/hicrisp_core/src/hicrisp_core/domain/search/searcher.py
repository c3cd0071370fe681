"""The search: a goal, a state, limits and a deadline in; commands, or the reason why there are none, out."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import FrozenSet, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search.answer import Ending, SearchAnswer
from hicrisp_core.domain.search.best_first import BestFirst
from hicrisp_core.domain.search.clock import Clock, OutOfTime, TooWide
from hicrisp_core.domain.search.grounding import Breadth, Grounding
from hicrisp_core.domain.search.lower_bound import lower_bound
from hicrisp_core.domain.search.operators import Operator
from hicrisp_core.domain.search.question import Conditions
from hicrisp_core.domain.search.relaxation import Relaxation
from hicrisp_core.domain.search.state_tests import StateTest
from hicrisp_core.domain.search.static import fixed_predicates
from hicrisp_core.model import Relation, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline

_KEPT = 6
"""Groundings that are kept: worlds with the same things, and the same facts that no action touches."""
_MOST_FACTS = 20_000
"""Facts above which a grounding starts again from nothing: quantities can grow without end."""

_TURN = 400
"""States that each search evaluates in its first turn, more than an answer mostly takes; then ``_GROWTH``
times as many."""
_GROWTH = 4

_World = Tuple[FrozenSet[Tuple[str, str]], str, FrozenSet[Relation]]


class Searcher:
    """Answers searches in one domain and keeps what it grounded for them; may be asked from several threads.

    The answer depends on the question alone unless it is ``OUT_OF_TIME``: what was kept makes it quicker, not
    other.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._fixed = fixed_predicates(domain)
        self._kept: "OrderedDict[_World, Grounding]" = OrderedDict()
        self._lock = Lock()

    def find(
        self, state: WorldState, goal: Conditions, limits: Optional[SearchLimits] = None,
        deadline: Optional[Deadline] = None, undoable: bool = False, prove: bool = False,
        keep: Conditions = (),
    ) -> SearchAnswer:
        """A short sequence of commands that makes all conditions of the goal true.

        Args:
            deadline: ends the search if it comes before the limits' own seconds are over.
            undoable: whether only actions that can be undone are used, as nobody asked for others.
            prove: whether to try to prove that a sequence of several commands is the shortest, which takes
                some milliseconds more.
            keep: conditions that no command of the sequence may end where they hold.
        """
        limits = limits or SearchLimits()
        within = limits.deadline(deadline)
        if not self._lock.acquire(timeout=within.remaining):
            return SearchAnswer(Ending.OUT_OF_TIME)
        try:
            return self._answer(state, goal, keep, limits, undoable, prove, Clock(within))
        except OutOfTime:
            return SearchAnswer(Ending.OUT_OF_TIME)
        finally:
            self._lock.release()

    def _answer(
        self, state: WorldState, goal: Conditions, keep: Conditions, limits: SearchLimits, undoable: bool,
        prove: bool,
        clock: Clock,
    ) -> SearchAnswer:
        grounding = self._grounding(state)
        tests: List[StateTest] = []
        for condition in goal:
            test = grounding.goal_test(condition)
            if isinstance(test, StateTest):
                tests.append(test)
            elif not test:
                return SearchAnswer(Ending.NO_WAY)
        kept = [test for test in map(grounding.goal_test, keep) if isinstance(test, StateTest)]
        start = grounding.table.state(fact for fact in state.relations if fact.predicate not in self._fixed)
        named = frozenset(argument for condition in goal for clause in condition.clauses
                          for atom in clause.atoms for argument in atom.arguments)

        def relaxation(breadth: Breadth) -> Relaxation:
            return Relaxation(grounding, tests, undoable, breadth, named, clock)

        searches = [BestFirst(relaxation(breadth), tests, clock, start, limits.depth, kept)
                    for breadth in Breadth]
        found, looked_at = _in_turn(searches, limits.states)
        if found is None:
            return SearchAnswer(Ending.NO_WAY, looked_at=looked_at)
        shortest = len(found) < 2  # One command is needed where the goal does not hold.
        if prove and not shortest:
            shortest = _needs(len(found), relaxation(Breadth.ALL), start, clock)
        return SearchAnswer(Ending.FOUND, tuple(each.command for each in found), shortest, looked_at)

    def _grounding(self, state: WorldState) -> Grounding:
        types: Mapping[str, str] = state.types()
        robot = next(iter(state.robots)) if len(state.robots) == 1 else ""
        fixed = frozenset(fact for fact in state.relations if fact.predicate in self._fixed)
        world: _World = (frozenset(types.items()), robot, fixed)
        found = self._kept.pop(world, None)
        if found is None or len(found.table.facts) > _MOST_FACTS:
            found = Grounding(self.domain, types, robot, fixed)
        self._kept[world] = found
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found


def _in_turn(searches: Sequence[BestFirst], states: int) -> Tuple[Optional[Tuple[Operator, ...]], int]:
    """What the first of several searches finds, and the states that all of them evaluated.

    Each gets a turn before the first one goes on: where the narrow one leads nowhere, the wider ones do not
    wait for its end. Once one has found only what is too long, none looks further than it did.
    """
    share, left = _TURN, list(searches)
    found: Optional[Tuple[Operator, ...]] = None
    while left and found is None and _looked_at(searches) <= states:
        for search in tuple(left):
            most = min([share, *(each.looked_at for each in searches if each.too_long and each.over)])
            try:
                found = search.run(min(most, search.looked_at + states - _looked_at(searches)))
            except TooWide:
                left.remove(search)
                continue
            if found is not None:
                break
            if search.over or most < share:
                left.remove(search)
        share *= _GROWTH
    return found, _looked_at(searches)


def _looked_at(searches: Sequence[BestFirst]) -> int:
    return sum(each.looked_at for each in searches)


def _needs(length: int, every: Relaxation, start: int, clock: Clock) -> bool:
    """Whether it is proven that no sequence is shorter; out of time nothing is."""
    try:
        graph = every.graph(start)
        return graph is not None and lower_bound(graph, clock) >= length
    except (TooWide, OutOfTime):
        return False
