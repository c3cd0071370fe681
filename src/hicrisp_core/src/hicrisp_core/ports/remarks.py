"""The inbox for what users say while a task runs: one puts in, another takes out, in any thread."""

from __future__ import annotations

from collections import deque
from threading import Event, Lock
from typing import Deque, Optional

_MOST = 10
"""Remarks that wait at most."""


class Remarks:
    """What was said and nobody took up yet, oldest first.

    ``arrived`` is set while something waits: whoever waits for an answer to something else may look at it.
    """

    def __init__(self) -> None:
        self.arrived = Event()
        self.count = 0
        """How many were ever put in."""
        self._waiting: Deque[str] = deque()
        self._lock = Lock()
        self._closed = False

    def add(self, said: str) -> bool:
        """Put a remark in; ``False`` where nobody will take it: the task has ended, or too many wait."""
        with self._lock:
            if self._closed or len(self._waiting) >= _MOST:
                return False
            self._waiting.append(said)
            self.count += 1
            self.arrived.set()
            return True

    def take(self) -> Optional[str]:
        """The oldest remark; ``None`` where none waits."""
        with self._lock:
            said = self._waiting.popleft() if self._waiting else None
            if not self._waiting:
                self.arrived.clear()
            return said

    def close(self) -> bool:
        """Take no more, if none waits; whether that is so now."""
        with self._lock:
            self._closed = self._closed or not self._waiting
            return self._closed

    def end(self) -> None:
        """Take no more, and forget what waits."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            self.arrived.clear()
