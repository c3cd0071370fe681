"""Whether a found sequence is proven to be the shortest one: disjunctive action landmarks (LM-cut, Helmert and
Domshlak 2009) say how many commands any sequence needs at least."""

from __future__ import annotations

import heapq
from typing import List, Sequence, Set, Tuple

from hicrisp_core.domain import Conditions, Domain, SearchAnswer
from hicrisp_core.domain.search.clock import Clock, OutOfTime, TooWide
from hicrisp_core.domain.search.grounding import Breadth, Grounding
from hicrisp_core.domain.search.relaxation import Graph, Relaxation
from hicrisp_core.domain.search.state_tests import StateTest
from hicrisp_core.domain.search.static import fixed_predicates
from hicrisp_core.model import WorldState
from hicrisp_core.time.deadline import Deadline

_NEVER = 1 << 60


def proven_shortest(
    answer: SearchAnswer, domain: Domain, state: WorldState, goal: Conditions, deadline: Deadline,
    undoable: bool = False,
) -> bool:
    """Check whether no sequence from a state to a goal is shorter than the answer's; out of time nothing is proven.

    Args:
        undoable: whether only actions that can be undone count, as they did for the answer.
    """
    if not answer.found or len(answer.commands) < 2:
        return answer.found
    fixed = frozenset(fact for fact in state.relations if fact.predicate in fixed_predicates(domain))
    grounding = Grounding(domain, state.types(), next(iter(state.robots)) if len(state.robots) == 1 else "", fixed)
    tests = [test for test in map(grounding.goal_test, goal) if isinstance(test, StateTest)]
    start, clock = grounding.table.state(state.relations - fixed), Clock(deadline)
    try:
        graph = Relaxation(grounding, tests, undoable, Breadth.ALL, frozenset(), clock).graph(start)
        return graph is not None and lower_bound(graph, clock) >= len(answer.commands)
    except (TooWide, OutOfTime):
        return False


def lower_bound(graph: Graph, clock: Clock) -> int:
    """A number of operators below which no sequence reaches the goal, for a graph that holds every way.

    Each round finds a set of operators of which any sequence uses one, counts it, and makes them free.
    """
    costs = [0 if operator is None else 1 for operator in graph.operators]
    found = 0
    while True:
        clock.tick()
        reached, hardest = _reach(graph, costs)
        last = max(graph.goal, key=reached.__getitem__, default=-1)
        if last < 0 or reached[last] in (0, _NEVER):
            return found
        cut = _cut(graph, costs, hardest, last)
        if not cut:
            return found
        least = min(costs[index] for index in cut)
        found += least
        for index in cut:
            costs[index] -= least


def _reach(graph: Graph, costs: Sequence[int]) -> Tuple[List[int], List[int]]:
    """The cost of each number when only the hardest need of an operator counts; and each operator's hardest
    need."""
    reached = [_NEVER] * len(graph.waiting)
    hardest = [-1] * len(costs)
    left = [len(needs) for needs in graph.needs]
    queue: List[Tuple[int, int]] = []

    def give(index: int, so_far: int) -> None:
        cost = so_far + costs[index]
        for number in graph.gives[index]:
            if cost < reached[number]:
                reached[number] = cost
                heapq.heappush(queue, (cost, number))

    for index, count in enumerate(left):
        if not count:
            give(index, 0)
    done: Set[int] = set()
    while queue:
        cost, number = heapq.heappop(queue)
        if number in done:
            continue
        done.add(number)
        for index in graph.waiting[number]:
            left[index] -= 1
            if not left[index]:
                hardest[index] = number  # The last of its needs to come about is the hardest.
                give(index, cost)
    return reached, hardest


def _cut(graph: Graph, costs: Sequence[int], hardest: Sequence[int], last: int) -> List[int]:
    """The operators that lead into the numbers from which the goal follows for nothing."""
    makers: List[List[int]] = [[] for _ in graph.waiting]
    for index, gives in enumerate(graph.gives):
        if hardest[index] >= 0 or not graph.needs[index]:
            for number in gives:
                makers[number].append(index)
    beyond, todo = {last}, [last]
    while todo:
        for index in makers[todo.pop()]:
            if not costs[index] and hardest[index] >= 0 and hardest[index] not in beyond:
                beyond.add(hardest[index])
                todo.append(hardest[index])
    before: Set[int] = set()
    cut: List[int] = []
    ready = [index for index, needs in enumerate(graph.needs) if not needs]
    follow: List[List[int]] = [[] for _ in graph.waiting]
    for index, number in enumerate(hardest):
        if number >= 0:
            follow[number].append(index)
    while ready:
        index = ready.pop()
        into = [number for number in graph.gives[index] if number in beyond]
        if into:
            cut.append(index)
        for number in graph.gives[index]:
            if number not in beyond and number not in before:
                before.add(number)
                ready.extend(follow[number])
    return list(dict.fromkeys(cut))
