"""Where an arm's tool may be sent at all; read from ``config/safety.yaml``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from hicrisp_core.config.yaml_lines import Positions, check_keys, read_yaml
from hicrisp_core.model import Pose, Vector
from hicrisp_core.ports.robot import MotionFailure


@dataclass(frozen=True)
class SafetyLimits:
    """A box that the goals of the tool must lie in, metres in the world frame.

    Args:
        low: its lowest corner.
        high: its highest corner.
    """

    low: Vector
    high: Vector

    def refusal(self, goal: Pose) -> Optional[MotionFailure]:
        """Why the tool must not be sent to a pose; ``None`` where it may."""
        if all(low <= value <= high for low, value, high in zip(self.low, goal.position, self.high)):
            return None
        box = ", ".join(f"{axis} {low:g} to {high:g} m" for axis, low, high in zip("xyz", self.low, self.high))
        place = ", ".join(f"{value:.3f}" for value in goal.position)
        return MotionFailure("unreachable", f"the goal ({place}) is outside the safe workspace ({box})")


def load_safety(path: Union[str, Path]) -> SafetyLimits:
    """The limits of a file.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(path)
    check_keys(values, ("workspace",), ("workspace",), positions)
    box = check_keys(values["workspace"], ("low", "high"), ("low", "high"), positions, ("workspace",))
    low, high = (_corner(box[name], positions, name) for name in ("low", "high"))
    if not all(a < b for a, b in zip(low, high)):
        raise positions.error(("workspace",), f"low {list(low)} must be below high {list(high)} on every axis")
    return SafetyLimits(low, high)


def _corner(value: Any, positions: Positions, name: str) -> Vector:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 3 or not all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
        raise positions.error(("workspace", name), f"three numbers (x, y, z in metres) were expected, got {value!r}")
    return (float(numbers[0]), float(numbers[1]), float(numbers[2]))
