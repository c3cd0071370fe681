"""How far a search may look."""

from __future__ import annotations

from pydantic import NonNegativeInt
from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT


@dataclass(frozen=True, config=STRICT)
class SearchLimits:
    """How far to look: commands in a sequence, states looked at, regression steps for one open condition."""

    depth: NonNegativeInt = 8
    states: NonNegativeInt = 4000
    regression: NonNegativeInt = 4
