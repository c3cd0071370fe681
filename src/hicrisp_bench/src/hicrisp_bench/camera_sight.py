"""The embedded world by its camera: the only place where a world and the perception meet in one process."""

from __future__ import annotations

from hicrisp_core.detector.sight import CameraSight
from hicrisp_perception.checked_sight import CheckedSight
from hicrisp_perception.sight import SceneSight
from hicrisp_sim.embedded import EmbeddedWorld


def camera_sight(world: EmbeddedWorld) -> CameraSight:
    """Sees the things of a world by its own camera, and by nothing else; the camera is checked at first."""
    return CameraSight(world.camera, CheckedSight(SceneSight(world.scene), world.scene), world.robot_frames)
