"""The embedded world by its own camera begins only where that is where it is told to be."""

from __future__ import annotations

import pytest
from hicrisp_bench.camera_sight import camera_sight
from hicrisp_sim.embedded import EmbeddedWorld

from hicrisp_perception import CameraMisplaced


@pytest.mark.parametrize(("scene", "seed"), [("tabletop", 3), ("clutter", 5)])
def test_a_knocked_camera_is_refused_with_the_deviation(scene: str, seed: int) -> None:
    world = EmbeddedWorld(scene, seed)
    world.inject("camera_moved", "", (0.003, 0.0))
    assert {track.name for track in camera_sight(world).look().tracks} >= {"box", "cylinder"}
    world.inject("camera_moved", "", (0.02, 2.0))
    with pytest.raises(CameraMisplaced) as refused:
        camera_sight(world).look()
    assert refused.value.misfit.deviation > world.scene.camera_error
    assert refused.value.misfit.offset == pytest.approx(0.02, abs=0.008)
