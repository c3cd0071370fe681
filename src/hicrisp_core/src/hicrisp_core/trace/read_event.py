"""Reading events back: strictly for what is written now, leniently for what an old or damaged file holds."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar, Union, cast, get_type_hints

from hicrisp_core.trace.events import EVENTS, Event, GoalUnderstood
from hicrisp_core.trace.exchange import Exchange

_KINDS: Mapping[str, Type[Event]] = {**EVENTS, Exchange.kind: Exchange}
_Record = TypeVar("_Record")
_PLAIN = (str, int, bool, float)


def event_of(entry: Mapping[str, Any]) -> Optional[Event]:
    """Read an event from a JSON object.

    Unknown fields are ignored. A field that is missing or has the wrong type gets its default.

    Args:
        entry: the JSON object.

    Returns:
        The event; ``None`` for an unknown kind.
    """
    kind = _KINDS.get(str(entry.get("kind")))
    if kind is GoalUnderstood and any(entry.get(each) for each in ("first", "end", "keep")):
        # Goals had ``first``, ``end``, ``keep`` and ``robot`` before they had stages.
        robot = f"@{entry['robot']} " if entry.get("robot") else ""
        stages = [*entry.get("first", ()), " & ".join(entry.get("end", ()))]
        entry = {**entry, "stages": [f"{robot}{each}" for each in stages if each], "invariants": entry.get("keep", ())}
    return None if kind is None else _fitted(kind, entry)


def events_of(entries: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    """Read events from JSON objects; unknown kinds are skipped.

    Args:
        entries: the JSON objects.

    Yields:
        The events.
    """
    for entry in entries:
        event = event_of(entry)
        if event is not None:
            yield event


def record_of(kind: Type[_Record], entry: Mapping[str, Any]) -> _Record:
    """Read a record from a JSON object, with the same tolerance as :func:`event_of`.

    Args:
        kind: class of the record.
        entry: the JSON object.

    Returns:
        The record.
    """
    return _fitted(kind, entry)


def problems_of(entry: Mapping[str, Any]) -> List[str]:
    """Check a JSON object against the event kinds.

    Args:
        entry: the JSON object.

    Returns:
        What is wrong; empty for a valid event.
    """
    kind: Any = _KINDS.get(str(entry.get("kind")))
    if kind is None:
        return [f"unknown kind '{entry.get('kind')}'; valid are: {', '.join(_KINDS)}"]
    problems = [*_unknown(kind, {key: value for key, value in entry.items() if key != "kind"}, kind.kind)]
    for name, hint in _hints_of(kind):
        if name not in entry:
            continue
        try:
            _value(hint, entry[name])
        except _Unfit:
            problems.append(f"the field '{name}' of '{kind.kind}' cannot be {entry[name]!r}")
    return problems


def _unknown(hint: Any, value: Any, place: str) -> Iterator[str]:
    """Yield the fields of a record, and of the records in it, that the table of kinds does not have.

    Args:
        place: where the record is: the event's kind and the fields that lead there.
    """
    inner: Tuple[Any, ...] = getattr(hint, "__args__", ())
    if getattr(hint, "__origin__", None) is Union:
        yield from _unknown(inner[0], value, place)
    elif is_dataclass(hint) and isinstance(value, Mapping):
        hints = dict(_hints_of(cast(Any, hint)))
        for name, each in value.items():
            if name in hints:
                yield from _unknown(hints[name], each, f"{place}.{name}")
            else:
                yield f"unknown field '{name}' of '{place}'; valid are: {', '.join(hints)}"
    elif isinstance(value, (list, tuple)) and inner:
        for index, each in enumerate(value):
            yield from _unknown(inner[0], each, f"{place}.{index}")
    elif isinstance(value, Mapping) and len(inner) == 2:
        for name, each in value.items():
            yield from _unknown(inner[1], each, f"{place}.{name}")


@lru_cache(maxsize=None)
def _hints_of(kind: type) -> Tuple[Tuple[str, Any], ...]:
    """Return the names and types of a record's fields."""
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(cast(Any, kind)))


class _Unfit(Exception):
    """A value is of another type than its field."""


def _fitted(kind: Any, entry: Mapping[str, Any]) -> Any:
    found = {}
    for name, hint in _hints_of(kind):
        if name in entry:
            try:
                found[name] = _value(hint, entry[name])
            except _Unfit:
                continue
    return kind(**found)


def _value(hint: Any, value: Any) -> Any:
    """Return the value in the form of its field: lists as tuples, JSON objects as records, a missing number as 0."""
    if hint is float and (value is None or isinstance(value, (int, float))) and not isinstance(value, bool):
        return float(value) if value is not None and math.isfinite(value) else 0.0
    if hint in _PLAIN:
        if type(value) is hint:
            return value
        raise _Unfit
    origin: Any = getattr(hint, "__origin__", None)
    inner: Tuple[Any, ...] = getattr(hint, "__args__", ())
    if origin is Union:  # Only Optional is used; a vector that was not finite is none.
        return None if value is None or (isinstance(value, list) and None in value) else _value(inner[0], value)
    if origin is tuple and isinstance(value, (list, tuple)):
        return tuple(_value(inner[0], each) for each in value)
    if isinstance(value, dict) and origin is not None:
        return {str(key): _value(inner[1], each) for key, each in value.items()}
    if isinstance(value, dict) and is_dataclass(hint):
        return _fitted(hint, value)
    raise _Unfit
