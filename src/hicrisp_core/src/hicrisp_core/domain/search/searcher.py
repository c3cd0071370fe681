"""The search: a goal, a state, limits and a deadline in; commands, or the reason why there are none, out."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum
from threading import Lock
from typing import FrozenSet, List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.domain.conditions import Condition, parse_condition
from hicrisp_core.domain.effects import names_of
from hicrisp_core.domain.schema import Domain
from hicrisp_core.domain.search.best_first import BestFirst
from hicrisp_core.domain.search.clock import Clock, OutOfTime, TooWide
from hicrisp_core.domain.search.grounding import Breadth, Grounding
from hicrisp_core.domain.search.relaxation import Relaxation
from hicrisp_core.domain.search.state_tests import Operator, StateTest
from hicrisp_core.domain.search.static import fixed_predicates
from hicrisp_core.model import Command, Relation, WorldState
from hicrisp_core.policy.search_limits import SearchLimits
from hicrisp_core.time.deadline import Deadline

Conditions = Tuple[Condition, ...]
"""Conditions that all hold at once: a goal as the search takes it."""
_KEPT = 6
"""Groundings that are kept: worlds with the same objects, and the same facts that no action touches."""
_MOST_FACTS = 20_000
"""Facts above which a grounding starts again from nothing: quantities can grow without end."""

_TURN = 400
"""States that each search evaluates in its first turn, more than an answer mostly takes; then ``_GROWTH``
times as many."""
_GROWTH = 4

_World = Tuple[FrozenSet[Tuple[str, str]], str, FrozenSet[Relation]]


def goal_of(*conditions: str) -> Conditions:
    """A goal from conditions in writing, with the world's names in them."""
    return tuple(parse_condition(text) for text in conditions)


def preconditions_of(domain: Domain, command: Command) -> Conditions:
    """Return the preconditions of a command as a goal.

    Args:
        domain: types, predicates and actions of the application.
        command: the action with its arguments and constraints.

    Returns:
        Conditions with the command's arguments.
    """
    names = names_of(command)
    return tuple(p.condition.bind(names) for p in domain.action(command.action).preconditions)


class Ending(Enum):
    """How a search ended."""

    FOUND = "found"
    """Commands were found; none of them are needed where the goal holds already."""
    NO_WAY = "no_way"
    """No sequence within the limits leads to the goal: all were looked at, or as many as the limits allow."""
    OUT_OF_TIME = "out_of_time"
    """The deadline passed first: whether there is a way is not known."""


@dataclass(frozen=True)
class SearchAnswer:
    """The end of a search.

    Args:
        commands: in their order; empty unless found, and where nothing needs to be done.
        looked_at: the states that were evaluated.
    """

    ending: Ending
    commands: Tuple[Command, ...] = ()
    looked_at: int = 0

    @property
    def found(self) -> bool:
        """Whether the commands lead to the goal."""
        return self.ending is Ending.FOUND

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline ended the search, so that nothing is known."""
        return self.ending is Ending.OUT_OF_TIME


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
        deadline: Optional[Deadline] = None, undoable: bool = False, keep: Conditions = (),
        barred: FrozenSet[str] = frozenset(),
    ) -> SearchAnswer:
        """Find a short sequence of commands that makes all conditions of the goal true.

        Args:
            state: the observed world.
            goal: conditions that hold at the end.
            limits: states and seconds of the search; the usual ones if ``None``.
            deadline: ends the search if it comes before the limits' own seconds are over.
            undoable: whether only reversible actions are used, because the user did not ask for others.
            keep: conditions that no command of the sequence may end where they hold.
            barred: commands in writing that were found impossible.

        Returns:
            The commands, or why there are none: no solution, or out of time.
        """
        limits = limits or SearchLimits()
        within = limits.deadline(deadline)
        if not self._lock.acquire(timeout=within.remaining):
            return SearchAnswer(Ending.OUT_OF_TIME)
        try:
            return self._answer(state, goal, keep, barred, limits, undoable, Clock(within))
        except OutOfTime:
            return SearchAnswer(Ending.OUT_OF_TIME)
        finally:
            self._lock.release()

    def _answer(
        self, state: WorldState, goal: Conditions, keep: Conditions, barred: FrozenSet[str], limits: SearchLimits,
        undoable: bool, clock: Clock,
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

        relaxations = (Relaxation(grounding, tests, undoable, breadth, named, clock, barred) for breadth in Breadth)
        searches = [BestFirst(each, tests, clock, start, limits.depth, kept) for each in relaxations]
        found, looked_at = _in_turn(searches, limits.states)
        if found is None:
            return SearchAnswer(Ending.NO_WAY, looked_at=looked_at)
        return SearchAnswer(Ending.FOUND, tuple(each.command for each in found), looked_at)

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
