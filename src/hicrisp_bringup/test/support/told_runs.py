"""What the tasks of a rostest's runs told, for who reads of its failure after its folder is gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

_KEPT = ("task_received", "outcome", "verdict", "correction", "task_finished")
_FIELDS = ("text", "status", "ok", "feedback", "cause", "rung", "note", "success", "message")


def told(folder: Path, longest: int = 8000) -> str:
    """How each task below a folder went, a line an event, the latest last.

    Args:
        longest: characters of the end that are kept.
    """
    lines: List[str] = []
    for file in sorted(folder.glob("**/events.jsonl")):
        lines.append(file.parent.name)
        for line in file.read_text().splitlines():
            event = _event(line)
            if event.get("kind") in _KEPT:
                shown = {field: event[field] for field in _FIELDS if event.get(field) not in (None, "")}
                lines.append(f"  {event.get('t')} {event['kind']}: {json.dumps(shown)}"[:400])
    return "\n".join(lines)[-longest:]


def _event(line: str) -> Dict[str, Any]:
    """An event; empty where its line was cut off, as by a kill."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return {}
