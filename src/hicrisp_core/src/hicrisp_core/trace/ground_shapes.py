"""The ground as a drawing: metres of the world turned into the pixels of an SVG, and the shapes in it;
where objects ended, and what was not known before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from hicrisp_core.trace.records import Numbers
from hicrisp_core.trace.scene_lines import ThingSeen

Spot = Tuple[float, float]
_ROUND = frozenset({"cylinder", "bowl", "sphere", "disc"})
TOUCH = 0.05
"""Metres of free ground between two discs up to which they are sides of one object."""


def achieved(target: Sequence[float], turn: Optional[Numbers], measured: Optional[Numbers]) -> Optional[List[float]]:
    """Return where an object ended up.

    Args:
        target: position (x, y, z) in the world frame, metres.
        turn: orientation of the target, quaternion (x, y, z, w).
        measured: deviation in the target's frame, metres.

    Returns:
        Position in the world frame, metres; ``None`` if a value is missing.
    """
    if measured is None or turn is None or len(measured) != 3 or len(turn) != 4 or len(target) != 3:
        return None
    x, y, z, w = turn
    a, b, c = measured
    twice = (2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a))
    off = (
        a + w * twice[0] + y * twice[2] - z * twice[1],
        b + w * twice[1] + z * twice[0] - x * twice[2],
        c + w * twice[2] + x * twice[1] - y * twice[0],
    )
    return [round(at + by, 5) for at, by in zip(target, off)]


class Line(NamedTuple):
    """A polyline, or a polygon where it is closed; ``kind`` is the class of its style."""

    kind: str
    points: str
    closed: bool = False
    width: float = 0.0
    title: str = ""
    colour: str = ""


class Disc(NamedTuple):
    """A circle, pixels."""

    kind: str
    x: float
    y: float
    radius: float
    title: str = ""
    colour: str = ""


class Label(NamedTuple):
    """A text around its middle, pixels."""

    kind: str
    x: float
    y: float
    text: str


class Ground:
    """From metres to pixels. At a table the arm looks up the page; in an arena x goes to the right.

    Args:
        bounds: the least x and y, and the greatest, metres.
        size: pixels of the longer side.
    """

    def __init__(self, bounds: Sequence[float], turned: bool, size: float) -> None:
        low_x, low_y, high_x, high_y = bounds
        across, along = high_x - low_x, high_y - low_y
        if turned:
            across, along = along, across
        self._low, self._high, self._turned = (low_x, low_y), (high_x, high_y), turned
        self.scale = size / max(across, along, 0.1)
        self.width, self.height = across * self.scale, along * self.scale
        self.long = max(across, along)

    def point(self, x: float, y: float) -> Spot:
        """Convert a point to pixels.

        Args:
            x: world frame, metres.
            y: world frame, metres.

        Returns:
            Pixel coordinates (right, down).
        """
        if self._turned:
            return (self._high[1] - y) * self.scale, (self._high[0] - x) * self.scale
        return (x - self._low[0]) * self.scale, (self._high[1] - y) * self.scale

    def line(
        self, kind: str, spots: Sequence[Sequence[float]], closed: bool = False, width: float = 0.0, title: str = "",
        colour: str = "",
    ) -> Line:
        """Return a line through points.

        Args:
            kind: CSS class, which defines the style.
            spots: points (x, y) in the world frame, metres.
            closed: whether it is a polygon.
            width: pixels; 0 for the style of the kind.
            title: tooltip.
            colour: overrides the style of the kind; may be empty.

        Returns:
            The shape in pixels.
        """
        pixels = (self.point(spot[0], spot[1]) for spot in spots)
        return Line(kind, " ".join(f"{x:.1f},{y:.1f}" for x, y in pixels), closed, width, title, colour)

    def disc(self, kind: str, x: float, y: float, radius: float, title: str = "", colour: str = "") -> Disc:
        """Return a circle with a radius in metres.

        Args:
            kind: CSS class, which defines the style.
            x: world frame, metres.
            y: world frame, metres.
            radius: metres.
            title: tooltip.
            colour: overrides the style of the kind; may be empty.

        Returns:
            The shape in pixels.
        """
        at = self.point(x, y)
        return Disc(kind, at[0], at[1], radius * self.scale, title, colour)

    def pin(self, kind: str, x: float, y: float, radius: float, title: str = "") -> Disc:
        """Return a circle with a radius in pixels.

        Args:
            kind: CSS class, which defines the style.
            x: world frame, metres.
            y: world frame, metres.
            radius: pixels.
            title: tooltip.

        Returns:
            The shape in pixels.
        """
        at = self.point(x, y)
        return Disc(kind, at[0], at[1], radius, title)

    def cross(self, kind: str, x: float, y: float, half: float = 5.0, title: str = "") -> "Tuple[Line, Line]":
        """Return a cross of two lines.

        Args:
            kind: CSS class, which defines the style.
            x: world frame, metres.
            y: world frame, metres.
            half: half its width, pixels.
            title: tooltip.

        Returns:
            The two lines in pixels.
        """
        a, b = self.point(x, y)
        return (
            Line(kind, f"{a - half:.1f},{b - half:.1f} {a + half:.1f},{b + half:.1f}", title=title),
            Line(kind, f"{a - half:.1f},{b + half:.1f} {a + half:.1f},{b - half:.1f}", title=title),
        )

    def thing(self, kind: str, thing: ThingSeen, title: str = "", colour: str = "") -> Union[Line, Disc]:
        """Return the outline of an observed object.

        Args:
            kind: CSS class, which defines the style.
            thing: the object with its pose.
            title: tooltip.
            colour: overrides the style of the kind; may be empty.

        Returns:
            A disc for round objects, else a polygon.
        """
        x, y = thing.x or 0.0, thing.y or 0.0
        length, width = (*thing.size, 0.0, 0.0)[:2]
        if thing.shape in _ROUND:
            return self.disc(kind, x, y, max(length, 0.01) / 2.0, title, colour)
        turn = math.radians(thing.yaw or 0.0)
        cos, sin = math.cos(turn), math.sin(turn)
        corners = [
            (x + 0.5 * (a * length * cos - b * width * sin), y + 0.5 * (a * length * sin + b * width * cos))
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        return self.line(kind, corners, closed=True, title=title, colour=colour)


@dataclass(frozen=True)
class Stranger:
    """Something that was not known before.

    Args:
        name: its own, or that of its largest part.
        x: of the middle of its extent, metres in the world frame, as is ``y``.
        size: of its extent along the world's axes, metres; an object of one part has its own.
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
    """Return the objects that were not known before, each once, from left to right.

    Args:
        things: the observed objects.
        known: names of the scene's objects.

    Returns:
        The unknown objects; touching ones are merged.
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
    """Check whether two are parts of one object: what can be moved is an object of its own."""
    if one.movable or other.movable:
        return False
    apart = math.hypot(_of(one.x) - _of(other.x), _of(one.y) - _of(other.y))
    return apart - (_wide(one) + _wide(other)) / 2.0 <= TOUCH


def _one(parts: Sequence[ThingSeen]) -> Stranger:
    largest = max(parts, key=_wide)
    if len(parts) == 1:
        return Stranger(largest.name, _of(largest.x), _of(largest.y), tuple(largest.size))
    ends = [[(_of(at) - _wide(part) / 2.0, _of(at) + _wide(part) / 2.0) for at in (part.x, part.y)] for part in parts]
    (left, right), (near, far) = ((min(end[axis][0] for end in ends), max(end[axis][1] for end in ends))
                                  for axis in (0, 1))
    height = max((part.size[2] for part in parts if len(part.size) > 2), default=0.0)
    return Stranger(largest.name, (left + right) / 2.0, (near + far) / 2.0, (right - left, far - near, height))


def _wide(thing: ThingSeen) -> float:
    return max((*thing.size[:2], 0.0))


def _of(value: Optional[float]) -> float:
    return value or 0.0
