"""What goes wrong with a camera: light, a knock, lost pictures and silence."""

from __future__ import annotations

import math
from typing import Mapping

import numpy as np
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_euler
from hicrisp_core.scene import SceneFault
from hicrisp_core.scene.fault_schedule import FaultError, FaultKind

CAMERA_KINDS: Mapping[str, FaultKind] = {
    "light": FaultKind("the light is that many times the usual one: [factor]", (1,)),
    "camera_moved": FaultKind(
        "somebody knocks against the camera, which goes on to tell its old place: [metres, degrees] in a "
        "direction and about an axis by chance, or [x, y, z, roll, pitch, yaw] in its optical frame, metres "
        "and degrees", (2, 6)),
    "frame_lost": FaultKind("the next pictures (as many as the count, or 1) do not arrive; [share]: each one "
                            "with that chance", (0, 1)),
    "lens_nan": FaultKind("the calibration that comes with the pictures holds no numbers", (0,)),
    "camera_silent": FaultKind("no picture arrives for a while: [seconds]", (1,)),
}
"""The kinds, with what they do and what their magnitude means."""
_MOUNTED = Pose((0.0, 0.0, 0.0))
_BRIGHTEST = 16.0


class CameraFaults:
    """The faults of one camera that are in force; the same seed gives the same.

    ``light`` is the factor on the light, ``moved`` where the camera really is, in its optical frame as it is
    told; ``lens_nan`` says that the calibration holds no numbers.
    """

    def __init__(self, seed: int = 0) -> None:
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Remove all faults.

        Args:
            seed: of the random generator.
        """
        self._dice = np.random.default_rng([seed, 436])
        self.light = 1.0
        self.moved = _MOUNTED
        self.lens_nan = False
        self._lost = 0
        self._share = 0.0
        self._silent_until = -1.0

    def inject(self, fault: SceneFault, now: float) -> str:
        """Activate a fault.

        Args:
            fault: of one of ``CAMERA_KINDS``, with a magnitude of the right length.
            now: seconds of simulated time.

        Returns:
            What was done, as a sentence.

        Raises:
            FaultError: for a magnitude out of range, with what is valid.
        """
        return {"light": self._shine, "camera_moved": self._knock, "frame_lost": self._lose, "lens_nan": self._bend,
                "camera_silent": lambda told: self._fall_silent(told, now)}[fault.kind](fault)

    def _shine(self, fault: SceneFault) -> str:
        factor = fault.magnitude[0]
        if not 0.0 < factor <= _BRIGHTEST:
            raise FaultError(f"the factor on the light is above 0 and at most {_BRIGHTEST:g}, not {factor:g}")
        self.light = factor
        return f"the light is {factor:g} times the usual one"

    def _knock(self, fault: SceneFault) -> str:
        values = fault.magnitude
        if len(values) == 2:
            drawn = self._dice.normal(size=(2, 3))
            way, axis = (direction / np.linalg.norm(direction) for direction in drawn)
            shift, half = values[0] * way, math.radians(values[1]) / 2.0
            x, y, z = (float(value) * math.sin(half) for value in axis)
            knock = Pose((float(shift[0]), float(shift[1]), float(shift[2])), (x, y, z, math.cos(half)))
        else:
            roll, pitch, yaw = map(math.radians, values[3:])
            knock = Pose((values[0], values[1], values[2]), from_euler(roll, pitch, yaw))
        self.moved = self.moved.compose(knock)
        turned = 2.0 * math.degrees(math.acos(min(1.0, abs(self.moved.orientation[3]))))
        return (f"the camera is {math.hypot(*self.moved.position):.3f} m and {turned:.1f} degrees off its "
                "mounting")

    def _lose(self, fault: SceneFault) -> str:
        if fault.magnitude:
            share = fault.magnitude[0]
            if not 0.0 <= share <= 1.0:
                raise FaultError(f"the share of lost pictures is from 0 to 1, not {share:g}")
            self._share = share
            return f"each picture is lost with a chance of {share:g}"
        self._lost = fault.count or 1
        return f"the next {'picture is' if self._lost == 1 else f'{self._lost} pictures are'} lost"

    def _bend(self, _: SceneFault) -> str:
        self.lens_nan = True
        return "the camera's calibration holds no numbers"

    def _fall_silent(self, fault: SceneFault, now: float) -> str:
        seconds = fault.magnitude[0]
        if seconds < 0.0:
            raise FaultError(f"the camera is silent for at least 0 s, not {seconds:g}")
        self._silent_until = now + seconds
        return f"the camera is silent for {seconds:g} s"

    def delivers(self, now: float) -> bool:
        """Check whether an image arrives; a lost one is counted.

        Args:
            now: simulation time, seconds.

        Returns:
            False if the image is lost or the camera silent.
        """
        if now < self._silent_until or (self._share > 0.0 and self._dice.random() < self._share):
            return False
        if self._lost == 0:
            return True
        self._lost -= 1
        return False
