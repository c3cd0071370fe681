"""A run's events as what each of them changes on the page: the same sections that a live run has."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Tuple

from hicrisp_core.trace.read_event import event_of

from hicrisp_web.view.run_view import RunView

Sights = Iterable[Tuple[float, Mapping[str, Any]]]
SEEN = "seen"
"""The kind of the moments at which something was seen to have moved; no event has it."""


def changes_of(entries: Iterable[Mapping[str, Any]], sights: Sights = ()) -> List[Dict[str, Any]]:
    """One moment for each event of a known kind: its number in the log from 0, its seconds, its kind, a few
    words, and the sections that it sets; and one for each sight of the scene, by its seconds.
    """
    view, found = RunView(), []
    for number, entry in enumerate(entries):
        sections = view.after(entry)
        if sections:
            found.append({"number": number, "t": entry.get("t", 0.0), "kind": entry.get("kind", ""),
                          "words": _words(entry), "set": sections})
    seen = [{"number": -1, "t": t, "kind": SEEN, "words": "", "set": sections} for t, sections in sights]
    return sorted([*found, *seen], key=lambda moment: float(moment["t"] or 0.0)) if seen else found


def _words(entry: Mapping[str, Any]) -> str:
    """What an event is about, in the words that it holds."""
    event = event_of(entry)
    for name in ("text", "command", "rung", "key", "caption", "message", "status", "fault", "missing"):
        value = getattr(event, name, "")
        if isinstance(value, str) and value:
            return value[:160]
    return ""
