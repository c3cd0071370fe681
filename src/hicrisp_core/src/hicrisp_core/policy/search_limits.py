"""How far a search may look, and for how long."""

from __future__ import annotations

from typing import Optional

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT
from hicrisp_core.time.deadline import Deadline


@dataclass(frozen=True, config=STRICT)
class SearchLimits:
    """How far to look: commands in a sequence, states looked at, wall seconds for one question.

    A question may take several searches (one for each thing that would serve); its seconds are for all of
    them.
    """

    depth: NonNegativeInt = 8
    states: PositiveInt = 4000
    seconds: PositiveFloat = 1.0

    def deadline(self, outer: Optional[Deadline] = None) -> Deadline:
        """The deadline of a question that begins now: its own seconds, or an outer one that comes first."""
        return Deadline(self.seconds if outer is None else min(self.seconds, outer.remaining))
