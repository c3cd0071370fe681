"""The shortest plan of a blocks problem, by breadth-first search over whole states; shares nothing with
the planner.
"""

from __future__ import annotations

from collections import deque
from typing import Deque, Dict, FrozenSet, Iterator, Mapping, Optional, Sequence, Tuple

_State = Tuple[FrozenSet[Tuple[str, str]], str]
"""Who stands on what, and what is held (empty: nothing)."""


def optimal_length(below: Mapping[str, str], goal: Sequence[Tuple[str, str]],
                   table: str = "table") -> Optional[int]:
    """The least number of pick-ups, put-downs, stackings and unstackings; ``None`` where there is no way.

    Args:
        below: what each block stands on at first.
        goal: (upper, lower): which block shall stand on which itself.
    """
    start: _State = (frozenset(below.items()), "")
    wanted = frozenset(goal)
    lengths: Dict[_State, int] = {start: 0}
    queue: Deque[_State] = deque([start])
    while queue:
        state = queue.popleft()
        if wanted <= state[0]:
            return lengths[state]
        for after in _successors(state, table):
            if after not in lengths:
                lengths[after] = lengths[state] + 1
                queue.append(after)
    return None


def _successors(state: _State, table: str) -> Iterator[_State]:
    stands, held = state
    clear = {upper for upper, _ in stands} - {lower for _, lower in stands}
    if held:
        for place in (table, *clear):
            yield stands | {(held, place)}, ""
        return
    for upper, lower in stands:
        if upper in clear:
            yield stands - {(upper, lower)}, upper
