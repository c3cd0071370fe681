"""One trial in one process: who judges it."""

from __future__ import annotations

from pathlib import Path
from typing import List

import pytest
from hicrisp_bench.trial import TrialSettings
from hicrisp_core.model import WorldState
from hicrisp_core.scene import load_scene

CONFIG = Path(__file__).resolve().parents[3] / "config"


def test_a_trial_is_judged_by_the_true_poses_however_blurred_the_robot_sees() -> None:
    judged: List[WorldState] = []

    def nothing_moved(world: WorldState) -> bool:
        judged.append(world)
        return world.holds("on", "box", "table")

    blur = {"kind": "sensor_noise", "target": "", "magnitude": [0.2]}
    result = TrialSettings(CONFIG, "tabletop", "what is on the table?", nothing_moved, faults=[blur]).run()
    assert result["success"]
    assert result["replans"] == 0, "no plan was made, and none anew"
    true = load_scene(CONFIG / "scenes" / "tabletop.yaml", 0).objects
    for name in ("box", "cylinder"):
        assert judged[0].objects[name].pose.position == pytest.approx(true[name].pose.position, abs=0.003)
