"""What was seen and not known before: a lidar's discs that touch each other are one thing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

from hicrisp_core.trace.scene_lines import ThingSeen

TOUCH = 0.05
"""Metres of free ground between two discs up to which they are sides of one thing."""


@dataclass(frozen=True)
class Stranger:
    """Something that was not known before.

    Args:
        name: its own, or that of its largest part.
        x: of the middle of its extent, metres in the world frame, as is ``y``.
        size: of its extent along the world's axes, metres; a thing of one part has its own.
    """

    name: str
    x: float
    y: float
    size: Tuple[float, ...]

    @property
    def measured(self) -> str:
        """Its name, size and place."""
        size = " x ".join(f"{100.0 * each:.0f}" for each in self.size)
        return f"{self.name}, about {size} cm, at ({self.x:.2f}, {self.y:.2f}) m"


def strangers_in(things: Sequence[ThingSeen], known: Sequence[str]) -> List[Stranger]:
    """The things that were not known before, each once, from left to right.

    Args:
        known: names of what the scene holds.
    """
    left = [thing for thing in things if thing.name not in known and thing.x is not None]
    found: List[Stranger] = []
    while left:
        together, at = [left.pop(0)], 0
        while at < len(together):
            touching = [thing for thing in left if _touch(together[at], thing)]
            together += touching
            left = [thing for thing in left if thing not in touching]
            at += 1
        found.append(_one(together))
    return sorted(found, key=lambda each: (each.x, each.y))


def _touch(one: ThingSeen, other: ThingSeen) -> bool:
    """Whether two are parts of one thing: what can be moved is a thing of its own."""
    if one.movable or other.movable:
        return False
    apart = math.hypot(_of(one.x) - _of(other.x), _of(one.y) - _of(other.y))
    return apart - (_wide(one) + _wide(other)) / 2.0 <= TOUCH


def _one(parts: Sequence[ThingSeen]) -> Stranger:
    largest = max(parts, key=_wide)
    if len(parts) == 1:
        return Stranger(largest.name, _of(largest.x), _of(largest.y), tuple(largest.size))
    ends = [[(_of(at) - _wide(part) / 2.0, _of(at) + _wide(part) / 2.0) for at in (part.x, part.y)]
            for part in parts]
    (left, right), (near, far) = ((min(end[axis][0] for end in ends), max(end[axis][1] for end in ends))
                                  for axis in (0, 1))
    height = max((part.size[2] for part in parts if len(part.size) > 2), default=0.0)
    return Stranger(largest.name, (left + right) / 2.0, (near + far) / 2.0,
                    (right - left, far - near, height))


def _wide(thing: ThingSeen) -> float:
    return max((*thing.size[:2], 0.0))


def _of(value: Optional[float]) -> float:
    return value or 0.0
