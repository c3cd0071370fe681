"""Stamps against the clock: what is dated ahead of it, or long before it, says nothing of now."""

from __future__ import annotations

AHEAD_LIMIT = 1.0
"""Seconds by which a stamp may be ahead of the clock and still count: the clocks of two hosts differ a
little, a localisation dates its transform ahead on purpose, and a simulated clock comes by a topic of its
own.
"""


def lead(stamp: float, now: float) -> float:
    """Seconds by which a stamp is ahead of the clock, where that is more than ``AHEAD_LIMIT``; else 0. A
    clock that reads 0 has not begun, and nothing is ahead of it.
    """
    by = stamp - now
    return by if by > AHEAD_LIMIT and now > 0.0 else 0.0


def lag(stamp: float, now: float, limit: float) -> float:
    """Seconds by which a stamp is behind the clock, where that is more than ``limit``; else 0. A stamp of 0
    is none.
    """
    by = now - stamp
    return by if by > limit and stamp > 0.0 else 0.0
