"""The event log of a run: one JSON object a line, on the disk as soon as it has happened; and reading it back."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, Union

from hicrisp_core.trace.exchange import Exchange
from hicrisp_core.trace.exchanges import FILE_NAME as EXCHANGES
from hicrisp_core.trace.exchanges import ExchangeFile
from hicrisp_core.trace.plain import json_lines, plain, to_json

log = logging.getLogger(__name__)

Listener = Callable[[Mapping[str, Any]], None]
Hide = Callable[[Any], Any]
"""Returns an entry without secrets, such as keys."""

FILE_NAME = "events.jsonl"


class EventLog:
    """Appends events to ``events.jsonl`` in a run folder and passes each on to the listeners.

    Exchanges with language models only go to ``llm.jsonl`` next to it: they are long.

    Args:
        folder: the run folder; made when it is missing.
        listeners: called with each event, made plain, after it was written. One that raises is left out of
            the rest of the run: who watches must not stop what is watched.
        hide: applied to each event before it is written or passed on.
    """

    def __init__(
        self, folder: Union[str, Path], listeners: Sequence[Listener] = (), hide: Hide = lambda entry: entry
    ) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._listeners: List[Listener] = list(listeners)
        self._hide = hide
        self._lock = Lock()
        self._file = open(  # noqa: SIM115  held for the life of the log
            self.folder / FILE_NAME, "a", encoding="utf-8", errors="backslashreplace")
        self._exchanges = ExchangeFile(self.folder / EXCHANGES)
        self.events: List[Dict[str, Any]] = []

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Write an event and tell the listeners."""
        entry: Dict[str, Any] = self._hide(plain(event))
        if entry.get("kind") == Exchange.kind:
            try:
                with self._lock:
                    self._exchanges.add(entry)
            except OSError as error:
                log.error("an exchange with a language model could not be written: %s", error)
            return
        with self._lock:
            self.events.append(entry)
            if not self._file.closed:
                try:
                    self._file.write(to_json(entry) + "\n")
                    self._file.flush()
                except OSError as error:
                    log.error("%s cannot be written any more: %s; the task goes on", self._file.name, error.strerror)
                    self._end()
            listeners = list(self._listeners)
        for listener in listeners:
            try:
                listener(entry)
            except Exception:  # noqa: BLE001  a listener is foreign code
                log.exception("a listener of the event log failed and is left out from now on")
                with self._lock:
                    self._listeners.remove(listener)

    def close(self) -> None:
        """Close the file; later events still reach the listeners."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        """Close the file; what a full disk did not take would be written, and fail, once more."""
        with suppress(OSError):
            self._file.close()

    def __enter__(self) -> "EventLog":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


def read_events(run: Union[str, Path]) -> List[Dict[str, Any]]:
    """Read the events of a run folder or a ``.jsonl`` file.

    A line that is not a JSON object (the last one of an interrupted run) is left out with a warning.

    Args:
        run: path of the folder or file.

    Returns:
        The events in order.

    Raises:
        FileNotFoundError: if there is no event log.
    """
    path = Path(run)
    if path.is_dir():
        path = path / FILE_NAME
    events: List[Dict[str, Any]] = []
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, event in json_lines(lines):
            if event is not None:
                events.append(event)
            else:
                log.warning("%s:%d is no event and is left out", path, number)
    return events
