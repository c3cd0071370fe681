"""What the robot's description and MoveIt's parameters say of the joints' limits."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Sequence, Tuple

import rospy
from hicrisp_core.errors import ConfigError

from hicrisp_moveit.settings import GripperSettings, opening_wanted


@dataclass(frozen=True)
class JointLimits:
    """The limits of one joint: radians, rad/s and rad/s^2; infinite where it has none."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    acceleration: float = math.inf

    @property
    def turns(self) -> bool:
        """Whether the joint is continuous: a full turn brings it to the same place."""
        return math.isinf(self.lower) and math.isinf(self.upper)


def read_limits(description: str, joints: Sequence[str], acceleration: float) -> Tuple[JointLimits, ...]:
    """Read the limits of joints from the parameter with the URDF and MoveIt's ``<description>_planning/joint_limits``.

    Args:
        acceleration: limit of the joints that have none in the parameters, rad/s^2.

    Raises:
        ConfigError: if the parameter is no URDF, or its robot lacks a joint.
    """
    urdf = _urdf_limits(description)
    planned: Mapping[str, Mapping[str, Any]] = rospy.get_param(f"{description}_planning/joint_limits", {})
    missing = [joint for joint in joints if joint not in urdf]
    if missing:
        raise ConfigError(f"the robot in {description} has no joint '{missing[0]}'; it has: "
                          f"{', '.join(sorted(urdf))}")
    found = []
    for joint in joints:
        lower, upper, velocity = urdf[joint]
        entry = planned.get(joint, {})
        if entry.get("has_position_limits"):
            lower, upper = float(entry.get("min_position", lower)), float(entry.get("max_position", upper))
        if entry.get("has_velocity_limits"):
            velocity = min(velocity, float(entry.get("max_velocity", velocity)))
        limited = entry.get("has_acceleration_limits") and float(entry.get("max_acceleration", 0.0)) > 0.0
        found.append(JointLimits(lower, upper, velocity,
                                 float(entry["max_acceleration"]) if limited else acceleration))
    return tuple(found)


def check_fingers(gripper: GripperSettings, description: str) -> None:
    """Refuse fingers that turn and whose opening the robot's file does not say.

    Args:
        description: parameter with the URDF.

    Raises:
        ConfigError: with what to write; also when the parameter is no URDF.
    """
    turning = [str(joint.get("name")) for joint in _urdf(description).iter("joint")
               if joint.get("type") in ("revolute", "continuous") and joint.get("name") in gripper.fingers]
    if turning and not gripper.opening:
        raise ConfigError(f"gripper: {opening_wanted(turning)}")


def _urdf(description: str) -> ElementTree.Element:
    text = rospy.get_param(description, None)
    if not isinstance(text, str):
        raise ConfigError(f"the parameter {description} holds no URDF; is the robot's launch file running?")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ConfigError(f"the parameter {description} is no URDF: {error}") from error


def _urdf_limits(description: str) -> Dict[str, Tuple[float, float, float]]:
    """Joint name to its lower and upper limit and its speed, for the joints that move."""
    found = {}
    for joint in _urdf(description).iter("joint"):
        if joint.get("type") not in ("revolute", "prismatic", "continuous"):
            continue
        limit = joint.find("limit")
        attributes = limit.attrib if limit is not None else {}
        turns = joint.get("type") == "continuous"
        found[str(joint.get("name"))] = (
            -math.inf if turns else float(attributes.get("lower", -math.inf)),
            math.inf if turns else float(attributes.get("upper", math.inf)),
            float(attributes.get("velocity", math.inf)))
    return found
