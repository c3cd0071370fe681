"""What a 2D lidar saw in one turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hicrisp_core.model.geometry import Pose


@dataclass(frozen=True)
class Scan:
    """One turn of the lidar.

    Args:
        time: seconds of the world's clock.
        pose: of the lidar in the map frame as it is known while scanning.
        angles: of the rays from the lidar's x axis, radians, increasing.
        ranges: metres along each ray; infinite where nothing was met within the range.
    """

    time: float
    pose: Pose
    angles: np.ndarray
    ranges: np.ndarray

    @property
    def points(self) -> np.ndarray:
        """Where the rays ended, metres in the map frame, one row for each that met something."""
        met = np.isfinite(self.ranges)
        bearing = self.angles[met] + self.pose.yaw
        x, y, _ = self.pose.position
        return np.column_stack((x + self.ranges[met] * np.cos(bearing), y + self.ranges[met] * np.sin(bearing)))
