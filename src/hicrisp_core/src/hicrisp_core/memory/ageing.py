"""Offsets that were learnt before: the older they are, the less they weigh, and never so much that a new
measurement would not be believed.
"""

from __future__ import annotations

from typing import Dict, Iterable

from hicrisp_core.memory.entries import Offset
from hicrisp_core.model.offsets import OffsetEstimate

HALF_LIFE = 7.0 * 86400.0
"""Seconds after which an estimate weighs half as many measurements."""
MOST_SAMPLES = 4.0
"""Measurements that an earlier estimate weighs at most."""
LEAST_SAMPLES = 0.5
"""One that weighs less is forgotten."""


def aged_offsets(known: Iterable[Offset], now: float) -> Dict[str, OffsetEstimate]:
    """What is left of earlier estimates, by their key.

    Args:
        now: seconds since 1970.
    """
    aged = {each.key: aged_estimate(each.estimate, max(0.0, now - each.when)) for each in known}
    return {key: estimate for key, estimate in aged.items() if estimate.samples >= LEAST_SAMPLES}


def aged_estimate(estimate: OffsetEstimate, age: float) -> OffsetEstimate:
    """An estimate with as many measurements as it still weighs; the scatter of one stays as it was.

    Args:
        age: seconds since the latest measurement.
    """
    if estimate.samples <= 0.0:
        return OffsetEstimate()
    weight = 0.5 ** (age / HALF_LIFE)
    samples = min(estimate.samples, MOST_SAMPLES) * weight
    return OffsetEstimate(samples, estimate.mean, estimate.scatter * samples / estimate.samples)
