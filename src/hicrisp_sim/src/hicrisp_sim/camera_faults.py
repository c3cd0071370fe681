"""What goes wrong with a camera: light, a knock, lost pictures and silence."""

from __future__ import annotations

import numpy as np
from hicrisp_core.model import Pose

_MOUNTED = Pose((0.0, 0.0, 0.0))


class CameraFaults:
    """The faults of one camera that are in force; the same seed gives the same.

    ``light`` is the factor on the light, ``moved`` where the camera really is, in its optical frame as it is
    told.
    """

    def __init__(self, seed: int = 0) -> None:
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Forget every fault."""
        self._dice = np.random.default_rng([seed, 436])
        self.light = 1.0
        self.moved = _MOUNTED
        self._lost = 0
        self._silent_until = -1.0

    def delivers(self, now: float) -> bool:
        """Whether a picture of this moment arrives; a lost one is counted."""
        if now < self._silent_until:
            return False
        if self._lost == 0:
            return True
        self._lost -= 1 if self._lost > 0 else 0
        return False
