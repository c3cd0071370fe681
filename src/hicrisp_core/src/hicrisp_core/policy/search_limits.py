"""How far a search may look, and for how long."""

from __future__ import annotations

from typing import Optional

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT
from hicrisp_core.time.deadline import Deadline, ThinkingTime

_PATIENCE = 10.0
"""Wall seconds for one second of thinking: on a busy machine other programs have the processor meanwhile."""


@dataclass(frozen=True, config=STRICT)
class SearchLimits:
    """How far to look: commands in a sequence, states looked at, seconds of thinking for one question.

    A question may take several searches (one for each object that would serve); its seconds are for all of
    them. They are the processor's, with ten times as much wall time at most.

    Args:
        depth: commands in a sequence.
        states: states that are looked at.
        seconds: seconds of the processor for one question; ten times as much wall time at most.
    """

    depth: NonNegativeInt = 8
    states: PositiveInt = 4000
    seconds: PositiveFloat = 1.0

    def deadline(self, outer: Optional[Deadline] = None) -> Deadline:
        """The end of a question that begins now: its own seconds, or an outer deadline that comes first.

        Args:
            outer: the question's own, where this is one of its searches, or that of whoever asks.
        """
        if isinstance(outer, ThinkingTime):
            return outer
        wall = _PATIENCE * self.seconds
        return ThinkingTime(self.seconds, wall if outer is None else min(wall, outer.remaining))
