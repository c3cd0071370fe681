"""Waiting for what comes true by itself or is announced on a condition: always until a deadline, and never
in vain.
"""

from __future__ import annotations

import time
from threading import Condition, Event
from typing import Callable, Generic, Optional, TypeVar

from hicrisp_core.time.deadline import Deadline

_SLICE = 0.02
_Reason = TypeVar("_Reason")
_PERIOD = 0.02
_LONGEST_SLEEP = 0.05
"""Seconds after which a canceled or useless wait ends although nothing was announced."""


class LinkedEvent(Event):
    """Set when it is set itself, or when any of the others is; clearing it leaves the others as they are."""

    def __init__(self, *others: Event) -> None:
        super().__init__()
        self._others = others

    def is_set(self) -> bool:
        return super().is_set() or any(other.is_set() for other in self._others)

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Wait until it is set, at most ``timeout`` seconds; the others are looked at 50 times a second."""
        deadline = Deadline(max(0.0, timeout)) if timeout is not None else None
        while not self.is_set():
            left = _SLICE if deadline is None else min(_SLICE, deadline.remaining)
            if left <= 0.0:
                break
            super().wait(left)
        return self.is_set()


class AlarmEvent(LinkedEvent, Generic[_Reason]):
    """Also set by the first alarm, which it keeps.

    Args:
        alarm: asked whenever somebody looks at the event; why it must be set, or ``None`` while all is well.
    """

    def __init__(self, alarm: Callable[[], Optional[_Reason]], *others: Event) -> None:
        super().__init__(*others)
        self._alarm = alarm
        self.alarmed: Optional[_Reason] = None

    def is_set(self) -> bool:
        if self.alarmed is None:
            self.alarmed = self._alarm()
        return self.alarmed is not None or super().is_set()


def wait_until(
    holds: Callable[[], object], deadline: Deadline, cancel: Optional[Event] = None, period: float = _PERIOD,
    in_vain: Callable[[], bool] = lambda: False,
) -> bool:
    """Whether ``holds`` came true in time; it is asked at least once.

    Args:
        cancel: ends the wait early.
        period: seconds between two looks.
        in_vain: whether waiting has become useless, for example because the node shuts down.
    """
    while not holds():
        if deadline.passed or in_vain() or (cancel is not None and cancel.is_set()):
            return False
        time.sleep(min(period, deadline.remaining))
    return True


def wait_on(
    changed: Condition, holds: Callable[[], object], deadline: Deadline, cancel: Optional[Event] = None,
    in_vain: Callable[[], bool] = lambda: False,
) -> bool:
    """The same for what is announced on a condition, which is held while ``holds`` is asked."""
    with changed:
        while not holds():
            if deadline.passed or in_vain() or (cancel is not None and cancel.is_set()):
                return False
            changed.wait(min(_LONGEST_SLEEP, deadline.remaining))
    return True
