"""A run as one moving picture: its animation, and beside it the plan, the feedback stack and what happens.

``python3 scripts/lib/moving_picture.py runs/TASK docs/pictures/run.webp``
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, List, Mapping, Sequence, Tuple

from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont, ImageSequence

PANEL, EDGE, LINE = 400, 16, 20
"""Width of the panel beside the animation, its margin, and the height of a line of text, pixels."""
FRAME_MS, HOLD_MS, LAST_MS = 130, 1800, 3000
"""For how long a frame is shown, one with something to read, and the last one."""
WIDEST = 46
"""Letters in a line of the panel."""
MOST_BYTES = 2_000_000
QUALITY = 62
INK, SOFT, GOOD, BAD, BOX = "#1d2530", "#68737f", "#1a7f45", "#b3261e", "#f6d9a8"
_MARKS = {"waits": ("○", SOFT), "runs": ("▶", INK), "holds": ("✓", GOOD), "failed": ("✗", BAD)}


@dataclass(frozen=True)
class Moment:
    """What the panel shows from a moment of the world's clock on."""

    since: float
    task: str = ""
    steps: Tuple[Tuple[str, str], ...] = ()
    stack: Tuple[str, ...] = ()
    said: Tuple[str, str] = ("", INK)
    hold: bool = False


def moments(events: Sequence[Mapping[str, Any]]) -> List[Moment]:
    """Collect what is shown, event by event.

    Args:
        events: the run's events.

    Returns:
        One moment for each event.
    """
    found, now = [], Moment(0.0)
    for event in events:
        now = _after(replace(now, since=float(event.get("sim_t", now.since)), hold=False), event)
        found.append(now)
    return found


def _after(now: Moment, event: Mapping[str, Any]) -> Moment:
    kind, index = event["kind"], int(event.get("index") or 0)
    if kind == "task_received":
        return replace(now, task=str(event["text"]), said=("the brain plans", SOFT))
    if kind == "plan":
        kept = now.steps[:int(event.get("from_step", 0))]
        return replace(now, steps=(*kept, *((str(step), "waits") for step in event["steps"])))
    if kind == "command":
        again = "" if event.get("purpose") == "step" else f" ({event.get('purpose')})"
        return replace(_marked(now, index, "runs"), said=(f"{event['text']}{again} …", INK))
    if kind == "verdict":
        if event.get("ok"):
            return replace(now, said=("the detector sees that it holds", GOOD))
        told = event.get("feedback") or {}
        return replace(_marked(now, index, "failed"),
                       said=(f"{told.get('error', '')} {told.get('reason', '')}", BAD))
    if kind == "stack":
        stack = tuple(str(entry["command"]) for entry in event["entries"])
        return replace(now, stack=stack, hold=bool(stack))
    if kind == "correction":
        commands = ", then ".join(event["commands"]) or "again, with another aim"
        return replace(now, said=(f"correction ({event['rung']}): {commands}", INK), hold=True)
    if kind == "step_finished" and event.get("ok"):
        return _marked(now, index, "holds")
    if kind == "task_finished":
        corrections = sum(event.get("corrections", {}).values())
        ending = "" if corrections == 1 else "s"
        how = f"succeeded: {event['steps_executed']} commands, {corrections} correction{ending}"
        return replace(now, said=(how, GOOD) if event["success"] else (str(event["message"]), BAD))
    return now


def _marked(now: Moment, index: int, state: str) -> Moment:
    return replace(now, steps=tuple((text, state if at == index else before)
                                    for at, (text, before) in enumerate(now.steps)))


def _font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / name), size)


def _wrapped(text: str) -> List[str]:
    lines: List[str] = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= WIDEST:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def panel(moment: Moment, height: int) -> Image.Image:
    """Draw the panel of one moment.

    Args:
        moment: plan, stack and text.
        height: of the panel, pixels.

    Returns:
        The panel.
    """
    board = Image.new("RGB", (PANEL, height), "white")
    pen, plain, bold = ImageDraw.Draw(board), _font(14), _font(14, bold=True)
    y = EDGE

    def write(text: str, colour: str = INK, font: ImageFont.FreeTypeFont = plain) -> None:
        nonlocal y
        pen.text((EDGE, y), text, fill=colour, font=font)
        y += LINE

    for line in _wrapped(f"“{moment.task}”"):
        write(line, font=bold)
    y += LINE // 2
    write("Plan", SOFT)
    for text, state in moment.steps:
        mark, colour = _MARKS[state]
        write(f"{mark} {text}", colour)
    y += LINE // 2
    write("Feedback stack", SOFT)
    for text in reversed(moment.stack):
        pen.rounded_rectangle((EDGE, y, PANEL - EDGE, y + LINE + 4), 5, fill=BOX)
        pen.text((EDGE + 8, y + 3), text, fill=INK, font=plain)
        y += LINE + 8
    if not moment.stack:
        write("empty", SOFT)
    text, colour = moment.said
    lines = _wrapped(text)[:4]
    y = height - EDGE - LINE * len(lines)
    for line in lines:
        write(line, colour)
    return board


def frames(run: Path) -> List[Tuple[Image.Image, int]]:
    """Compose the animation with its panel. Its pictures are evenly spaced over the run; text to read holds it up.

    Args:
        run: the run folder.

    Returns:
        Frames, and how long each is shown, milliseconds.
    """
    lines = (run / "events.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines if line]
    waiting = moments(events)
    with Image.open(run / "overview.webp") as animation:
        pictures = [frame.convert("RGB") for frame in ImageSequence.Iterator(animation)]
    last = max(float(event.get("sim_t", 0.0)) for event in events)
    found: List[Tuple[Image.Image, int]] = []
    shown = waiting[0]
    for at, picture in enumerate(pictures):
        now = last * at / max(1, len(pictures) - 1)
        while waiting and (waiting[0].since <= now or at == len(pictures) - 1):
            shown = waiting.pop(0)
            if shown.hold:
                found.append((_board(picture, shown), HOLD_MS))
        found.append((_board(picture, shown), FRAME_MS))
    return [*found[:-1], (found[-1][0], LAST_MS)]


def _board(picture: Image.Image, moment: Moment) -> Image.Image:
    board = Image.new("RGB", (picture.width + PANEL, picture.height))
    board.paste(picture, (0, 0))
    board.paste(panel(moment, picture.height), (picture.width, 0))
    return board


def main() -> int:
    """Write the picture; 1 where it would be larger than a README should load."""
    parser = argparse.ArgumentParser(description="A run as one moving picture.")
    parser.add_argument("run", type=Path, help="folder of the run, with overview.webp")
    parser.add_argument("file", type=Path, help="picture to write, .webp")
    options = parser.parse_args()
    if not (options.run / "overview.webp").is_file():
        parser.error(f"{options.run} holds no overview.webp: the run left no animation")
    found = frames(options.run)
    options.file.parent.mkdir(parents=True, exist_ok=True)
    boards, durations = [board for board, _ in found], [shown for _, shown in found]
    drawn = options.file.with_suffix(".part")  # What is interrupted leaves the old picture.
    boards[0].save(drawn, "WEBP", save_all=True, append_images=boards[1:], loop=0, quality=QUALITY, method=4,
                   duration=durations)
    drawn.replace(options.file)
    size = options.file.stat().st_size
    sys.stdout.write(f"{len(found)} frames, {size / 1000:.0f} kB\n")
    return 0 if size <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
