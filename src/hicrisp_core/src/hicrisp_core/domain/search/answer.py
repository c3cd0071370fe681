"""What a search answers: commands, or by its name why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Tuple

from hicrisp_core.model import Command


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
        shortest: whether it is proven that no shorter sequence reaches the goal. Without it the sequence may
            still be the shortest one: for more than one command a proof is only tried where it was asked for.
        looked_at: the states that were evaluated.
    """

    ending: Ending
    commands: Tuple[Command, ...] = ()
    shortest: bool = False
    looked_at: int = 0

    @property
    def found(self) -> bool:
        """Whether the commands lead to the goal."""
        return self.ending is Ending.FOUND

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline ended the search, so that nothing is known."""
        return self.ending is Ending.OUT_OF_TIME
