"""Where an arm's tool may be sent at all; read from ``config/safety.yaml``."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Union

from pydantic.dataclasses import dataclass

from hicrisp_core.config.files import config_folders
from hicrisp_core.config.settings import STRICT, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.model import Pose, Vector
from hicrisp_core.ports.robot import MotionFailure


@dataclass(frozen=True, config=STRICT)
class SafetyLimits:
    """A box that the goals of the tool must lie in, metres in the world frame.

    Args:
        low: its lowest corner.
        high: its highest corner.
    """

    low: Vector
    high: Vector

    def __post_init__(self) -> None:
        if not all(low < high for low, high in zip(self.low, self.high)):
            raise ValueError(f"low {list(self.low)} must be below high {list(self.high)} on every axis")

    def hold(self, position: Vector) -> bool:
        """Check whether a point lies in the box, sides included.

        Args:
            position: world frame, metres.

        Returns:
            True if every coordinate is within its limits.
        """
        return all(low <= value <= high for low, value, high in zip(self.low, position, self.high))

    def refusal(self, goal: Pose) -> Optional[MotionFailure]:
        """Check whether the tool may be sent to a pose.

        Args:
            goal: tool pose, world frame.

        Returns:
            The failure with the box and the goal; ``None`` if the pose is allowed.
        """
        if self.hold(goal.position):
            return None
        box = ", ".join(f"{axis} {low:g} to {high:g} m" for axis, low, high in zip("xyz", self.low, self.high))
        place = ", ".join(f"{value:.3f}" for value in goal.position)
        return MotionFailure("unreachable", f"the goal ({place}) is outside the safe workspace ({box})")


@dataclass(frozen=True, config=STRICT)
class _SafetyFile:
    """What the file holds.

    Args:
        workspace: where the tool may be sent.
    """

    workspace: SafetyLimits


def usual_limits() -> Optional[SafetyLimits]:
    """Load the limits of the workspace's ``config/safety.yaml``.

    Returns:
        The limits; ``None`` without such a file.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    files = (folder / "safety.yaml" for folder in config_folders(""))
    return next((load_safety(file) for file in files if file.is_file()), None)


def load_safety(path: Union[str, Path]) -> SafetyLimits:
    """Load the safe workspace from a file.

    Args:
        path: YAML file with the key ``workspace``.

    Returns:
        The limits.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(path)
    return read_settings(_SafetyFile, values, positions).workspace
