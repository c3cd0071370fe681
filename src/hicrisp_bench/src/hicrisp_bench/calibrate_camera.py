"""``scripts/calibrate_camera`` in an embedded world: find a mounting that nobody told."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from threading import Event
from typing import List, Optional

from hicrisp_core.model import Outcome, Pose
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_core.scene.tags import Tag
from hicrisp_core.time.deadline import Deadline
from hicrisp_perception.calibration.calibrate_options import Setup, run, tags_of
from hicrisp_perception.calibration.procedure import Look
from hicrisp_sim.embedded import EmbeddedWorld

_PLANNING, _MOTION = 4.0, 60.0
"""Wall seconds to plan a motion and to carry it out."""
_SETTLE = 0.5


class EmbeddedRig:
    """The arm and the camera of an embedded world."""

    missing = ""

    def __init__(self, world: EmbeddedWorld) -> None:
        self._world = world

    def move(self, tool: Pose) -> Outcome:
        self._world.arm.sync(self._world.look())
        motion = self._world.arm.plan_to(tool, Deadline(_PLANNING))
        if isinstance(motion, MotionFailure):
            return motion.outcome()
        outcome = self._world.arm.follow(motion, Deadline(_MOTION), Event())
        self._world.settle(_SETTLE)
        return outcome

    def look(self) -> Optional[Look]:
        picture = self._world.camera.take()
        return None if picture is None else Look(picture.colour, picture.lens, self._world.robot_frames())


def _set_up(options: argparse.Namespace, scene: Scene, camera: CameraSettings, tag: Tag) -> Setup:
    scene = replace(scene, camera=options.camera or scene.camera, markers=tags_of(options, camera))
    world = EmbeddedWorld(scene, options.seed)
    world.inject("camera_moved", "", options.moved)
    truth = camera.mounting.pose.compose(world.camera.faults.moved)
    return Setup(EmbeddedRig(world), world.description.tool, world.description.body, truth)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the command line in the embedded world; see ``calibrate_options.run``."""
    return run(_set_up, arguments)


if __name__ == "__main__":
    sys.exit(main())
