"""A table with its things and a camera, the arm at rest: an embedded world without what moves the arm."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Dict, Iterator, Tuple

import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.picture import Picture
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import load_camera
from hicrisp_perception.shapes.shape_models import cast, lies_of
from hicrisp_perception.view import Rays
from hicrisp_sim.arm_model import load_description
from hicrisp_sim.camera_faults import CameraFaults
from hicrisp_sim.depth_camera import EmbeddedCamera
from hicrisp_sim.rgbd import SegmentDrawer
from hicrisp_sim.robot_files import robot_file
from hicrisp_sim.settings import SECTION
from hicrisp_sim.simulation import Simulation
from hicrisp_sim.tracker import Tracker

_SETTLING = 0.4
"""Simulated seconds in which what was put on the table comes to rest."""


class WatchedTable:
    """The physics of a scene and the camera that it names.

    Args:
        seed: draws the camera's noise.
        light: factor on the usual light.
    """

    def __init__(self, scene: Scene, seed: int, light: float = 1.0) -> None:
        self.scene = scene
        arm = load_description(robot_file(scene, ARM, "embedded", SECTION, ""))
        self._simulation = Simulation(scene, arm)
        faults = CameraFaults(seed)
        faults.light = light
        self.camera = EmbeddedCamera(self._simulation, load_camera(scene.camera, scene.source or None), seed,
                                     faults)
        self._tracker = Tracker(arm.links())
        self._simulation.advance(_SETTLING)

    def frames(self) -> Tuple[Dict[str, Tuple[Pose, float]], Dict[str, Pose]]:
        """The robot's frames with their time, and the true poses of the things."""
        snapshot = self._simulation.snapshot
        robot, things = self._tracker.read(snapshot)
        return {name: (pose, snapshot.time) for name, pose in robot.items()}, things

    def visible_parts(self, picture: Picture) -> Dict[str, float]:
        """The part of each thing's outline that nothing hides, 0 to 1."""
        model = self._simulation.model
        drawer = SegmentDrawer(model, picture.lens)
        try:
            drawer.place(self._simulation.snapshot)
            bodies = drawer.bodies(picture.camera)
        finally:
            drawer.close()
        rays = Rays(picture.lens, picture.camera)
        every = rays.part((slice(None), slice(None)))
        _, poses = self.frames()
        found: Dict[str, float] = {}
        for thing in self.scene.things:
            seen = int(np.count_nonzero(bodies == model.body(thing.name).id))
            alone = np.isfinite(cast(lies_of(thing)[0], poses[thing.name], rays.origin, every))
            found[thing.name] = seen / max(1, int(np.count_nonzero(alone)))
        return found


@contextmanager
def watched(scene: Scene, seed: int, light: float = 1.0) -> Iterator[WatchedTable]:
    """A table whose camera gives its OpenGL context back."""
    table = WatchedTable(scene, seed, light)
    try:
        yield table
    finally:
        table.camera.close()
