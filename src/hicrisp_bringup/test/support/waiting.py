"""Patience in wall time for what other threads and nodes do."""

from __future__ import annotations

import time
from typing import Any, Callable

PATIENCE = 300.0
"""Wall seconds after which a wait has failed, on however busy a machine; benchmarks measure what must be
quick.
"""


def until(
    condition: Callable[[], Any], what: str = "change", seconds: float = PATIENCE,
    besides: Callable[[], str] = str, period: float = 0.01,
) -> Any:
    """Wait for something to become true; what it then is.

    Args:
        besides: more to say when it did not.
        period: wall seconds between two looks.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(period)
    raise AssertionError(f"no {what} within {seconds:g} s{besides()}")
