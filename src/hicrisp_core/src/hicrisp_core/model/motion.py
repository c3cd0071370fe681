"""What was seen of a base's motion since its eyes opened: counts that only grow, so that two looks can be
compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Mapping, Tuple

from hicrisp_core.model.way import Way


@dataclass(frozen=True)
class Motion:
    """What a base was seen to do, in all.

    Args:
        touches: how often it touched something.
        near_misses: how often it passed something too closely.
        entered: how often any part of it came over a zone that it must not enter, by the zone's name.
        clearance: the least space to anything so far, metres; infinite before anything was seen.
        path: length of its way, metres.
        way: its last part, point by point, for those who draw it.
    """

    touches: int = 0
    near_misses: int = 0
    entered: Mapping[str, int] = field(default_factory=dict)
    clearance: float = math.inf
    path: float = 0.0
    way: Way = Way()

    def since(self, before: "Motion") -> "Motion":
        """What happened after an earlier look; everything, where the counting began anew in between."""
        if (self.path < before.path - 1e-6 or self.touches < before.touches or self.near_misses < before.near_misses):
            return self
        entered = {name: count - before.entered.get(name, 0) for name, count in self.entered.items()}
        return Motion(self.touches - before.touches, self.near_misses - before.near_misses,
                      {name: count for name, count in entered.items() if count > 0}, self.clearance,
                      self.path - before.path, self.way)

    @property
    def zones(self) -> Tuple[str, ...]:
        """The zones that it was over, by name."""
        return tuple(sorted(name for name, count in self.entered.items() if count > 0))
