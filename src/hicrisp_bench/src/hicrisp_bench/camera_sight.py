"""The embedded world by its camera: the only place where a world and the perception meet in one process."""

from __future__ import annotations

from hicrisp_core.detector.sight import CameraSight
from hicrisp_perception.sight import SceneSight
from hicrisp_sim.embedded import EmbeddedWorld


def camera_sight(world: EmbeddedWorld) -> CameraSight:
    """Sees the things of a world by its own camera, and by nothing else."""
    return CameraSight(world.camera, SceneSight(world.scene), world.robot_frames)
