"""Places that a base knows by name, and how it drives; read from ``config/robots/<name>.yaml``."""

from __future__ import annotations

import math
from dataclasses import field
from pathlib import Path
from typing import Mapping, Optional, Sequence, Union

from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass

from hicrisp_core.config.settings import STRICT, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw, planar_distance


@dataclass(frozen=True, config=STRICT)
class Landmark:
    """A named place in the map frame.

    Args:
        x: metres.
        y: metres.
        yaw: heading to arrive with, radians; ``None`` if any heading will do.
        tolerance: how far from it the base may stand, metres; ``None`` for the base's own.
        yaw_tolerance: how far its heading may be off, radians; ``None`` for the base's own.
    """

    x: float
    y: float
    yaw: Optional[float] = None
    tolerance: Optional[PositiveFloat] = None
    yaw_tolerance: Optional[PositiveFloat] = None

    def pose(self, heading: float = 0.0) -> Pose:
        """Return the goal pose of the landmark.

        Args:
            heading: yaw in radians, used if the landmark defines none.

        Returns:
            Pose in the map frame.
        """
        return Pose((self.x, self.y, 0.0), from_yaw(heading if self.yaw is None else self.yaw))


@dataclass(frozen=True, config=STRICT)
class BaseSettings:
    """How a base drives, and the places that it knows.

    Args:
        name: the robot's name.
        speed: what it usually drives at, m/s.
        detour: how much longer than the straight line a drive may take.
        start_up: time that every drive may take besides, for planning and turning, seconds.
        tolerance: how far from a goal it may stand, metres.
        yaw_tolerance: how far its heading may be off, radians.
        approach: how far before a dock it lines up, metres.
        dock_tolerance: how far from a dock's pose it may stand, metres.
        carry_speed: what it drives at most at with a load, m/s.
        stop_limit: time within which a stop must be confirmed, seconds.
        landmarks: places by name.
    """

    name: str = "base"
    speed: PositiveFloat = 0.5
    detour: PositiveFloat = 3.0
    start_up: PositiveFloat = 10.0
    tolerance: PositiveFloat = 0.25
    yaw_tolerance: PositiveFloat = 0.35
    approach: PositiveFloat = 0.6
    dock_tolerance: PositiveFloat = 0.05
    carry_speed: PositiveFloat = 0.25
    stop_limit: PositiveFloat = fixed(2.0)
    landmarks: Mapping[str, Landmark] = field(default_factory=dict)

    def time_limit(self, start: Pose, goal: Pose, speed: float = math.inf) -> float:
        """Return the time that a drive between two poses may take.

        Args:
            start: first pose, map frame.
            goal: last pose, map frame.
            speed: upper bound below the usual speed, m/s.

        Returns:
            Seconds.
        """
        return self.start_up + self.detour * planar_distance(start.position, goal.position) / min(speed, self.speed)

    def miss(self, place: Landmark, seen: Optional[Pose]) -> str:
        """Describe how far an observed base is from its place.

        Args:
            place: where the base should stand.
            seen: its observed pose, map frame; ``None`` if unknown.

        Returns:
            A clause for a message; empty if the base is within the tolerances.
        """
        if seen is None:
            return "it is not known where it is"
        apart = planar_distance(seen.position, (place.x, place.y, 0.0))
        allowed = place.tolerance or self.tolerance
        if apart > allowed:
            return f"it is seen {apart:.2f} m away ({allowed:.2f} m are allowed)"
        turned = 0.0 if place.yaw is None else abs(math.remainder(seen.yaw - place.yaw, math.tau))
        allowed = place.yaw_tolerance or self.yaw_tolerance
        if turned > allowed:
            return f"its heading is seen {turned:.2f} rad off ({allowed:.2f} rad are allowed)"
        return ""


def load_base_settings(path: Union[str, Path], others: Sequence[str] = ()) -> BaseSettings:
    """Load the settings of a base; keys that the file leaves out keep their default.

    Args:
        path: the robot's YAML file.
        others: further keys that other readers of the file accept.

    Returns:
        The settings.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(path)
    return read_settings(BaseSettings, values, positions, required=("name", "landmarks"), others=others)
