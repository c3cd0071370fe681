"""The embedded RGB-D camera: pictures of a simulation as a depth camera of the D435 kind takes them."""

from __future__ import annotations

import math
import weakref
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from typing import List, Optional, Tuple

import numpy as np
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.model.picture import Picture
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_core.scene.sensing import ColourSensor, DepthSensor

from hicrisp_sim.camera_faults import CameraFaults
from hicrisp_sim.draughtsman import Draughtsman
from hicrisp_sim.mujoco_poses import pose_of
from hicrisp_sim.render import RenderError
from hicrisp_sim.rgbd import RgbdDrawer
from hicrisp_sim.simulation import Simulation, Snapshot

_LIMIT = 20.0
"""Wall seconds that a picture may take, the first one with its OpenGL context too."""


class EmbeddedCamera:
    """Takes pictures of a simulation from any thread; every OpenGL call happens in one of its own.

    Args:
        seed: draws the noise; the same seed and the same world give the same pictures.
        faults: what goes wrong with it.

    Raises:
        ConfigError: when it is mounted on a link that the simulation does not have.
    """

    def __init__(self, simulation: Simulation, settings: CameraSettings, seed: int = 0,
                 faults: Optional[CameraFaults] = None) -> None:
        self._simulation = simulation
        self.settings = settings
        self.faults = faults or CameraFaults(seed)
        link, model = settings.mounting.link, simulation.model
        links = [model.body(number).name for number in range(1, model.nbody)]
        if link and link not in links:
            raise ConfigError(f"the camera '{settings.name}' is mounted on '{link}', which is not there; there are: "
                              f"{', '.join(links)}")
        dice = np.random.default_rng([seed, 435])
        lens = settings.intrinsics
        self._depth = DepthSensor(settings.depth, lens, dice)
        self._colour = ColourSensor(settings.colour, lens, dice)
        self._thread = Draughtsman("depth_camera")
        self._drawers: List[RgbdDrawer] = []  # At most one.
        self._end = weakref.finalize(self, _end, self._thread, self._drawers)

    def close(self) -> None:
        """Release the OpenGL context; no further images can be taken."""
        self._end()

    def take(self, snapshot: Optional[Snapshot] = None) -> Optional[Picture]:
        """Take an image.

        Args:
            snapshot: state of the simulation; the current one by default.

        Returns:
            Colour and depth; ``None`` if the image is lost or the camera silent.

        Raises:
            RenderError: when nothing can be drawn on this machine.
        """
        snapshot = snapshot or self._simulation.snapshot
        if not self.faults.delivers(snapshot.time):
            return None
        try:
            picture: Picture = self._thread.do(lambda: self._picture(snapshot)).result(_LIMIT)
            return picture
        except FutureTimeout as error:
            raise RenderError(f"a picture took more than {_LIMIT:g} s; this machine is too busy to draw "
                              "them") from error

    def _picture(self, snapshot: Snapshot) -> Picture:
        painted, distance, fronts, pose = self._drawn(snapshot)
        lens = self.settings.intrinsics
        return Picture(snapshot.time, replace(lens, cx=math.nan) if self.faults.lens_nan else lens,
                       self._colour.expose(painted, self.faults.light), self._depth.measure(distance, fronts), pose)

    def _drawn(self, snapshot: Snapshot) -> Tuple[np.ndarray, np.ndarray, Optional[np.ndarray], Pose]:
        """Return colours, true distances, those to what is transparent too, and where the optical frame is taken to be,
        world frame.
        """
        drawer = self._drawer(snapshot)
        drawer.place(snapshot)
        mounted, link = self.settings.mounting.pose, self.settings.mounting.link
        parent = Pose((0.0, 0.0, 0.0))
        if link:
            parent = pose_of(drawer.data.body(link).xpos, drawer.data.body(link).xquat)
        really = parent.compose(mounted).compose(self.faults.moved)
        return (*drawer.draw(really), drawer.fronts(really), parent.compose(mounted))

    def _drawer(self, snapshot: Snapshot) -> RgbdDrawer:
        if not self._drawers or self._drawers[0].model is not snapshot.model:
            while self._drawers:
                self._drawers.pop().close()
            self._drawers.append(RgbdDrawer(snapshot.model, self.settings.intrinsics))
        return self._drawers[0]


def _end(thread: Draughtsman, drawers: List[RgbdDrawer]) -> None:
    def close() -> None:
        while drawers:
            drawers.pop().close()

    thread.end(close)
