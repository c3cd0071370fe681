"""Stamps against the clock: what is dated ahead of it, or long before it, says nothing of now."""

from __future__ import annotations

AHEAD_LIMIT = 1.0
"""Seconds by which a stamp may be ahead of the clock and still count: the clocks of two hosts differ a
little, a localisation dates its transform ahead on purpose, and a simulated clock comes by a topic of its
own.
"""


def lead(stamp: float, now: float) -> float:
    """Compute how far a stamp is ahead of the clock.

    Args:
        stamp: time stamp, seconds.
        now: current time of the same clock, seconds; at 0 the clock has not started and no stamp is ahead.

    Returns:
        The lead in seconds if it exceeds ``AHEAD_LIMIT``; otherwise 0.
    """
    by = stamp - now
    return by if by > AHEAD_LIMIT and now > 0.0 else 0.0


def lag(stamp: float, now: float, limit: float) -> float:
    """Compute how far a stamp is behind the clock.

    Args:
        stamp: time stamp, seconds; 0 means that there is no stamp.
        now: current time of the same clock, seconds.
        limit: largest lag that is accepted, seconds.

    Returns:
        The lag in seconds if it exceeds ``limit``; otherwise 0.
    """
    by = now - stamp
    return by if by > limit and stamp > 0.0 else 0.0
