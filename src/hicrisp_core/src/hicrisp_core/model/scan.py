"""What a 2D lidar saw in one turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hicrisp_core.model.geometry import Pose


@dataclass(frozen=True)
class Scan:
    """One turn of the lidar.

    Args:
        time: seconds of the world's clock.
        pose: of the lidar in the map frame as it is known while scanning; a lidar may be tilted, or hang
            upside down.
        angles: of the rays from the lidar's x axis about its z axis, radians, increasing.
        ranges: metres along each ray; infinite where nothing was met within the range.
    """

    time: float
    pose: Pose
    angles: np.ndarray
    ranges: np.ndarray

    @cached_property
    def rays(self) -> np.ndarray:
        """The rays' directions in the map frame, unit vectors (n, 3)."""
        ahead, left, _ = np.array(self.pose.axes)
        return np.outer(np.cos(self.angles), ahead) + np.outer(np.sin(self.angles), left)

    @cached_property
    def ends(self) -> np.ndarray:
        """Where the rays ended (n, 3), metres in the map frame, one row for each that met something."""
        met = np.isfinite(self.ranges)
        return np.asarray(np.array(self.pose.position) + self.ranges[met, None] * self.rays[met])

    @property
    def points(self) -> np.ndarray:
        """The same in the map's plane (n, 2)."""
        return self.ends[:, :2]
