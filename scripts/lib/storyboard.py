"""One picture of a run, from its report's pictures: ``python3 scripts/lib/storyboard.py runs/TASK
docs/run.png``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

from PIL import Image, ImageDraw, ImageFont

WIDTH, GAP, LINE, COLUMNS = 440, 8, 22, 2
"""Pixels of one picture, between pictures and of a caption; pictures in a row."""
COLOURS = 96
"""Of the whole picture: more make the file larger than a README should load."""


def scenes(events: Sequence[Dict[str, Any]]) -> List[Tuple[str, str]]:
    """The pictures of a run with what had just been done, as file names and captions."""
    found: List[Tuple[str, str]] = []
    said, text, commands = "", "", {}  # type: Tuple[str, str, Dict[Any, str]]
    for event in events:
        kind = event.get("kind")
        if kind == "task_received":
            text = str(event["text"])
        elif kind == "command":
            commands[event.get("index")] = str(event.get("text") or event.get("command") or "")
        elif kind == "verdict":
            wrong = (event.get("feedback") or {}).get("error", "failed")
            ended = "seen to be done" if event.get("ok") else wrong
            said = f"{commands.get(event.get('index'), '')}: {ended}"
        elif kind == "picture":
            found.append((str(event["file"]), said.replace("_", " ") or f"“{text}”"))
    return found


def evenly(found: Sequence[Tuple[str, str]], most: int) -> List[Tuple[str, str]]:
    """At most so many pictures, the first and the last among them."""
    if len(found) <= most:
        return list(found)
    return [found[round(at * (len(found) - 1) / (most - 1))] for at in range(most)]


def draw(run: Path, most: int) -> Image.Image:
    """The pictures of a run in rows, each with its caption."""
    events = [json.loads(line) for line in (run / "events.jsonl").read_text(encoding="utf-8").splitlines()
              if line]
    chosen = evenly(scenes(events), most)
    if not chosen:
        raise SystemExit(f"{run} holds no pictures")
    pictures = [Image.open(run / file).convert("RGB") for file, _ in chosen]
    height = round(WIDTH * pictures[0].height / pictures[0].width)
    rows = -(-len(chosen) // COLUMNS)
    board = Image.new("RGB", (COLUMNS * (WIDTH + GAP) - GAP, rows * (height + LINE + GAP) - GAP), "white")
    pen, font = ImageDraw.Draw(board), ImageFont.load_default(13)
    for at, (picture, (_, caption)) in enumerate(zip(pictures, chosen)):
        x, y = at % COLUMNS * (WIDTH + GAP), at // COLUMNS * (height + LINE + GAP)
        board.paste(picture.resize((WIDTH, height), Image.Resampling.LANCZOS), (x, y))
        pen.text((x + 2, y + height + 3), f"{at + 1}. {caption}", fill="black", font=font)
    return board


def main() -> int:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--most", type=int, default=4, help="pictures (4)")
    options = parser.parse_args()
    board = draw(options.run, max(2, options.most))
    board.quantize(COLOURS, method=Image.Quantize.MEDIANCUT).save(options.file, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
