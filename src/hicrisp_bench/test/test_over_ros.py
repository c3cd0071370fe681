"""The same trials in one process and over the launched nodes: the same counts on the same seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hicrisp_bench.over_ros import run_all_over_ros
from hicrisp_bench.tabletop import groups
from hicrisp_bench.trial import run_trial

CONFIG = Path(__file__).resolve().parents[3] / "config"
COUNTED = ("success", "claimed", "plan", "steps_executed", "corrections", "attempts", "replans")


def test_the_two_ways_agree_in_every_count() -> None:
    noisy = next(made[0] for head, made in groups(CONFIG, 1)
                 if (head["case"], head["policy"], head["sigma"]) == ("offset on place", "hierarchical", 0.03))
    trials = [replace(noisy, seed=seed) for seed in (1, 0)]  # The first is corrected, and what it taught is forgotten.
    here, there = [run_trial(trial) for trial in trials], run_all_over_ros(trials, 1, "tabletop")
    assert [result.get("crashed") for result in there] == [None, None]
    assert [{key: result[key] for key in COUNTED} for result in there] == [
        {key: result[key] for key in COUNTED} for result in here]
    assert [result["placement_error_m"] for result in there] == pytest.approx(
        [result["placement_error_m"] for result in here], abs=0.002)
    assert here[0]["corrections"]
