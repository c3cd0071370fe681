"""``scripts/calibrate_camera`` in an embedded world: find a mounting that nobody told."""

from __future__ import annotations

import sys
from dataclasses import replace
from threading import Event
from typing import Callable, List, Optional, Tuple, Union

import numpy as np
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Outcome, Pose
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_perception.calibration.calibrate_options import camera_of, marker_of, parse, report, tags_of
from hicrisp_perception.calibration.hand_eye import Calibration, NoCalibration
from hicrisp_perception.calibration.procedure import Bench, Look, calibrate, reach_of
from hicrisp_sim.embedded import EmbeddedWorld

_PLANNING, _MOTION = 4.0, 60.0
"""Wall seconds to plan a motion and to carry it out."""
_SETTLE = 0.5


class EmbeddedRig:
    """The arm and the camera of an embedded world."""

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


def calibrate_embedded(world: EmbeddedWorld, bench: Bench, seed: int, tell: Callable[[str], None]
                       ) -> Tuple[Union[Calibration, NoCalibration], Pose]:
    """Calibrate the world's camera.

    Args:
        world: the simulation with its camera.
        bench: tag, views and limits.
        seed: of the views.
        tell: prints a line of progress.

    Returns:
        What was found, and the true pose of the camera in its parent frame.
    """
    camera = world.camera
    mounting = camera.settings.mounting
    found = calibrate(EmbeddedRig(world), bench, mounting, np.random.default_rng([seed, 77]), tell)
    return found, mounting.pose.compose(camera.faults.moved)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run ``scripts/calibrate_camera`` in the embedded world.

    Args:
        arguments: the command line; that of the process if ``None``.

    Returns:
        Exit status: 0, 1 if no mounting was found, 2 if it could not begin.
    """
    options = parse(arguments)
    try:
        scene = load_scene(options.scene, options.seed)
        camera = camera_of(options, scene)
        scene = replace(scene, camera=options.camera or scene.camera, markers=tags_of(options, camera))
        tag = marker_of(tags_of(options, camera), scene, camera)
        world = EmbeddedWorld(scene, options.seed)
        world.inject("camera_moved", "", options.moved)
        description = world.description
        bench = Bench(tag, description.tool, reach_of(description.body), options.views)
        found, truth = calibrate_embedded(world, bench, options.seed, _say)
        if isinstance(found, NoCalibration):
            sys.stderr.write(f"{found.reason}\n")
            return 1
        _say(report(options, scene, camera, found, truth))
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _say(sentence: str) -> None:
    print(sentence, flush=True)  # noqa: T201 - the command's output


if __name__ == "__main__":
    sys.exit(main())
