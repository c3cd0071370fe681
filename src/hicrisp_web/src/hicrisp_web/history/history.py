"""The past runs of a folder, as the page asks for them."""

from __future__ import annotations

import re
import time
from pathlib import Path
from threading import Lock
from typing import Any, Dict, Optional, Tuple

from hicrisp_core.trace.event_log import FILE_NAME as EVENTS
from hicrisp_core.trace.event_log import read_events
from hicrisp_core.trace.replay import Replay
from hicrisp_core.trace.scene_lines import FILE_NAME as SCENE
from hicrisp_core.trace.scene_lines import read_record

from hicrisp_web.history.comparing import compared, moved_apart
from hicrisp_web.history.index import Filter, Index, read_result

_NAME = re.compile(r"[\w.-]{1,120}")
_FILES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".html", ".json", ".jsonl"})
_PERIOD = 1.0
"""Wall seconds for which the index counts as up to date."""


class History:
    """Past runs by their ids, which are the names of their folders.

    Args:
        runs: the folder that gets one folder for each task; it need not be there.
    """

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._index: Optional[Index] = None
        self._looked = -_PERIOD
        self._lock = Lock()
        self._replaying = Lock()
        self._kept: Optional[Tuple[Any, Replay]] = None

    def find(self, wanted: Filter) -> Dict[str, Any]:
        """Return one page of the runs that a filter selects.

        Args:
            wanted: words, verdict, scene and page.

        Returns:
            Total number, the page's runs, and the counts by kind.
        """
        index = self._up_to_date()
        return {**index.find(wanted), **index.counts()}

    def result(self, name: str) -> Optional[Dict[str, Any]]:
        """Return the result of a run.

        Args:
            name: name of the run folder.

        Returns:
            The result; ``None`` if there is no such run.
        """
        run = self.folder(name)
        found = read_result(run) if run is not None else {}
        if run is None or not found:
            return None
        return {**found, "id": name, "report": (run / "report.html").is_file()}

    def part(self, name: str, at: int) -> Optional[Dict[str, Any]]:
        """Return a part of a run's replay.

        Args:
            name: name of the run folder.
            at: number of a moment in the part.

        Returns:
            What each moment changes on the page, and all sections before; ``None`` if there is no such run.
        """
        run = self.folder(name)
        try:
            return None if run is None else self._replay(run).part(at)
        except OSError:
            return None

    def _replay(self, run: Path) -> Replay:
        """The replay of a run; the last one that was asked for is kept while its files stay as they are."""
        state = tuple(_changed(run / each) for each in (EVENTS, SCENE))
        with self._replaying:
            if self._kept is None or self._kept[0] != (run, state):
                self._kept = (run, state), Replay(read_events(run), read_record(run))
            return self._kept[1]

    def compare(self, left: str, right: str) -> Optional[Dict[str, Any]]:
        """Compare two runs.

        Args:
            left: name of a run folder.
            right: name of another one.

        Returns:
            Both side by side; ``None`` if one is missing.
        """
        results = self.result(left), self.result(right)
        if results[0] is None or results[1] is None:
            return None
        shown = []
        for name in (left, right):
            try:
                shown.append(self._replay(self._runs / name).last)
            except OSError:
                shown.append({})  # Its result alone was kept.
        return {"left": left, "right": right, "places": moved_apart(*(each.get("world") for each in shown)),
                "pictures": [(each.get("pictures") or [None])[-1] for each in shown],
                **compared(results[0], results[1])}

    def file(self, name: str, path: str) -> Optional[Path]:
        """Find a picture, a report or a record of a run.

        Args:
            name: name of the run folder.
            path: relative to it.

        Returns:
            The file; ``None`` if it is missing, of another type, or outside the folder.
        """
        run = self.folder(name)
        if run is None or "\0" in path:
            return None
        found = (run / path).resolve()
        inside = run.resolve() in found.parents and found.suffix.lower() in _FILES
        return found if inside and found.is_file() else None

    def folder(self, name: str) -> Optional[Path]:
        """Find the folder of a run.

        Args:
            name: its name.

        Returns:
            The folder; ``None`` if there is no such run.
        """
        if not _NAME.fullmatch(name) or name.startswith("."):
            return None
        run = self._runs / name
        return run if run.is_dir() else None

    def _up_to_date(self) -> Index:
        with self._lock:
            if self._index is None:
                self._index = Index(self._runs)
            if time.monotonic() - self._looked > _PERIOD:
                self._index.refresh()
                self._looked = time.monotonic()
            return self._index


def _changed(file: Path) -> Tuple[int, int]:
    """What tells one state of a file from another: when it was written, nanoseconds, and its size."""
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
