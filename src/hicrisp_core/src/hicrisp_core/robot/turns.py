"""One order of visits that several bases share: who visits which area, and whom the others wait for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Mapping, Optional, Sequence, Tuple

from hicrisp_core.model.geometry import Planar

TURNS = "turns"
"""Topic and parameter of the visits that are left."""


@dataclass(frozen=True)
class Bar:
    """An area that a base must not enter yet, whom it waits for, and for what in words."""

    area: str
    whom: str
    words: str


class Turns:
    """One order of visits that several bases share: each visits its own areas, and none before its turn.

    Args:
        order: pairs of an area and the base that visits it, in their order; empty for no order.
    """

    def __init__(self, order: Sequence[Sequence[str]] = ()) -> None:
        self.left: List[Tuple[str, str]] = [(area, base) for area, base in order]
        """The visits that are due or wait, each with its base."""

    def visited(self, base: str, area: str) -> None:
        """Count a visit, if it was due.

        Args:
            base: who was there.
            area: where.
        """
        if self.left and self.left[0] == (area, base):
            del self.left[0]

    def barred(self, base: str, area: str = "") -> Optional[Bar]:
        """Return an area of a base that others have to visit an area before.

        Args:
            base: name of the base.
            area: where it is to go; the next one that is left to it if empty.

        Returns:
            The area and whom the base waits for; ``None`` if it may go there.
        """
        mine = [index for index, (where, who) in enumerate(self.left) if who == base and area in ("", where)]
        first = next((each for each in self.left[:mine[0]] if each[1] != base), None) if mine else None
        return None if first is None else Bar(
            self.left[mine[0]][0], first[1], f"{first[1]} to visit {first[0].replace('_', ' ')}")


def divided(
    order: Sequence[str], places: Mapping[str, Planar], bases: Mapping[str, Planar]
) -> List[Tuple[str, str]]:
    """Divide the visits of a task among bases: each area goes to the base that would be there first.

    Args:
        order: the areas in their order.
        places: where the areas are, metres.
        bases: where the bases are, metres.

    Returns:
        The areas in their order, each with its base.
    """
    at, driven = dict(bases), dict.fromkeys(bases, 0.0)
    found: List[Tuple[str, str]] = []
    for area in order:
        name = min(sorted(at), key=lambda base: driven[base] + math.dist(at[base], places[area]))
        driven[name] += math.dist(at[name], places[area])
        at[name] = places[area]
        found.append((area, name))
    return found
