"""The executive's own work does not grow unnoticed."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

from hicrisp_bench.speed import executive_step_seconds

CONFIG = Path(__file__).resolve().parents[3] / "config"
COMMANDS = 3
"""Commands of a run in the mean: two steps, and every second run a correction and a retry."""


def test_a_command_costs_the_executive_at_most_five_thousand_calls() -> None:
    """Counted, because a busy machine changes every time; all calls count, also those of the standard library."""
    executive_step_seconds(CONFIG, 2)  # What is read and imported once is no work of a step.
    profile, runs = cProfile.Profile(), 21
    profile.runcall(executive_step_seconds, CONFIG, runs)
    reading = cProfile.Profile()
    reading.runcall(executive_step_seconds, CONFIG, 1)
    calls = pstats.Stats(profile).total_calls - pstats.Stats(reading).total_calls  # type: ignore[attr-defined]
    assert calls / ((runs - 1) * COMMANDS) < 5000
