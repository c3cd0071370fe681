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
        """Return whether this event or one of the linked events is set."""
        return super().is_set() or any(other.is_set() for other in self._others)

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Wait until the event is set; the linked events are polled at 50 Hz.

        Args:
            timeout: longest wait, seconds; ``None`` waits without limit.

        Returns:
            Whether the event is set.
        """
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
        """Return whether the event is set, or the alarm has gone off; the first alarm is kept."""
        if self.alarmed is None:
            self.alarmed = self._alarm()
        return self.alarmed is not None or super().is_set()


def wait_until(
    holds: Callable[[], object], deadline: Deadline, cancel: Optional[Event] = None, period: float = _PERIOD,
    in_vain: Callable[[], bool] = lambda: False,
) -> bool:
    """Poll a condition until it holds; it is checked at least once.

    Args:
        holds: the condition; any true value ends the wait.
        deadline: wall time at which the wait ends.
        cancel: ends the wait early when it is set.
        period: time between two checks, seconds.
        in_vain: returns whether waiting has become useless, for example because the node shuts down.

    Returns:
        Whether the condition held in time.
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
    """Wait for a condition whose changes are announced on a condition variable.

    Args:
        changed: notified when the result of ``holds`` may have changed; its lock is held while ``holds`` is called.
        holds: the condition; any true value ends the wait.
        deadline: wall time at which the wait ends.
        cancel: ends the wait early when it is set.
        in_vain: returns whether waiting has become useless, for example because the node shuts down.

    Returns:
        Whether the condition held in time.
    """
    with changed:
        while not holds():
            if deadline.passed or in_vain() or (cancel is not None and cancel.is_set()):
                return False
            changed.wait(min(_LONGEST_SLEEP, deadline.remaining))
    return True
