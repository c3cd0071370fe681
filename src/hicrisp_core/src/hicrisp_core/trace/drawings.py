"""The layout of the report's small SVG drawings, in pixels; ``templates/drawings.html`` draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from hicrisp_core.trace.records import StackRecord

_COLOURS = ("#c4574d", "#d9923b", "#8a6fb3", "#3f7fb8", "#4b9a8d", "#9a7b4f")
_GOOD, _BAD, _UNKNOWN = "#55b084", "#d0645c", "#8a97a3"
CELL = (26, 20)
"""Width and height of one entry of the stack."""
_GAP = 3
_MOST_COLUMNS = 60


class Bar(NamedTuple):
    """A coloured rectangle with a title that a mouse finds, and a label in or below it."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    title: str
    label: str


class DrawnMark(NamedTuple):
    """A line of a scale, or a label beside something: where it is along the scale, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Drawing:
    """A drawing: bars over a floor, beside or above a scale.

    Args:
        left: where the bars begin.
        empty: the middles of the columns that have no bar, on the floor.
        rows: the words beside the rows.
        legend: a small bar for each colour.
    """

    width: float
    height: float
    floor: float
    bars: Tuple[Bar, ...]
    left: float = 0.0
    scale: Tuple[DrawnMark, ...] = ()
    rows: Tuple[DrawnMark, ...] = ()
    empty: Tuple[float, ...] = ()
    legend: Tuple[Bar, ...] = ()


class Span(NamedTuple):
    """Something that took from one second to another, and whether it went well (``None``: not known)."""

    text: str
    began: float
    ended: float
    ok: Optional[bool]


def lay_out_stack(stacks: Sequence[Sequence[StackRecord]]) -> Drawing:
    """Lay out the changes of a feedback stack: one column for each state, one colour for each command.

    Args:
        stacks: states of the stack in order; only the latest are drawn if there are many.

    Returns:
        The drawing.
    """
    columns = list(stacks)[-_MOST_COLUMNS:]
    depth = max((len(column) for column in columns), default=0)
    width, height = CELL
    floor = 8.0 + depth * (height + _GAP)
    colours: Dict[str, str] = {}
    bars: List[Bar] = []
    empty: List[float] = []
    for place, column in enumerate(columns):
        x = 22.0 + place * (width + _GAP)
        if not column:
            empty.append(x + width / 2.0)
        for level, entry in enumerate(column):
            colour = colours.setdefault(entry.command, _COLOURS[len(colours) % len(_COLOURS)])
            bars.append(Bar(x, floor - (level + 1) * (height + _GAP), width, height, colour,
                            f"{entry.command}: {entry.error}", str(entry.attempts)))
    legend = tuple(Bar(22.0, floor + 9.0 + 18.0 * row, 10.0, 10.0, colour, command, _short(command, 58))
                   for row, (command, colour) in enumerate(colours.items()))
    return Drawing(max(380.0, 30.0 + len(columns) * (width + _GAP)), floor + 18.0 + 18.0 * len(colours), floor,
                   tuple(bars), empty=tuple(empty), legend=legend)


def lay_out_deviations(measured: Sequence[Tuple[int, Sequence[float], bool]]) -> Drawing:
    """Lay out placement errors: one bar for each attempt, in millimetres in the plane, green if accepted.

    Args:
        measured: the command's number, metres along x, y, z, and whether it was accepted.

    Returns:
        The drawing.
    """
    lengths = [1000.0 * math.hypot(*list(deviation)[:2]) for _, deviation, _ in measured]
    top = _round_up(max([*lengths, 1.0]))
    left, height, floor = 44.0, 180.0, 160.0
    slot = min(52.0, max(14.0, 340.0 / max(1, len(lengths))))
    scale = tuple(DrawnMark(floor - (floor - 14.0) * part / 4.0, f"{top * part / 4.0:g}") for part in range(5))
    bars = []
    for place, ((number, _, ok), length) in enumerate(zip(measured, lengths)):
        bar = max((floor - 14.0) * length / top, 1.0)
        bars.append(Bar(left + slot * (place + 0.18), floor - bar, slot * 0.64, bar, _GOOD if ok else _BAD,
                        f"command {number}: {length:.1f} mm", str(number)))
    return Drawing(max(380.0, left + slot * len(lengths) + 8.0), height, floor, tuple(bars), left, scale)


def lay_out_lanes(lanes: Mapping[str, Sequence[Span]]) -> Drawing:
    """Lay out what each robot did over time: one row for each, one bar for each step.

    Args:
        lanes: time spans by robot, seconds.

    Returns:
        The drawing.
    """
    last = max((span.ended for spans in lanes.values() for span in spans), default=0.0)
    left, width, row = 70.0, 900.0, 34.0
    pixels = (width - left - 10.0) / max(last, 1e-3)
    step = _round_up(max(last, 1e-3) / 8.0)
    scale = tuple(DrawnMark(left + pixels * step * mark, f"{step * mark:g} s") for mark in range(int(last / step) + 1))
    robots, bars = [], []
    for line, (robot, spans) in enumerate(lanes.items()):
        y = 8.0 + row * line
        robots.append(DrawnMark(y + 18.0, _short(robot, 9)))
        for span in spans:
            long = max(2.0, pixels * (span.ended - span.began))
            colour = {None: _UNKNOWN, True: _GOOD, False: _BAD}[span.ok]
            bars.append(Bar(left + pixels * span.began, y, long, row - 8.0, colour,
                            f"{span.text}: {span.began:.1f} to {span.ended:.1f} s",
                            _short(span.text, int(long / 7.0)) if long > 24.0 else ""))
    floor = 8.0 + row * len(lanes)
    return Drawing(width, floor + 22.0, floor, tuple(bars), left, scale, tuple(robots))


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 4, 8, 10 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in (1, 2, 4, 8, 10) if value <= step * power), 10.0 * power)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
