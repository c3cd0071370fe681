"""A 2D lidar: rays in a plane, cast in the physics, with noise, at its own rate."""

from __future__ import annotations

from typing import Optional

import mujoco
import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.scan import Scan

from hicrisp_sim.agv.model import SOLID_GROUP
from hicrisp_sim.agv.settings import AgvSettings
from hicrisp_sim.agv.simulation import AgvSimulation


class Lidar:
    """Scans when its time has come; ``stopped`` makes it fall silent."""

    def __init__(self, simulation: AgvSimulation, settings: AgvSettings, seed: int = 0) -> None:
        self._simulation = simulation
        self._settings = settings
        self._dice = np.random.default_rng(seed)
        self.angles = np.linspace(-np.pi, np.pi, settings.rays, endpoint=False)
        self._groups = np.zeros(6, dtype=np.uint8)
        self._groups[SOLID_GROUP] = 1
        self._geoms = np.zeros(settings.rays, dtype=np.int32)
        self._distances = np.zeros(settings.rays)
        self.latest: Optional[Scan] = None
        self.stopped = False

    def due(self) -> bool:
        """Check whether the next scan is due.

        Returns:
            True once per period.
        """
        now = self._simulation.time
        return (self.latest is None
                or not -1e-6 < now - self.latest.time < 1.0 / self._settings.scan_rate - 1e-6)

    def scan(self) -> Optional[Scan]:
        """Take a scan.

        Returns:
            The scan; ``None`` if the lidar is silent.
        """
        if self.stopped:
            return None
        pose = self._simulation.base_pose
        bearing = self.angles + pose.yaw
        rays = np.column_stack((np.cos(bearing), np.sin(bearing), np.zeros_like(bearing)))
        eye = pose.shifted((0.0, 0.0, self._settings.lidar_height)).position
        mujoco.mj_multiRay(
            self._simulation.model, self._simulation.data, np.array(eye), rays.ravel(), self._groups, True, -1,
            self._geoms,
            self._distances, None, self._settings.rays, self._settings.range)
        met = (self._distances >= 0.0) & (self._distances <= self._settings.range)
        noise = self._dice.normal(0.0, self._settings.range_noise, self._settings.rays) \
            if self._settings.range_noise else 0.0
        ranges = np.where(met, np.maximum(0.0, self._distances + noise), np.inf)
        self.latest = Scan(self._simulation.time, Pose(eye, from_yaw(pose.yaw)), self.angles, ranges)
        return self.latest
