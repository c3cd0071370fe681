"""Small SVG drawings for the report: the stack over time, the deviation of each attempt, the robots side by side."""

from __future__ import annotations

import math
from html import escape
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

_COLOURS = ("#c4574d", "#d9923b", "#8a6fb3", "#3f7fb8", "#4b9a8d", "#9a7b4f")
_CELL_WIDTH, _CELL_HEIGHT, _GAP = 26, 20, 3
_MOST_COLUMNS = 60


def draw_stack(stacks: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """One column for each change of the stack; a colour for each command, with a legend."""
    columns = list(stacks)[-_MOST_COLUMNS:]
    depth = max((len(column) for column in columns), default=0)
    colours: Dict[str, str] = {}
    shapes: List[str] = []
    floor = 8 + depth * (_CELL_HEIGHT + _GAP)
    for x_index, column in enumerate(columns):
        x = 22 + x_index * (_CELL_WIDTH + _GAP)
        for level, entry in enumerate(column):
            command = str(entry.get("command", ""))
            colour = colours.setdefault(command, _COLOURS[len(colours) % len(_COLOURS)])
            y = floor - (level + 1) * (_CELL_HEIGHT + _GAP)
            tries = int(entry.get("attempts") or 1)
            shapes.append(
                f"<rect x='{x}' y='{y}' width='{_CELL_WIDTH}' height='{_CELL_HEIGHT}' rx='4' fill='{colour}'>"
                f"<title>{escape(command)}: {escape(str(entry.get('error', '')))}</title></rect>"
                f"<text x='{x + _CELL_WIDTH / 2}' y='{y + 14}' text-anchor='middle' style='fill:#fff'>{tries}</text>")
        if not column:
            shapes.append(f"<circle cx='{x + _CELL_WIDTH / 2}' cy='{floor - 9}' r='4' fill='#7cc5a0'>"
                          "<title>empty</title></circle>")
    legend_y = floor + 18
    for row, (command, colour) in enumerate(colours.items()):
        y = legend_y + 18 * row
        shapes.append(f"<rect x='22' y='{y - 9}' width='10' height='10' rx='2' fill='{colour}'/>"
                      f"<text x='38' y='{y}'>{escape(_short(command, 58))}</text>")
    width = max(380, 30 + len(columns) * (_CELL_WIDTH + _GAP))
    height = legend_y + 18 * len(colours)
    axis = f"<line x1='18' y1='{floor}' x2='{width - 6}' y2='{floor}' stroke='#c5cfd8'/>"
    return (f"<svg width='{width}' height='{height}' viewBox='0 0 {width} {height}' role='img' "
            f"aria-label='the feedback stack'>{axis}{''.join(shapes)}</svg>")


def draw_deviations(measured: Sequence[Tuple[int, Sequence[float], bool]]) -> str:
    """A bar for each attempt: the deviation in the plane in millimetres, green when the detector accepted it."""
    lengths = [1000.0 * math.hypot(*list(deviation)[:2]) for _, deviation, _ in measured]
    top = _round_up(max([*lengths, 1.0]))
    left, right, height, floor = 44, 8, 180, 160
    slot = min(52.0, max(14.0, 340.0 / len(lengths)))
    width = int(max(380, left + slot * len(lengths) + right))
    shapes: List[str] = []
    for part in range(5):
        value = top * part / 4.0
        y = floor - (floor - 14) * part / 4.0
        shapes.append(f"<line x1='{left}' y1='{y:.1f}' x2='{width - right}' y2='{y:.1f}' stroke='#e6ebf0'/>"
                      f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{value:g}</text>")
    for index, ((number, _, ok), length) in enumerate(zip(measured, lengths)):
        bar = (floor - 14) * length / top
        x = left + slot * index + slot * 0.18
        shapes.append(
            f"<rect x='{x:.1f}' y='{floor - bar:.1f}' width='{slot * 0.64:.1f}' height='{max(bar, 1.0):.1f}' rx='2' "
            f"fill='{'#55b084' if ok else '#d0645c'}'><title>command {number}: {length:.1f} mm</title></rect>"
            f"<text x='{x + slot * 0.32:.1f}' y='{floor + 15}' text-anchor='middle'>{number}</text>")
    return (f"<svg width='{width}' height='{height}' viewBox='0 0 {width} {height}' role='img' "
            f"aria-label='deviation of each attempt'>{''.join(shapes)}</svg>")


class Span(NamedTuple):
    """Something that took from one second to another, and whether it went well (``None``: not known)."""

    text: str
    began: float
    ended: float
    ok: Optional[bool]


def draw_lanes(lanes: Mapping[str, Sequence[Span]]) -> str:
    """One row for each robot with a bar for each of its steps, over the seconds of the run."""
    last = max((span.ended for spans in lanes.values() for span in spans), default=0.0)
    left, width, row = 70, 900, 34
    scale = (width - left - 10) / max(last, 1e-3)
    floor = 8 + row * len(lanes)
    shapes: List[str] = []
    step = _round_up(max(last, 1e-3) / 8.0)
    for mark in range(int(last / step) + 1):
        x = left + scale * step * mark
        shapes.append(f"<line x1='{x:.1f}' y1='4' x2='{x:.1f}' y2='{floor}' stroke='#e6ebf0'/>"
                      f"<text x='{x:.1f}' y='{floor + 14}' text-anchor='middle'>{step * mark:g} s</text>")
    for line, (robot, spans) in enumerate(lanes.items()):
        y = 8 + row * line
        shapes.append(f"<text x='{left - 8}' y='{y + 18}' text-anchor='end'>{escape(_short(robot, 9))}</text>")
        for span in spans:
            x, wide = left + scale * span.began, max(2.0, scale * (span.ended - span.began))
            colour = "#8a97a3" if span.ok is None else "#55b084" if span.ok else "#d0645c"
            label = escape(_short(span.text, max(1, int(wide / 7))))
            shapes.append(
                f"<rect x='{x:.1f}' y='{y}' width='{wide:.1f}' height='{row - 8}' rx='4' fill='{colour}' "
                f"stroke='#fff'><title>{escape(span.text)}: {span.began:.1f} to {span.ended:.1f} s</title></rect>"
                f"<text x='{x + 6:.1f}' y='{y + 17}' style='fill:#fff'>{label if wide > 24 else ''}</text>")
    return (f"<svg width='{width}' height='{floor + 22}' viewBox='0 0 {width} {floor + 22}' role='img' "
            f"aria-label='what each robot did when'>{''.join(shapes)}</svg>")


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 8, 10 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in (1, 2, 4, 8, 10) if value <= step * power), 10.0 * power)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
