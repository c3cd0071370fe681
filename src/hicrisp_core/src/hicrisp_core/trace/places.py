"""Where a thing ended whose deviation was measured."""

from __future__ import annotations

from typing import List, Optional, Sequence

from hicrisp_core.trace.records import Numbers


def achieved(
    target: Sequence[float], turn: Optional[Numbers], measured: Optional[Numbers]
) -> Optional[List[float]]:
    """Where a thing ended, in the world frame, metres; its deviation is measured in the target's, which
    ``turn`` (x, y, z, w) turns.
    """
    if measured is None or turn is None or len(measured) != 3 or len(turn) != 4 or len(target) != 3:
        return None
    x, y, z, w = turn
    a, b, c = measured
    twice = (2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a))
    off = (
        a + w * twice[0] + y * twice[2] - z * twice[1],
        b + w * twice[1] + z * twice[0] - x * twice[2],
        c + w * twice[2] + x * twice[1] - y * twice[0],
    )
    return [round(at + by, 5) for at, by in zip(target, off)]
