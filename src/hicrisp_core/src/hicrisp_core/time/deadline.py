"""Deadlines in wall time: every wait in the workspace has one."""

from __future__ import annotations

import time


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
        """Seconds left, never negative."""
        return max(0.0, self._end - time.monotonic())

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._end
