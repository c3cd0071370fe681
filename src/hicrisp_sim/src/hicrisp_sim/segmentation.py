"""Which body each pixel of a camera's picture shows: the truth, for judges."""

from __future__ import annotations

import mujoco
import numpy as np
from hicrisp_core.model import Pose

from hicrisp_sim.rgbd import RgbdDrawer


class SegmentDrawer(RgbdDrawer):
    """Draws snapshots with a number for each body in place of its colour."""

    def bodies(self, camera: Pose) -> np.ndarray:
        """Return the body that each pixel shows.

        Args:
            camera: optical frame in the world frame.

        Returns:
            Array (height, width) of body numbers; -1 for none.
        """
        flags = self._scene.flags
        for flag in (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR):
            flags[flag] = True
        try:
            painted, _ = self.draw(camera)
        finally:
            for flag in (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR):
                flags[flag] = False
        red, green, blue = (painted[..., channel].astype(np.int32) for channel in range(3))
        number = red + 256 * green + 65536 * blue
        of_number = np.full(self._scene.ngeom + 1, -1, np.int32)
        for shown in self._scene.geoms[:self._scene.ngeom]:
            if shown.objtype == mujoco.mjtObj.mjOBJ_GEOM and 0 <= shown.segid < self._scene.ngeom:
                of_number[shown.segid + 1] = self.model.geom_bodyid[shown.objid]
        found: np.ndarray = of_number[np.minimum(number, self._scene.ngeom)]
        return found
