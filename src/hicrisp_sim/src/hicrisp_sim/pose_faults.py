"""What goes wrong with the poses that a simulated world publishes: they grow old, vanish, hold nonsense."""

from __future__ import annotations

import math
from typing import Dict, List, Mapping, Sequence, Tuple

from hicrisp_core.model import Pose
from hicrisp_core.scene import SceneFault
from hicrisp_core.scene.fault_schedule import FaultKind, check_fault

Frames = Dict[str, Tuple[Pose, float]]
POSE_KINDS: Mapping[str, FaultKind] = {
    "pose_stale": FaultKind("the target's frame stays as it is, with its stamp", needs_target=True),
    "pose_missing": FaultKind("the target's frame is not published any more", needs_target=True),
    "pose_nan": FaultKind("the target's frame holds no number", needs_target=True),
    "pose_inf": FaultKind("the target's frame is infinitely far away", needs_target=True),
    "pose_ahead": FaultKind("the target's frame is stamped ahead of the clock, by 5 s or [seconds]", (0, 1),
                            needs_target=True),
    "pose_frame": FaultKind("the target's frame is under one that nobody publishes", needs_target=True),
}
"""The kinds, with what they do."""
_AHEAD = 5.0
"""Default lead of stamps over the clock, seconds."""
NOWHERE = "nobodys_frame"
"""The frame under which ``pose_frame`` puts an object."""


class PoseFaults:
    """The faults that are in force, by the object that they concern."""

    def __init__(self) -> None:
        self._kinds: Dict[str, str] = {}
        self._kept: Frames = {}
        self._ahead: Dict[str, float] = {}

    def clear(self) -> None:
        """Forget every fault."""
        self._kinds, self._kept, self._ahead = {}, {}, {}

    def inject(self, kind: str, target: str, magnitude: Sequence[float], count: int,
               frames: Frames) -> str:
        """Activate a fault until the world is reset.

        Args:
            kind: one of ``POSE_KINDS``.
            target: name of the frame.
            magnitude: lead of the stamp, seconds, for ``pose_ahead``.
            count: not used.
            frames: the current frames.

        Returns:
            What was done, as a sentence.

        Raises:
            FaultError: for a target or a magnitude that does not fit, with what would be valid.
        """
        check_fault(SceneFault(kind, target, tuple(magnitude), count), POSE_KINDS, sorted(frames))
        self._kept[target] = frames[target]
        self._kinds[target] = kind
        self._ahead[target] = magnitude[0] if magnitude else _AHEAD
        return f"{kind} is in force for {target}"

    def told(self, frames: Frames) -> Frames:
        """Apply the faults to the frames that are published.

        Args:
            frames: pose and stamp by frame.

        Returns:
            The faulty frames.
        """
        kinds = dict(self._kinds)
        told = {name: found for name, found in frames.items() if kinds.get(name) != "pose_missing"}
        for name, kind in kinds.items():
            if name not in told:
                continue
            if kind == "pose_stale":
                told[name] = self._kept[name]
            elif kind == "pose_ahead":
                told[name] = (told[name][0], told[name][1] + self._ahead[name])
            elif kind in ("pose_nan", "pose_inf"):
                wrong = math.nan if kind == "pose_nan" else math.inf
                told[name] = (Pose((wrong, wrong, wrong)), told[name][1])
        return told

    def parent(self, name: str, usual: str = "world") -> str:
        """Return the parent under which a frame is published.

        Args:
            name: the frame.
            usual: its correct parent.

        Returns:
            Name of the parent frame.
        """
        return NOWHERE if self._kinds.get(name) == "pose_frame" else usual

    @property
    def spoilt(self) -> List[str]:
        """The frames with a fault."""
        return sorted(self._kinds)
