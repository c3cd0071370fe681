"""How far a search may look, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True)
class SearchLimits:
    """How far to look: commands in a sequence, states looked at, wall seconds for one question.

    A question may take several searches (one for each thing that would serve); its seconds are for all of them.
    """

    depth: int = 8
    states: int = 4000
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if self.depth < 0 or self.states < 1 or not self.seconds > 0.0:
            raise ValueError(f"a search needs a depth from 0, states from 1 and seconds above 0, got depth "
                             f"{self.depth}, states {self.states}, seconds {self.seconds:g}")

    def deadline(self, outer: Optional[Deadline] = None) -> Deadline:
        """The deadline of a question that begins now: its own seconds, or an outer one that comes first."""
        return Deadline(self.seconds if outer is None else min(self.seconds, outer.remaining))
