"""What is written into the memory's tables and read from them; each function works in one connection."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from sqlite3 import Connection
from typing import Any, List, Optional, Sequence, Tuple, Union

from hicrisp_core.memory.entries import Entry, Example, Failure, Mended, Numbered, Offset, Unfit, entry_of, record_of
from hicrisp_core.trace.plain import to_json

MOST_EXAMPLES, MOST_CORRECTIONS = 5000, 2000
"""Of more than these the ones that were not met for the longest time are forgotten."""
LATEST = 1000
"""Entries of a domain that are looked at for one question, the latest first."""
_TABLES = {"e": "examples", "c": "corrections", "o": "offsets"}


def put(connection: Connection, entry: Entry, times: int = 1) -> None:
    """Write an entry; one that is there already is met once more, and its newest form is kept.

    Args:
        times: how often it happened.
    """
    if isinstance(entry, Offset):
        connection.execute(
            "INSERT INTO offsets (body, key, samples, mean_x, mean_y, scatter, last) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (body, key) DO UPDATE SET samples = excluded.samples, mean_x = excluded.mean_x, "
            "mean_y = excluded.mean_y, scatter = excluded.scatter, last = excluded.last",
            (entry.body, entry.key, entry.samples, *entry.mean, entry.scatter, entry.when))
        return
    content, when = to_json(record_of(entry)), entry.source.when
    if isinstance(entry, Example):
        connection.execute(
            "INSERT INTO examples (domain, same, text, content, times, last) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (same) DO UPDATE SET content = excluded.content, times = times + excluded.times, "
            "last = max(last, excluded.last)", (entry.domain, _same(entry), entry.text, content, times, when))
        _bounded(connection, "examples", MOST_EXAMPLES)
    else:
        connection.execute(
            "INSERT INTO corrections (domain, same, failure, content, times, failed, last) "
            "VALUES (?, ?, ?, ?, ?, 0, ?) "
            "ON CONFLICT (same) DO UPDATE SET content = excluded.content, times = times + excluded.times, "
            "last = max(last, excluded.last)", (entry.domain, _same(entry), sign(entry.failure), content, times, when))
        _bounded(connection, "corrections", MOST_CORRECTIONS)


def count_failure(connection: Connection, id_: str) -> None:
    """Record that a correction was tried again and did not help.

    Args:
        connection: the open database.
        id_: id of the correction.
    """
    table, number = _place(id_)
    if table == "corrections":
        connection.execute("UPDATE corrections SET failed = failed + 1 WHERE id = ?", (number,))


def examples(connection: Connection, domain: str) -> Tuple[Numbered, ...]:
    """Return the latest examples of a domain; unreadable ones are left out.

    Args:
        connection: the open database.
        domain: name of the domain.

    Returns:
        The examples, the latest first.
    """
    rows = connection.execute(
        "SELECT 'e' || id, content, times, 0, last FROM examples WHERE domain = ? "
        "ORDER BY last DESC, id DESC LIMIT ?", (domain, LATEST))
    return _numbered(rows)


def corrections(connection: Connection, domain: str, failure: str) -> Tuple[Numbered, ...]:
    """Return the corrections of a failure that helped more often than not.

    Args:
        connection: the open database.
        domain: name of the domain.
        failure: the failure as written by :func:`sign`.

    Returns:
        The corrections, best first.
    """
    rows = connection.execute(
        "SELECT 'c' || id, content, times, failed, last FROM corrections WHERE domain = ? AND failure = ? "
        "AND times > failed ORDER BY times - failed DESC, last DESC, id DESC LIMIT ?", (domain, failure, LATEST))
    return _numbered(rows)


def offsets(connection: Connection, body: Optional[str] = None) -> Tuple[Numbered, ...]:
    """Return the stored offsets.

    Args:
        connection: the open database.
        body: the robot's body; ``None`` for all.

    Returns:
        The offsets with their ids.
    """
    rows = connection.execute(
        "SELECT 'o' || id, body, key, samples, mean_x, mean_y, scatter, last FROM offsets "
        "WHERE body = coalesce(?, body) ORDER BY body, key", (body,))
    return tuple(Numbered(id_, Offset(of, key, samples, (x, y), scatter, last), last=last)
                 for id_, of, key, samples, x, y, scatter, last in rows)


def everything(connection: Connection) -> Tuple[Numbered, ...]:
    """Return all entries: examples, corrections, offsets.

    Args:
        connection: the open database.

    Returns:
        The entries, the latest of each kind last.
    """
    found: List[Numbered] = []
    found += _numbered(connection.execute("SELECT 'e' || id, content, times, 0, last FROM examples ORDER BY last, id"))
    found += _numbered(connection.execute(
        "SELECT 'c' || id, content, times, failed, last FROM corrections ORDER BY last, id"))
    return (*found, *offsets(connection))


def forget(connection: Connection, ids: Sequence[str]) -> int:
    """Delete entries.

    Args:
        connection: the open database.
        ids: ids of the entries; unknown ones are ignored.

    Returns:
        How many were deleted.
    """
    gone = 0
    for id_ in ids:
        table, number = _place(id_)
        if table:
            gone += connection.execute(f"DELETE FROM {table} WHERE id = ?",
                                       (number,)).rowcount  # one of our three
    return gone


def sign(failure: Failure) -> str:
    """Return the key by which failures of the same kind are found, independent of object names.

    Args:
        failure: kind, label and failed command.

    Returns:
        The key.
    """
    return to_json([failure.kind, failure.label, failure.command.action])


def _numbered(rows: Any) -> Tuple[Numbered, ...]:
    found = []
    for id_, content, times, failed, last in rows:
        try:
            entry = entry_of(json.loads(content))
        except (ValueError, TypeError, RecursionError):
            continue
        if not isinstance(entry, (Unfit, Offset)):
            found.append(Numbered(id_, replace(entry, source=replace(entry.source, when=last)), times, failed, last))
    return tuple(found)


def _same(entry: Union[Example, Mended]) -> str:
    """Return a digest that two entries share which say the same: all but where they come from, and an example's
    steps.
    """
    told = record_of(entry)
    del told["source"]
    if isinstance(entry, Example):
        del told["steps"]
        told["text"] = " ".join(entry.text.lower().split())
    else:
        del told["maker"]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _bounded(connection: Connection, table: str, most: int) -> None:
    connection.execute(
        f"DELETE FROM {table} WHERE id IN "
        f"(SELECT id FROM {table} ORDER BY last DESC, id DESC LIMIT -1 OFFSET ?)", (most,))


def _place(id_: str) -> Tuple[str, int]:
    """Return the table and the number of an id; no table for an invalid one."""
    number = id_[1:]
    return (_TABLES.get(id_[:1], ""), int(number)) if number.isdecimal() and len(number) < 18 else ("", 0)
