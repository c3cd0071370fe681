"""What keeps a robot safe whoever commands it: limits of a command, of an arm's tool, and the zones of a base."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Dict, Iterable, Optional, Sequence, Union

from pydantic.dataclasses import dataclass

from hicrisp_core.config.files import config_folders
from hicrisp_core.config.settings import STRICT, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.model import CauseKind, Command, KeepOut, Outcome, Pose, Status, Vector
from hicrisp_core.model.keep_out import space_to
from hicrisp_core.ports.robot import Constraints, MotionFailure


@dataclass(frozen=True, config=STRICT)
class SafetyLimits:
    """A box that the goals of the tool must lie in, metres in the frame of the arm's base.

    Args:
        low: its lowest corner.
        high: its highest corner.
        base: where the arm stands, world frame.
    """

    low: Vector
    high: Vector
    base: Pose = fixed(Pose((0.0, 0.0, 0.0)))

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
        local = self.base.seen(position)
        return all(low <= value <= high for low, value, high in zip(self.low, local, self.high))

    def refusal(self, goal: Pose) -> Optional[MotionFailure]:
        """Return why the tool must not be sent to a pose.

        Args:
            goal: tool pose, world frame.

        Returns:
            The failure with the box and the goal; ``None`` if the pose is allowed.
        """
        if self.hold(goal.position):
            return None
        box = ", ".join(f"{axis} {low:g} to {high:g} m" for axis, low, high in zip("xyz", self.low, self.high))
        place = ", ".join(f"{value:.3f}" for value in self.base.seen(goal.position))
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


LONGEST = 24.0 * 3600.0
"""Upper bound of every command's time limit, seconds."""


def invalid_outcome(command: Command) -> Optional[Outcome]:
    """Check the limits and constraints of a command; the skills check its goals.

    Args:
        command: the action with its arguments and constraints.

    Returns:
        INVALID if a number is out of range or not finite, so that it would restrict nothing; ``None`` otherwise.
    """
    numbers: Dict[str, Iterable[float]] = {
        "time_limit": (command.time_limit,), "apart": (command.apart,), "look_within": (command.look_within,),
        "avoid": [value for spot in command.avoid for value in spot],
        **_of(Constraints(command.keep_out, command.clearance))}
    return _refusal(numbers)


def unsound_constraints(constraints: Constraints) -> Optional[Outcome]:
    """Check the constraints of a trajectory.

    Args:
        constraints: keep-out zones and clearance, metres in the world frame.

    Returns:
        INVALID if a number is out of range or not finite; ``None`` otherwise.
    """
    return _refusal(_of(constraints))


def _of(constraints: Constraints) -> Dict[str, Iterable[float]]:
    return {"clearance": (constraints.clearance,),
            "keep_out": [value for each in constraints.keep_out for spot in each.corners for value in spot],
            "keep_out's radius": [each.radius for each in constraints.keep_out]}


_AT_LEAST_0 = ("apart", "look_within", "clearance", "keep_out's radius")


def _refusal(numbers: Dict[str, Iterable[float]]) -> Optional[Outcome]:
    for name, values in numbers.items():
        for value in values:
            if math.isfinite(value) and (value >= 0.0 or name not in _AT_LEAST_0):
                continue
            wanted = "at least 0" if name in _AT_LEAST_0 else "finite"
            return Outcome.because(
                CauseKind.MALFORMED, Status.INVALID,
                f"the command's {name} must be {wanted}, not {value:g}: it would hold nothing back", name)
    return None


_STEPS = 4
_SLACK = 0.002
"""Metres by which a base that is over a shape already may seem to come farther over it."""


class ZoneGuard:
    """Looks ahead as far as the base needs to stop. One that stands over a zone already may leave it.

    Args:
        radius: of the base's round footprint, metres.
        deceleration: with which it stops at least, m/s2.
        delay: from the look to the brakes, seconds.
    """

    def __init__(
        self, keep_outs: Sequence[KeepOut], radius: float, deceleration: float = 0.5, delay: float = 0.05
    ) -> None:
        self._keep_outs = tuple(keep_outs)
        self._radius = radius
        self._deceleration = deceleration
        self._delay = delay
        self._allowed: Dict[KeepOut, float] = {}

    def ahead(self, pose: Pose, speed: float, turn: float = 0.0) -> Optional[KeepOut]:
        """Return the zone that the base would enter if it braked now.

        Args:
            pose: of the base, map frame.
            speed: forward, m/s.
            turn: yaw rate, rad/s, left is positive.

        Returns:
            The zone; ``None`` if the stopping path is free.
        """
        x, y, _ = pose.position
        for each in self._keep_outs:
            if each not in self._allowed:
                self._allowed[each] = min(0.0, space_to(each, (x, y), self._radius) - _SLACK)
        reach = speed * self._delay + math.copysign(speed * speed / (2.0 * self._deceleration), speed)
        yaw, bend = pose.yaw, turn / speed if abs(speed) > 1e-3 else 0.0
        for _ in range(_STEPS):
            yaw += bend * reach / _STEPS
            x, y = x + reach / _STEPS * math.cos(yaw), y + reach / _STEPS * math.sin(yaw)
            for each in self._keep_outs:
                if space_to(each, (x, y), self._radius) < self._allowed[each]:
                    return each
        return None
