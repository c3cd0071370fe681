"""The index of past runs: a row for each folder in SQLite, brought up to date by a look at the folders."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Dict, List, Mapping, Tuple

from hicrisp_core.trace.event_log import read_events
from hicrisp_core.trace.result import trial_of

FILE_NAME = ".index.sqlite"
_FORM = 2
"""Counts the forms of the table; one of another form is made anew."""
_COLUMNS = ("id", "changed", "date", "task", "scene", "policy", "llm", "verdict", "goal", "cause", "seconds",
            "commands", "corrections", "tokens", "seed")
_DATED = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)")
"""How the name of a run begins that the supervisor gave: the local time at which it was submitted."""
_UNFINISHED = "unfinished"


@dataclass(frozen=True)
class Filter:
    """Which runs are wanted; what is empty counts for nothing.

    Args:
        words: all of these stand in the task, the scene, the policy or the id.
        sort: the column by which they are ordered; the newest first without one.
        rising: whether the least comes first.
        first: how many are passed over.
    """

    words: str = ""
    verdict: str = ""
    scene: str = ""
    sort: str = ""
    rising: bool = False
    first: int = 0
    most: int = 50


class Index:
    """The runs of a folder, newest first by their names, which begin with date and time.

    Where the folder cannot be written the index lives in memory and is made anew with each start.
    """

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._lock = Lock()
        self._table = _open(runs)
        self._known: Dict[str, int] = {str(name): int(changed) for name, changed in
                                       self._table.execute("SELECT id, changed FROM runs")}

    def refresh(self) -> int:
        """Read what has changed; returns how many runs were read."""
        with self._lock:
            found = _changes(self._runs)
            news = [name for name, changed in found.items() if self._known.get(name) != changed]
            gone = set(self._known) - set(found)
            if not news and not gone:
                return 0
            rows = [_row(self._runs / name, found[name]) for name in news]
            marks = ",".join("?" * len(_COLUMNS))
            with self._table:
                self._table.executemany(f"INSERT OR REPLACE INTO runs VALUES ({marks})", rows)
                self._table.executemany("DELETE FROM runs WHERE id = ?", [(name,) for name in gone])
            self._known = found
            return len(news)

    def find(self, wanted: Filter) -> Dict[str, Any]:
        """How many runs there are of that kind and how many of them succeeded, and one page of them."""
        where, values = _where(wanted)
        order = f"{wanted.sort} {'ASC' if wanted.rising else 'DESC'}, " if wanted.sort in _COLUMNS else ""
        with self._lock:
            total, succeeded = self._table.execute(
                f"SELECT COUNT(*), SUM(verdict = 'succeeded') FROM runs WHERE {where}", values).fetchone()
            rows = self._table.execute(
                f"SELECT {','.join(_COLUMNS)} FROM runs WHERE {where} ORDER BY {order}id DESC LIMIT ? OFFSET ?",
                [*values, max(0, min(wanted.most, 500)), max(0, wanted.first)]).fetchall()
        return {"total": int(total), "succeeded": int(succeeded or 0),
                "runs": [dict(zip(_COLUMNS, row)) for row in rows]}

    def counts(self) -> Dict[str, Dict[str, int]]:
        """How many runs there are of each verdict and of each scene."""
        with self._lock:
            return {column: dict(self._table.execute(
                f"SELECT {column}, COUNT(*) FROM runs GROUP BY {column} ORDER BY {column}").fetchall())
                for column in ("verdict", "scene")}

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._table.close()


def _open(runs: Path) -> sqlite3.Connection:
    """The table, in the folder where that can be written and read."""
    for place in (str(runs / FILE_NAME), ":memory:"):
        try:
            table = sqlite3.connect(place, check_same_thread=False)
            if table.execute("PRAGMA user_version").fetchone()[0] != _FORM:
                table.execute("DROP TABLE IF EXISTS runs")
            with table:
                table.execute(f"CREATE TABLE IF NOT EXISTS runs ({','.join(_COLUMNS)}, PRIMARY KEY (id))")
                table.execute(f"PRAGMA user_version = {_FORM}")
            return table
        except sqlite3.Error:
            continue
    raise sqlite3.OperationalError("no SQLite here")


def _changes(runs: Path) -> Dict[str, int]:
    """When each run's result was written, nanoseconds; the events' time where it has none yet."""
    found: Dict[str, int] = {}
    try:
        entries = [entry.name for entry in os.scandir(runs) if entry.is_dir()]
    except OSError:
        return found
    for name in entries:
        for file in ("events.jsonl", "result.json"):
            with suppress(OSError):
                found[name] = os.stat(runs / name / file).st_mtime_ns
    return found


def _row(run: Path, changed: int) -> Tuple[Any, ...]:
    told = read_result(run)
    goal = told.get("goal")
    corrections = told.get("corrections")
    failures = told.get("failures")
    first = failures[0] if isinstance(failures, list) and failures and isinstance(failures[0], dict) else {}
    causes = [_text(first.get(name)) for name in ("cause", "label", "kind")]
    dated = _DATED.match(run.name)
    date = "{}-{}-{} {}:{}:{}".format(*dated.groups()) if dated else \
        datetime.fromtimestamp(changed / 1e9).isoformat(" ", "seconds")
    return (
        run.name, changed, date, _text(told.get("task")), _text(told.get("scene")), _text(told.get("policy")),
        _text(told.get("llm")),
        _text(told.get("verdict")) or ("succeeded" if told.get("success") is True else _UNFINISHED),
        _text(goal.get("state")) if isinstance(goal, dict) else "",
        next((each for each in causes if each not in ("", "unknown")), ""), _number(told.get("wall_s")),
        _number(told.get("steps_executed")),
        sum(map(_number, corrections.values())) if isinstance(corrections, dict) else 0,
        _number(told.get("tokens")), _number(told.get("seed")))


def read_result(run: Path) -> Mapping[str, Any]:
    """Read the result of a run; without a result file it is made of the events.

    Args:
        run: the run folder.

    Returns:
        The result; empty if nothing is readable.
    """
    try:
        found = json.loads((run / "result.json").read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    except (OSError, ValueError, RecursionError):
        pass  # It was cut off.
    try:
        return trial_of(read_events(run), str(run))
    except OSError:
        return {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _where(wanted: Filter) -> Tuple[str, List[Any]]:
    parts: List[str] = ["1"]
    values: List[Any] = []
    for column, value in (("verdict", wanted.verdict), ("scene", wanted.scene)):
        if value:
            parts.append(f"{column} = ?")
            values.append(value)
    for word in wanted.words.split()[:12]:
        escaped = word.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
        parts.append(r"(task || ' ' || scene || ' ' || policy || ' ' || id) LIKE ? ESCAPE '\'")
        values.append(f"%{escaped}%")
    return " AND ".join(parts), values
