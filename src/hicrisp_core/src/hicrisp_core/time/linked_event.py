"""An event that is set by itself or by others: the one thing that a running command looks at."""

from __future__ import annotations

from threading import Event
from typing import Callable, Generic, Optional, TypeVar

from hicrisp_core.time.deadline import Deadline

_SLICE = 0.02
_Reason = TypeVar("_Reason")


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
