"""What stood where during a run: ``scene.jsonl`` read back, leniently."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

from hicrisp_core.trace.plain import json_lines

FILE_NAME = "scene.jsonl"
_NAMED = frozenset({"name", "x", "y", "yaw"})
"""What an object or a robot must tell to be drawn."""
_MOST_POINTS = 600
"""Points of a base's way that are drawn, the latest ones."""


def read_record(run: Path) -> Iterator[Tuple[float, Dict[str, Any]]]:
    """Read what was observed in a run; damaged lines are skipped.

    Args:
        run: the run folder.

    Yields:
        Seconds since the task began, and the sections ``scene``, or ``world`` and ``path`` (points in the world frame,
        metres); nothing without a recording.
    """
    try:
        lines = (run / FILE_NAME).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    seen: Dict[str, Dict[str, Dict[str, Any]]] = {"things": {}, "robots": {}}
    way: List[List[float]] = []
    for entry in (entry for _, entry in json_lines(lines) if entry is not None):
        if isinstance(entry.get("scene"), dict):
            yield 0.0, {"scene": entry["scene"]}
            continue
        for kind, known in seen.items():
            listed = entry.get(kind)
            known.update((each["name"], each) for each in (listed if isinstance(listed, list) else ())
                         if isinstance(each, dict) and set(each) >= _NAMED and isinstance(each["name"], str))
        base = next((each for each in seen["robots"].values() if each.get("kind") == "base"), None)
        if base is not None and isinstance(base["x"], float):
            way = [*way, [base["x"], base["y"]]][-_MOST_POINTS:]
        t = entry.get("t")
        yield float(t) if isinstance(t, (int, float)) else 0.0, {
            "world": {**{kind: list(known.values()) for kind, known in seen.items()}, "facts": []},
            "path": way or None}
