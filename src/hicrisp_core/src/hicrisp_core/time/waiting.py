"""Waiting for something that nobody announces: it is looked at again and again, until a deadline."""

from __future__ import annotations

import time
from threading import Event
from typing import Callable, Optional

from hicrisp_core.time.deadline import Deadline

_PERIOD = 0.02


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
