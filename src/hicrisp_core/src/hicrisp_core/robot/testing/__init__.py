"""Conformance suites: what every arm and every base must do, run by the packages that implement one."""

from __future__ import annotations

from typing import Optional, Tuple

from hicrisp_core.model import CauseKind, Outcome, Status

LOST_LIMIT = 4.0
"""Seconds of wall time, beside those for a stop, within which a lost connection is noticed."""


def why(outcome: Outcome) -> Tuple[Status, Optional[CauseKind]]:
    """Return how a motion ended, and what began that.

    Args:
        outcome: what the driver reports.

    Returns:
        The status and the kind of the first cause; ``None`` without a cause.
    """
    return outcome.status, outcome.cause.kind if outcome.cause is not None else None
