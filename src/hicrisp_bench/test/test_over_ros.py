"""The same trials in one process and over the launched nodes: the same counts on the same seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hicrisp_bench.agv.over_ros import AgvJudge
from hicrisp_bench.agv.suite import AgvTrial
from hicrisp_bench.runner import Runner
from hicrisp_bench.tabletop import groups
from hicrisp_bench.tabletop_over_ros import TabletopJudge
from lasting import LONG

CONFIG = Path(__file__).resolve().parents[3] / "config"
COUNTED = ("success", "claimed", "plan", "steps_executed", "corrections", "attempts", "releases",
           "replans")
JUDGED = ("completed", "claimed", "plan", "stops", "order_violations", "halts_out_of_turn", "collisions",
          "zone_violations", "caught", "corrections", "steps_executed")


def test_the_two_ways_agree_in_every_count() -> None:
    noisy = next(made[0] for head, made in groups(CONFIG, 1)
                 if (head["case"], head["policy"], head["sigma"]) == ("offset on place", "hierarchical",
                                                                      0.03))
    # The first is corrected after it let go, and what it taught is forgotten. A launch a policy takes long.
    trials = [replace(noisy, policy="hicrisp", seed=seed) for seed in (1, 0)]
    here = [trial.run() for trial in trials]
    there = Runner().run_over_ros(trials, "tabletop", TabletopJudge)
    assert [result.get("crashed") for result in there] == [None] * 2
    assert [{key: result[key] for key in COUNTED} for result in there] == [
        {key: result[key] for key in COUNTED} for result in here], [result["failures"] for result in there]
    assert [result["placement_error_m"] for result in there] == pytest.approx(
        [result["placement_error_m"] for result in here], abs=0.002)
    assert here[0]["corrections"]
    assert here[0]["attempts"] > here[1]["attempts"] > 0


@LONG
def test_the_two_ways_agree_on_where_a_base_went_and_what_it_did_there() -> None:
    """Compared are the counts that the layouts decide. Lengths and durations differ: a launched base idles
    while the nodes think, so its lidar scans at other moments and it drives around an obstacle on another
    line. In layouts where a drive breaks off now and then, by a few centimetres, corrections may differ for
    the same reason."""
    order = ("area_3", "area_2", "area_1")
    trial = AgvTrial(CONFIG, order, "hierarchical", 19, "swap")
    here, there = trial.run(), Runner().run_over_ros([trial], "agv", AgvJudge)[0]
    assert there.get("crashed") is None
    assert {key: there[key] for key in JUDGED} == {key: here[key] for key in JUDGED}
    assert there["caught"]
    assert there["completed"]
