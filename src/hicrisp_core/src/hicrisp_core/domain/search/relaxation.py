"""How far a goal is when nothing that was made is ever lost again: the delete relaxation (Hoffmann and
Nebel's h_FF).

Only what the goal needs is looked at: from what it lacks in a state back to the operators that make it, to
what those lack, and so on; then forward from the operators that can run, with the costs added up (Bonet and
Geffner's h_add).
"""

from __future__ import annotations

import heapq
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from hicrisp_core.domain.search.clock import Clock, TooWide
from hicrisp_core.domain.search.facts import Pattern
from hicrisp_core.domain.search.grounding import MOST_WAYS, Achievers, Breadth, Grounding
from hicrisp_core.domain.search.state_tests import AllOf, Key, Keys, NoneOf, Operator, OperatorWay, StateTest


class Estimate(NamedTuple):
    """What the relaxation says of a state.

    Args:
        steps: operators in the relaxed plan.
        helpful: operators that can run and begin the relaxed plan, or make what it makes first.
        others: the further operators that can run and that the goal has to do with.
    """

    steps: int
    helpful: Tuple[Operator, ...]
    others: Tuple[Operator, ...]


class Graph:
    """The part of a relaxed task that a goal has to do with, in one state.

    Facts to be made or removed are numbered in the order in which they were met. A relaxed operator has the
    numbers that it needs and those that it gives; one without an ``operator`` costs nothing and stands for an
    alternative.
    """

    def __init__(self) -> None:
        self.numbers: Dict[Key, int] = {}
        self.waiting: List[List[int]] = []
        self.operators: List[Optional[Operator]] = []
        self.needs: List[Tuple[int, ...]] = []
        self.gives: List[List[int]] = []
        self.goal: Tuple[int, ...] = ()


class Relaxation:
    """Estimates states for one goal.

    Args:
        undoable: whether only actions that can be undone count.
        breadth: how many ways to a fact count.
        named: the objects that the goal names.
        barred: commands in writing that no sequence has.
    """

    def __init__(
        self, grounding: Grounding, goal: Sequence[StateTest], undoable: bool, breadth: Breadth,
        named: FrozenSet[str], clock: Clock, barred: FrozenSet[str] = frozenset(),
    ) -> None:
        self._grounding = grounding
        self._goal = goal
        self._undoable = undoable
        self._breadth = breadth
        self._named = named
        self._barred = barred
        self._achievers: Dict[Key, Achievers] = {}
        self._kept = frozenset(number for test in goal if isinstance(test, AllOf) for number in test.numbers)
        self._denied = tuple(
            test.pattern for test in goal if isinstance(test, NoneOf) and breadth is not Breadth.ALL
            and test.pattern.predicate in grounding.lasting)
        """What the goal denies and nothing takes away again: what makes it leads nowhere."""
        self._clock = clock
        self.remembers = breadth is not Breadth.TOLD
        """Whether operators count in every state once they counted in one."""
        self._met: Dict[Operator, None] = {}

    def estimate(self, state: int) -> Optional[Estimate]:
        """Estimate the cost from a state to the goal without removals.

        Args:
            state: bits of the facts that hold.

        Returns:
            The estimate with its helpful operators; ``None`` if even the relaxed task has no solution.
        """
        graph = self.graph(state)
        if graph is None:
            return None
        if self.remembers:
            self._met.update(dict.fromkeys(each for each in graph.operators if each is not None))
        return _estimate(graph, self._kept)

    def remembered(self, state: int, estimate: Estimate) -> Iterator[Operator]:
        """Further operators that can run in a state, and that the goal had to do with in another one.

        What holds already, and would be lost on the way to the rest, can need them: an object is taken along
        so that it stays near.

        Args:
            state: bits of the facts that hold.
            estimate: the estimate for this state; its operators are left out.

        Yields:
            Applicable operators that were part of an earlier estimate.
        """
        known = {*estimate.helpful, *estimate.others}
        for operator in tuple(self._met):
            if operator not in known and all(test.holds(state) for test in operator.tests):
                yield operator

    def graph(self, state: int) -> Optional[Graph]:
        """Build the relaxed task from a state.

        Args:
            state: bits of the facts that hold.

        Returns:
            Operators with what they need and give; ``None`` if a condition of the goal is unreachable.
        """
        graph, lacks = Graph(), _Lacks(state)
        todo: List[Key] = []
        numbers = graph.numbers

        def want(key: Key) -> int:
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(numbers)
                graph.waiting.append([])
                todo.append(key)
            return number

        def add(operator: Optional[Operator], needs: Keys) -> int:
            found = len(graph.needs)
            wanted = tuple({want(key): None for key in needs})
            graph.operators.append(operator)
            graph.needs.append(wanted)
            graph.gives.append([])
            for number in wanted:
                graph.waiting[number].append(found)
            return found

        goal = lacks.all_of(self._goal)
        if goal is None:
            return None
        graph.goal = tuple({want(key): None for key in goal})
        index: Dict[OperatorWay, int] = {}
        position = 0
        while position < len(todo):
            self._clock.tick()
            key = todo[position]
            position += 1
            number = numbers[key]
            if len(index) > MOST_WAYS:
                raise TooWide
            if isinstance(key, tuple):
                for needs in key:
                    graph.gives[add(None, needs)].append(number)
                continue
            possible = False
            for way in self._ways(key, state):
                found = index.get(way)
                if found is None:
                    tests = way.operator.tests if way.when is None else (*way.operator.tests, way.when)
                    lacking = lacks.all_of(tests)
                    if lacking is None or self._denied and self._spoils(way.operator, state) \
                            or self._barred and str(way.operator.command) in self._barred:
                        found = index[way] = -1
                    else:
                        found = index[way] = add(way.operator, lacking)
                if found >= 0:
                    graph.gives[found].append(number)
                    possible = True
            if not possible and number < len(graph.goal):
                return None
        return graph

    def _spoils(self, operator: Operator, state: int) -> bool:
        """Whether an operator, run here, would make what the goal denies for good."""
        made = operator.apply(state) & ~state
        return any(made & pattern.bits for pattern in self._denied)

    def _ways(self, key: Union[int, Pattern], state: int) -> Sequence[OperatorWay]:
        if key not in self._achievers:
            self._achievers[key] = self._grounding.achievers(
                key, self._undoable, self._breadth, self._named, self._clock)
        fixed, told = self._achievers[key]
        if not told:
            return fixed
        return [*fixed, *(way for each in told for way in self._grounding.told(each, state))]


class _Lacks:
    """What a state lacks for tests; each test is asked once."""

    def __init__(self, state: int) -> None:
        self._state = state
        self._known: Dict[StateTest, Optional[Keys]] = {}

    def all_of(self, tests: Sequence[StateTest]) -> Optional[Keys]:
        """Collect what a state lacks for several tests.

        Args:
            tests: conditions that must hold together.

        Returns:
            Keys of missing and surplus facts; ``None`` if a test can never hold.
        """
        known = self._known
        found: Keys = ()
        for test in tests:
            if test in known:
                lacking = known[test]
            else:
                lacking = known[test] = () if test.holds(self._state) else test.lacks(self._state)
            if lacking is None:
                return None
            if lacking:
                found += lacking
        return found


def _estimate(graph: Graph, kept: FrozenSet[int]) -> Optional[Estimate]:
    """The relaxed plan; a fact of the goal (``kept``) that it removes counts once more: it has to be made
    anew."""
    supporters = _cheapest(graph)
    if supporters is None:
        return None
    chosen: Dict[int, None] = {}
    todo, met = list(graph.goal), set(graph.goal)
    first: Set[int] = set()
    while todo:
        number = todo.pop()
        supporter = supporters[number]
        if not graph.needs[supporter]:
            first.add(number)
        if supporter not in chosen:
            chosen[supporter] = None
            for need in graph.needs[supporter]:
                if need not in met:
                    met.add(need)
                    todo.append(need)
    helpful: List[Operator] = []
    near: List[Operator] = []
    others: List[Operator] = []
    for index, operator in enumerate(graph.operators):
        if operator is None or graph.needs[index]:
            continue
        if index in chosen:
            helpful.append(operator)
        elif first.isdisjoint(graph.gives[index]):
            others.append(operator)
        else:
            near.append(operator)
    steps = sum(1 for index in chosen if graph.operators[index] is not None)
    steps += sum(1 for key, number in graph.numbers.items()
                 if number in met and isinstance(key, int) and key & 1 and key >> 1 in kept)
    return Estimate(steps, (*helpful, *near), tuple(others))


def _cheapest(graph: Graph) -> Optional[List[int]]:
    """The operator by which each number comes about at the least cost; ``None`` when the goal is out of
    reach."""
    never = 1 << 60
    costs = [never] * len(graph.waiting)
    supporters = [-1] * len(costs)
    left = [len(needs) for needs in graph.needs]
    spent = [0 if operator is None else 1 for operator in graph.operators]
    queue: List[Tuple[int, int]] = []

    def gives(index: int) -> None:
        cost = spent[index]
        for number in graph.gives[index]:
            if cost < costs[number]:
                costs[number] = cost
                supporters[number] = index
                heapq.heappush(queue, (cost, number))

    for index, count in enumerate(left):
        if not count:
            gives(index)
    open_goal = set(graph.goal)
    done = [False] * len(costs)
    while queue and open_goal:
        cost, number = heapq.heappop(queue)
        if done[number]:
            continue
        done[number] = True
        open_goal.discard(number)
        for index in graph.waiting[number]:
            left[index] -= 1
            spent[index] += cost
            if not left[index]:
                gives(index)
    return None if open_goal else supporters
