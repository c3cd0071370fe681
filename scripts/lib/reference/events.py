"""The lines of a run's files, from the classes that write them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Container, cast

from hicrisp_core.trace import records
from hicrisp_core.trace.events import EVENTS, Event
from hicrisp_core.trace.exchange import Exchange

from reference.docstrings import fields_told, summary
from reference.key_types import anchor, hints, in_words
from reference.markdown import cell, page

_INTRODUCTION = """\
`runs/TASK/events.jsonl` and the topic `events` have one flat JSON object for each event, with its `kind`, `t` and
`sim_t`, within steps also `index` and `robot`; `llm.jsonl` has one for each request to a model. Lengths are in metres
in the world frame; numbers that are not finite are `null`. Readers skip kinds and fields that they do not know."""


def events_page() -> str:
    """Return the page of all kinds of events and of the records in their fields."""
    shared = hints(Event)
    kinds = [_section(f"`{kind}`", each, shared) for kind, each in EVENTS.items()]
    parts = [_section(f"`{name}`", each) for name, each in vars(records).items()
             if isinstance(each, type) and each.__module__ == records.__name__]
    return page("Events", _INTRODUCTION, _section("Every event", Event), *kinds,
                _section("A line of `llm.jsonl`", Exchange, shared), *parts)


def _section(title: str, kind: type, hidden: Container[str] = ()) -> str:
    """Return what a class says of itself, then each of its fields with type and description."""
    told, types = fields_told(kind), hints(kind)
    rows = (f"- `{each.name}`, {in_words(types[each.name])}. {cell(told.get(each.name, ''))}".rstrip()
            for each in fields(cast(Any, kind)) if each.name not in hidden)
    return "\n".join((f"({anchor(kind)})=\n## {title}\n", f"{summary(kind).replace('``', '`')}\n", *rows))
