"""What stands out among the things of a world: the tallest, the leftmost, the biggest of a type.

People call things by what tells them apart; a model that reads names and colours alone cannot know which one
"the tall one" is.
"""

from __future__ import annotations

import math
from typing import Callable, Dict, List, Sequence, Tuple

from hicrisp_core.model import WorldObject, WorldState

Extreme = Tuple[str, str]
"""The words, and the name of the thing that they are true of."""
CLEARLY = 1.15
"""How many times more than the next an extreme has, so that people would agree at a glance."""
APART = 0.02
"""The same for places, in metres."""

_SIZES: Sequence[Tuple[str, str, Callable[[WorldObject], float]]] = (
    ("tallest", "flattest", lambda thing: thing.size[2]),
    ("biggest", "smallest", lambda thing: math.prod(thing.size)),
    ("longest", "", lambda thing: max(thing.size)),
)
_PLACES = (("rearmost", "frontmost", 0), ("leftmost", "rightmost", 1))
"""World frame: x forward, y left (REP-103)."""


def extremes(world: WorldState) -> Tuple[Extreme, ...]:
    """The extremes of the movable things: of all by size and place, of each type by size.

    Sizes are those of the things' own axes in metres; a thing that nobody sees is nowhere.
    """
    things = [thing for _, thing in sorted(world.objects.items()) if thing.movable]
    found = _by_size(things, "")
    types: Dict[str, List[WorldObject]] = {}
    for thing in things:
        types.setdefault(thing.type, []).append(thing)
    if len(types) > 1:
        for type_, each in sorted(types.items()):
            found += _by_size(each, f" {type_}")
    for most, least, axis in _PLACES:
        at = {thing.name: thing.pose.position[axis] for thing in things
              if thing.pose is not None and not thing.unseen}
        found += _ends(at, most, least, lambda one, other: one - other >= APART)
    return tuple(found)


def extremes_text(world: WorldState) -> str:
    """The extremes as the line of a prompt, the words before the name: ``tallest: milk; leftmost: mug``."""
    return "; ".join(f"{words}: {name}" for words, name in extremes(world))


def _by_size(things: Sequence[WorldObject], of: str) -> List[Extreme]:
    found: List[Extreme] = []
    for most, least, measure in _SIZES:
        found += _ends({thing.name: measure(thing) for thing in things}, most + of, least and least + of,
                       lambda one, other: one >= CLEARLY * other)
    return found


def _ends(values: Dict[str, float], most: str, least: str,
          more: Callable[[float, float], bool]) -> List[Extreme]:
    """The names with the greatest and the least value, where they are clearly that."""
    ranked = sorted(values, key=lambda name: (values[name], name))
    if len(ranked) < 2:
        return []
    found: List[Extreme] = []
    if more(values[ranked[-1]], values[ranked[-2]]):
        found.append((most, ranked[-1]))
    if least and more(values[ranked[1]], values[ranked[0]]):
        found.append((least, ranked[0]))
    return found
