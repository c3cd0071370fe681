"""Which run is shown live, and that nothing of it is missing: its events, and those from before the page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Lock
from typing import Any, Dict, List, Mapping
from typing import Counter as Counted

from hicrisp_core.trace.event_log import read_events
from hicrisp_core.trace.events import TaskReceived
from hicrisp_core.trace.plain import to_json
from hicrisp_core.trace.sections import changed_sections, sections_of
from hicrisp_core.trace.timeline import Timeline

from hicrisp_web.view.board import Board


class Following:
    """Puts the run that is under way, or else was the last, onto the board.

    Events come over a topic. What was told before this process was there is read from the run's folder, where
    that can be read; an event that comes by both ways counts once.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._task = ""
        self._whole = True
        """Whether the run is shown from its first event on."""
        self._run = Timeline()
        self._read: Counted[str] = Counter()
        self._shown: List[str] = []
        self._lock = Lock()
        board.put({**sections_of(self._run), "run": None})

    @property
    def task(self) -> str:
        """The id of the task that is shown; empty where there was none."""
        return self._task

    def event(self, task: str, entry: Mapping[str, Any]) -> None:
        """Take an event from the topic.

        Args:
            task: the task's id.
            entry: the event as it is written.
        """
        with self._lock:
            if task != self._task:
                self._turn_to(task, [])
                self._whole = entry.get("kind") == TaskReceived.kind
            told = to_json(entry)
            if self._read[told] > 0:
                self._read[told] -= 1
                return
            happened = self._run.take(entry)
            if happened is not None:
                self._put(changed_sections(self._run, happened))

    def status(self, task: str, folder: str) -> None:
        """Take a task that runs or was the last; earlier events are read from its folder.

        Args:
            task: the task's id.
            folder: its run folder; empty if it has none.
        """
        with self._lock:
            if not folder or (task == self._task and self._whole):
                return
            try:
                entries = read_events(Path(folder))
            except OSError:
                entries = []  # The folder is on another machine.
            if entries or task != self._task:
                self._turn_to(task, entries)
            self._whole = True

    def _turn_to(self, task: str, entries: List[Dict[str, Any]]) -> None:
        """Show another task from its first event on."""
        self._task, self._run = task, Timeline()
        self._read = Counter(to_json(entry) for entry in entries)
        for entry in entries:
            self._run.take(entry)
        before: Dict[str, Any] = {name: None for name in self._shown}
        self._shown = []
        self._put({**before, **sections_of(self._run)})

    def _put(self, sections: Mapping[str, Any]) -> None:
        self._shown += [name for name in sections if name.startswith("step:") and name not in self._shown]
        self._board.put(sections)
