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
        """Append a remark.

        Args:
            said: the user's words.

        Returns:
            ``False`` if the remark was not accepted because the task has ended or too many are waiting.
        """
        with self._lock:
            if self._closed or len(self._waiting) >= _MOST:
                return False
            self._waiting.append(said)
            self.count += 1
            self.arrived.set()
            return True

    def take(self) -> Optional[str]:
        """Remove and return the oldest remark; ``None`` if there is none."""
        with self._lock:
            said = self._waiting.popleft() if self._waiting else None
            if not self._waiting:
                self.arrived.clear()
            return said

    def close(self) -> bool:
        """Stop accepting remarks if none is waiting, and return whether the inbox is closed."""
        with self._lock:
            self._closed = self._closed or not self._waiting
            return self._closed

    def end(self) -> None:
        """Stop accepting remarks and drop those that are waiting."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            self.arrived.clear()
