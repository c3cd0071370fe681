"""Waiting for what comes true by itself or is announced on a condition: always until a deadline, and never
in vain.
"""

from __future__ import annotations

import time
from threading import Condition, Event
from typing import Callable, Optional

from hicrisp_core.time.deadline import Deadline

_PERIOD = 0.02
_LONGEST_SLEEP = 0.05
"""Seconds after which a canceled or useless wait ends although nothing was announced."""


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
