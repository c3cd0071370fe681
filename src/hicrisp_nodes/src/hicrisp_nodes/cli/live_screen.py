"""The terminal that shows a run live: redrawn as events come and as its size changes."""

from __future__ import annotations

import time
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, Iterator, List, Mapping, Optional

from hicrisp_core.trace.events import TaskFinished, TaskReceived
from hicrisp_web.view.board import Board
from hicrisp_web.view.following import Following
from rich.console import Console as RichConsole
from rich.console import RenderableType
from rich.live import Live

from hicrisp_nodes.cli.console import Console
from hicrisp_nodes.cli.live_view import Frame, run_lines
from hicrisp_nodes.cli.narrator import Narrator

_PER_SECOND = 4


class LiveScreen:
    """Shows one run after another while it is entered; leaves the last one and how it ended behind.

    Args:
        console: takes the result lines.
        terminal: where to draw; the standard output without it.
    """

    def __init__(self, console: Console, terminal: Optional[RichConsole] = None) -> None:
        self._terminal = terminal or RichConsole(highlight=False)
        self._unicode = (self._terminal.encoding or "ascii").lower().startswith("utf")
        if not self._unicode and isinstance(self._terminal.file, TextIOWrapper):
            self._terminal.file.reconfigure(errors="replace")
        self._console = console
        self._board = Board()
        self._following = Following(self._board)
        self._ended: List[Mapping[str, Any]] = []
        self._heard_at = time.monotonic()
        self._live = Live(console=self._terminal, screen=True, get_renderable=self._draw,
                          refresh_per_second=_PER_SECOND, redirect_stdout=False, redirect_stderr=False)

    def __enter__(self) -> "LiveScreen":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()
        self._terminal.print()  # After Ctrl-C the terminal has written ^C here.
        self._terminal.print(self._draw())
        narrator = Narrator(self._console)
        for entry in self._ended:
            narrator.tell(entry)

    def begin(self, task: str, folder: str) -> None:
        """Show a task that runs or was the last; earlier events are read from its folder.

        Args:
            task: its id.
            folder: its run folder; empty if it has none.
        """
        self._following.status(task, folder)
        self._heard_at = time.monotonic()

    def tell(self, entry: Mapping[str, Any]) -> None:
        """Show an event.

        Args:
            entry: an event as it is written, with ``task_id``.
        """
        task, kind = str(entry.get("task_id", "")), entry.get("kind")
        written = {key: value for key, value in entry.items()
                   if key != "task_id" or kind == TaskReceived.kind}
        self._following.event(task, written)
        self._heard_at = time.monotonic()
        if kind == TaskFinished.kind:
            self._ended.append(entry)
        self._live.refresh()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The plain terminal, to ask something; the view comes back after it."""
        self._live.stop()
        try:
            yield
        finally:
            self._live.start()

    def _draw(self) -> RenderableType:
        _, sections = self._board.since(0)
        run = sections.get("run") or {}
        now = float(run.get("t", 0.0)) + time.monotonic() - self._heard_at
        return run_lines(sections, Frame(self._terminal.height, now, self._unicode))
