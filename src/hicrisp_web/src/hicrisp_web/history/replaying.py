"""A run's events as what each of them changes on the page: the same sections that a live run has."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping

from hicrisp_core.trace.read_event import event_of

from hicrisp_web.view.run_view import RunView


def changes_of(entries: Iterable[Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """One moment for each event of a known kind: its number in the log from 0, its seconds, its kind, a few
    words, and the sections that it sets.
    """
    view, found = RunView(), []
    for number, entry in enumerate(entries):
        sections = view.after(entry)
        if sections:
            found.append({"number": number, "t": entry.get("t", 0.0), "kind": entry.get("kind", ""),
                          "words": _words(entry), "set": sections})
    return found


def _words(entry: Mapping[str, Any]) -> str:
    """What an event is about, in the words that it holds."""
    event = event_of(entry)
    for name in ("text", "command", "rung", "key", "caption", "message", "status", "fault", "missing"):
        value = getattr(event, name, "")
        if isinstance(value, str) and value:
            return value[:160]
    return ""
