"""How far a search may look."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchLimits:
    """How far to look: commands in a sequence, states looked at, regression steps for one open condition."""

    depth: int = 8
    states: int = 4000
    regression: int = 4
