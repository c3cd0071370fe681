"""What a depth camera delivers: colour and distance for each pixel, with the camera's lens and place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

import numpy as np

from hicrisp_core.model.geometry import Pose


@dataclass(frozen=True)
class Lens:
    """A pinhole camera's intrinsics (``sensor_msgs/CameraInfo``), pixels.

    Args:
        distortion: k1, k2, p1, p2, k3 of the plumb bob model, and k4, k5, k6 besides of the rational one; empty
            for none.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: Tuple[float, ...] = ()

    @property
    def matrix(self) -> np.ndarray:
        """The 3 x 3 camera matrix."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, eq=False)
class Picture:
    """Colour and depth of one moment, the depth registered to the colour's pixels.

    Args:
        stamp: seconds of the clock of all stamps.
        colour: (height, width, 3) red, green, blue, uint8.
        depth: (height, width) metres along the optical axis, float32; 0 where nothing was measured.
        camera: pose of the optical frame in the world frame (REP-103: z ahead, x right, y down).
    """

    stamp: float
    lens: Lens
    colour: np.ndarray
    depth: np.ndarray
    camera: Pose
