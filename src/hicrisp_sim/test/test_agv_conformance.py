"""The embedded base does what every ``Base`` must do, at a clock that lets others cancel it on the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from agv_arena import Yard
from hicrisp_core.model import Pose
from hicrisp_core.robot.testing import base_conformance as conformance
from waiting import PATIENCE


class TestEmbeddedBase(conformance.BaseConformance):  # type: ignore[misc, name-defined]
    """The embedded base."""

    @pytest.fixture(autouse=True)
    def _rig(self, tmp_path: Path) -> None:
        walls = "walls: {fence: {from: [2.7, 2.0], to: [4, 2.0]}, post: {from: [2.7, 2.0], to: [2.7, 3]}}\n"
        yard = Yard(tmp_path, more=walls)
        yard.world.simulation.rate = 8.0
        self.rig = conformance.BaseRig(
            yard.base, lambda: yard.world.base.body.pose, lambda: not yard.stands,
            reachable=Pose((3.4, 1.0, 0.0)), unreachable=Pose((3.3, 2.5, 0.0)), tolerance=0.08,
            patience=PATIENCE, soon=PATIENCE)
