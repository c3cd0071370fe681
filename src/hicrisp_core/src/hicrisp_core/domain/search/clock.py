"""The clock of a search: a deadline that costs nothing to look at, and the ways in which a search ends early."""

from __future__ import annotations

from hicrisp_core.time.deadline import Deadline

_TICKS = 16
"""Turns of a loop between two looks at the clock; a turn takes some microseconds."""


class OutOfTime(Exception):
    """The deadline has passed; the searcher catches it and answers with the ending of that name."""


class TooWide(Exception):
    """A relaxed task has more operators than are looked at; the searcher catches it and looks no further."""


class Clock:
    """Counts turns and looks at the deadline every few of them."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._left = 0

    def tick(self) -> None:
        """Count one turn.

        Raises:
            OutOfTime: when the deadline has passed.
        """
        self._left -= 1
        if self._left < 0:
            self._left = _TICKS
            if self._deadline.passed:
                raise OutOfTime
