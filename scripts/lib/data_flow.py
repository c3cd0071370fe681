"""Draws how data flows through a task: ``python3 scripts/lib/data_flow.py docs/pictures/data_flow.svg``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Tuple

WIDTH, HEIGHT = 920, 560
FONT = "font-family='DejaVu Sans, Arial, sans-serif'"


@dataclass(frozen=True)
class Box:
    """A part of the system: middle and extents in pixels, its name, and what it does."""

    x: float
    y: float
    name: str
    about: Tuple[str, ...]
    fill: str = "#ffffff"
    width: float = 200
    height: float = 76


@dataclass(frozen=True)
class Arrow:
    """What goes from one place to another, along straight lines, and where its name stands."""

    points: Tuple[Tuple[float, float], ...]
    text: str
    at: Tuple[float, float]
    anchor: str = "middle"


NODE, OUTSIDE = "#e8f0fb", "#f3f1ea"
BOXES = (
    Box(120, 70, "you", ("terminal, page, your program",), OUTSIDE),
    Box(460, 70, "supervisor", ("holds the task, runs Algorithm 1,", "asks all the others"), NODE, 260),
    Box(800, 70, "brain", ("words to a goal, goal to a plan",), NODE),
    Box(800, 190, "language model", ("any endpoint, or the embedded one,", "or controlled English"), OUTSIDE,
        216),
    Box(460, 230, "body", ("a step to commands,", "each with its target"), NODE),
    Box(460, 380, "robot", ("arm or base: plans, moves,", "refuses what it cannot honour"), NODE, 220),
    Box(460, 500, "world", ("MuJoCo, Gazebo, or a real one",), OUTSIDE, 220, 60),
    Box(120, 500, "eyes", ("camera or simulator's poses",), NODE, 200, 60),
    Box(120, 320, "detector", ("trusts neither plan nor robot:", "did the command do what it should?"), NODE,
        220),
    Box(800, 380, "corrector", ("repair, offset, memory, one step,", "a new plan, or giving up"), NODE, 216),
)
ARROWS = (
    Arrow(((220, 60), (330, 60)), "submit_task", (275, 50)),
    Arrow(((330, 84), (220, 84)), "events, report", (275, 104)),
    Arrow(((590, 60), (700, 60)), "task", (645, 50)),
    Arrow(((700, 84), (590, 84)), "goal, plan", (645, 104)),
    Arrow(((800, 108), (800, 152)), "", (0, 0)),
    Arrow(((460, 108), (460, 192)), "step", (470, 156), "start"),
    Arrow(((460, 268), (460, 342)), "command", (470, 310), "start"),
    Arrow(((460, 418), (460, 470)), "motion", (470, 450), "start"),
    Arrow(((350, 500), (220, 500)), "pictures, frames", (285, 490)),
    Arrow(((120, 470), (120, 358)), "world_state", (130, 420), "start"),
    Arrow(((350, 380), (290, 380), (290, 320), (230, 320)), "outcome: a claim", (284, 400), "middle"),
    Arrow(((120, 282), (120, 160), (390, 160), (390, 108)), "verdict, with the measured deviation",
          (255, 150)),
    Arrow(((540, 108), (540, 160), (640, 160), (640, 360), (692, 360)), "feedback stack", (650, 280),
          "start"),
    Arrow(((692, 400), (616, 400), (616, 184), (510, 184), (510, 108)), "correction", (606, 330), "end"),
)


def drawing() -> str:
    """The picture as SVG."""
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' "
             "aria-label='How data flows through a task'>",
             "<!-- Drawn by scripts/lib/data_flow.py. -->",
             "<defs><marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='8' markerHeight='8' "
             "orient='auto'><path d='M0,0 L10,5 L0,10 z' fill='#445'/></marker></defs>",
             f"<rect width='{WIDTH}' height='{HEIGHT}' rx='10' fill='#ffffff'/>"]
    parts += [_arrow(each) for each in ARROWS]
    parts += [_box(each) for each in BOXES]
    return "\n".join((*parts, "</svg>")) + "\n"


def _box(box: Box) -> str:
    x, y = box.x - box.width / 2, box.y - box.height / 2
    top = box.y - 8 * len(box.about) + 2
    lines = [f"<rect x='{x:g}' y='{y:g}' width='{box.width:g}' height='{box.height:g}' rx='8' "
             f"fill='{box.fill}' stroke='#556' stroke-width='1.2'/>",
             _text(box.x, top, box.name, "middle", "15", "bold")]
    lines += [_text(box.x, top + 18 + 15 * at, line, "middle", "11") for at, line in enumerate(box.about)]
    return "\n".join(lines)


def _arrow(arrow: Arrow) -> str:
    points = " ".join(f"{x:g},{y:g}" for x, y in arrow.points)
    line = (f"<polyline points='{points}' fill='none' stroke='#445' stroke-width='1.4' "
            "marker-end='url(#tip)'/>")
    if not arrow.text:
        return line
    return f"{line}\n{_text(*arrow.at, arrow.text, arrow.anchor, '11.5', 'normal', '#223a66')}"


def _text(x: float, y: float, text: str, anchor: str, size: str, weight: str = "normal",
          fill: str = "#1d2530") -> str:
    return (f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}' font-size='{size}' font-weight='{weight}' "
            f"fill='{fill}' {FONT}>{escape(text)}</text>")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawing(), encoding="utf-8")
