"""The tasks that wait, and whether the supervisor is there: asked for at a slow pace and after changes."""

from __future__ import annotations

from threading import Event
from typing import Dict

from hicrisp_ros.node_threads import NodeThread

from hicrisp_web.live.services import Services
from hicrisp_web.live.topics import status_section
from hicrisp_web.view.board import Board
from hicrisp_web.view.following import Following

_PERIOD = 1.0
_IDLE_PERIOD = 5.0
"""Wall seconds between two looks while a page is open, and while none is."""
_PATIENCE = 2.0
_SLICE = 0.05


class QueueWatch:
    """Keeps the sections ``queue`` and ``link`` up to date in a thread of its own."""

    def __init__(self, board: Board, services: Services, following: Following) -> None:
        self._board = board
        self._services = services
        self._following = following
        self._news = Event()
        self._texts: Dict[str, str] = {}
        board.put({"queue": [], "link": {"supervisor": False}})
        NodeThread("queue", self._loop, self._news.set).start()

    def look(self) -> None:
        """Look soon."""
        self._news.set()

    def _loop(self, ended: Event) -> None:
        while not ended.is_set():
            self._look()
            self._news.wait(_PERIOD if self._board.readers else _IDLE_PERIOD)
            self._news.clear()
            ended.wait(_SLICE)  # Several changes in a row are one look.

    def _look(self) -> None:
        answer = self._services.call("get_task", "", patience=_PATIENCE).response
        if answer is None:
            self._board.put({"link": {"supervisor": False}})
            return
        self._texts = {each: self._texts.get(each) or self._text(each) for each in answer.queue}
        waiting = [{"task_id": each, "text": text} for each, text in self._texts.items()]
        self._board.put({"queue": waiting, "link": {"supervisor": True}})
        if answer.found:
            self._following.status(answer.status.task_id, answer.status.run_folder)
            self._board.put({"status": status_section(answer.status)})
        else:
            self._board.put({"status": None})

    def _text(self, task: str) -> str:
        answer = self._services.call("get_task", task, patience=_PATIENCE).response
        return str(answer.status.text) if answer is not None and answer.found else ""
