"""How many commands any sequence needs at least: disjunctive action landmarks (LM-cut, Helmert and Domshlak
2009)."""

from __future__ import annotations

import heapq
from typing import List, Sequence, Set, Tuple

from hicrisp_core.domain.search.clock import Clock
from hicrisp_core.domain.search.relaxation import Graph

_NEVER = 1 << 60


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
