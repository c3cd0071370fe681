"""Deadlines in wall time, which every wait in the workspace has, and in the time that a thread computes."""

from __future__ import annotations

import time
from threading import get_ident


class Deadline:
    """A point in wall time (monotonic clock).

    Args:
        seconds: time from now, at least 0.
    """

    def __init__(self, seconds: float) -> None:
        if not seconds >= 0.0:
            raise ValueError(f"a deadline needs at least 0 seconds, got {seconds}")
        self._end = time.monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Return the seconds left, never negative."""
        return max(0.0, self._end - time.monotonic())

    @property
    def passed(self) -> bool:
        """Return whether the time is over."""
        return time.monotonic() >= self._end


class ThinkingTime(Deadline):
    """The end of a computation: so many seconds of the processor for the thread that begins it, and a limit
    in wall time for all threads.

    On a busy machine a computation gets as far as on an idle one, only later.

    Args:
        seconds: processor time from now, at least 0.
        wall: wall time from now, at least 0.
    """

    def __init__(self, seconds: float, wall: float) -> None:
        super().__init__(wall)
        self._thread = get_ident()
        self._computed = time.thread_time() + seconds

    @property
    def remaining(self) -> float:
        """Return the seconds that are certainly left, never negative."""
        wall = super().remaining
        return min(wall, max(0.0, self._computed - time.thread_time())) if get_ident() == self._thread else wall

    @property
    def passed(self) -> bool:
        """Return whether the processor time of the thread that began, or the wall time, is used up."""
        return super().passed or get_ident() == self._thread and time.thread_time() >= self._computed
