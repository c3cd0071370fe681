"""The ground as a drawing: metres of the world turned into the pixels of an SVG, and the shapes in it."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence, Tuple, Union

from hicrisp_core.trace.scene_lines import ThingSeen

Spot = Tuple[float, float]
_ROUND = frozenset({"cylinder", "bowl", "sphere", "disc"})


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
        """The pixel of a point."""
        if self._turned:
            return (self._high[1] - y) * self.scale, (self._high[0] - x) * self.scale
        return (x - self._low[0]) * self.scale, (self._high[1] - y) * self.scale

    def line(
        self,
        kind: str,
        spots: Sequence[Sequence[float]],
        closed: bool = False,
        width: float = 0.0,
        title: str = "",
        colour: str = "",
    ) -> Line:
        """A line through points of the ground; the width in pixels."""
        pixels = (self.point(spot[0], spot[1]) for spot in spots)
        return Line(kind, " ".join(f"{x:.1f},{y:.1f}" for x, y in pixels), closed, width, title, colour)

    def disc(self, kind: str, x: float, y: float, radius: float, title: str = "", colour: str = "") -> Disc:
        """A circle of so many metres."""
        at = self.point(x, y)
        return Disc(kind, at[0], at[1], radius * self.scale, title, colour)

    def pin(self, kind: str, x: float, y: float, radius: float, title: str = "") -> Disc:
        """A circle of so many pixels."""
        at = self.point(x, y)
        return Disc(kind, at[0], at[1], radius, title)

    def cross(self, kind: str, x: float, y: float, half: float = 5.0, title: str = "") -> "Tuple[Line, Line]":
        """A cross of two lines, pixels."""
        a, b = self.point(x, y)
        return (
            Line(kind, f"{a - half:.1f},{b - half:.1f} {a + half:.1f},{b + half:.1f}", title=title),
            Line(kind, f"{a - half:.1f},{b + half:.1f} {a + half:.1f},{b - half:.1f}", title=title),
        )

    def thing(self, kind: str, thing: ThingSeen, title: str = "", colour: str = "") -> Union[Line, Disc]:
        """The outline of a thing that was seen."""
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
