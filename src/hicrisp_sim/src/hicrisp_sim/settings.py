"""What can be set about the embedded arm: speed, force, margins; the section ``embedded_arm`` of a robot's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Tuple, Type, TypeVar, Union

from annotated_types import Gt, Le
from hicrisp_core.config.settings import STRICT, Part, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.ports.kinds import Driver
from hicrisp_core.robot.description import SECTION as BODY
from pydantic import NonNegativeFloat, NonNegativeInt
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

SECTION = "embedded_arm"
_Settings = TypeVar("_Settings")
_Quantity = Annotated[float, Gt(0.0), Le(1000.0)]
QUIET = 0.005
"""Speed of an object that counts as standing, m/s."""
REST = 0.4
"""Longest wait for an arm to stand, seconds of its clock."""


@dataclass(frozen=True, config=STRICT)
class ArmModel:
    """What an arm is made of: its URDF, and what a URDF does not say. The tool, the fingers' links and their
    opening are those of the robot's body.

    Args:
        folder: of the description: absolute, beside the robot's file, or below where Python packages are.
        urdf: file in the folder.
        srdf: file in the folder with the pairs of links that never collide.
        meshes: folder in the folder, of the meshes with which it collides.
        joints: of the arm, from the stand to the hand.
        fingers: the joints of the two fingers.
        hand: the link that carries the fingers and what is grasped.
        stand: the links near the stand, which keep clear of what the hand may touch.
        velocity: speed limit of each joint, rad/s.
        acceleration: limit of each joint, rad/s2.
        effort: torque limit of each joint, Nm.
        stiffness: of each joint's controller, Nm/rad.
        damping_time: damping over stiffness of these controllers, s.
        grip: greatest force of a finger, newtons.
        pad: which of a finger's collision shapes is its rubber tip, counted from 0.
        dark: links that pictures show dark, as they do the hand.
    """

    folder: str
    urdf: str
    srdf: str
    meshes: str
    joints: Tuple[str, ...]
    fingers: Tuple[str, str]
    hand: str
    stand: Tuple[str, ...]
    velocity: Tuple[_Quantity, ...]
    acceleration: Tuple[_Quantity, ...]
    effort: Tuple[_Quantity, ...]
    stiffness: Tuple[Annotated[float, Gt(0.0)], ...]
    damping_time: _Quantity = fixed(0.1)
    grip: _Quantity = 70.0
    pad: NonNegativeInt = 0
    dark: Tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key in ("velocity", "acceleration", "effort", "stiffness"):
            if len(getattr(self, key)) != len(self.joints):
                raise ValueError(f"{key} has {len(getattr(self, key))} values for {len(self.joints)} joints")


@dataclass(frozen=True, config=STRICT)
class ArmSettings:
    """Settings of the embedded arm.

    Args:
        name: the robot's name.
        model: what it is made of.
        rest: joint positions of the posture of rest, rad.
        speed: factor on the joint speed limits, above 0 and at most 1.
        acceleration: factor on the joint acceleration limits, above 0 and at most 1.
        margin: space that motions keep to objects, metres.
        contact_force: force on the tool that ends a guarded motion, newtons.
        contact_torque: torque on a joint that ends any motion, Nm.
        finger_speed: opening and closing speed between the fingers, m/s.
        search_time: longest search for a path, seconds of processor time.
        dexterity: least singular value of the Jacobian (m and rad) in a posture that is a goal: an arm whose elbow is
            not controlled passes through the singular posture that is beyond.
        tool_speed: of the tool along an axis of the world, on any way, m/s; 0 where only its joints limit it.
        tool_acceleration: the same, and along straight lines, m/s2.
        creep: speed at which what it holds counts as standing, m/s.
        rest_time: longest wait for the arm to stand at the end of a motion, seconds of its clock.
    """

    name: str
    model: ArmModel
    rest: Tuple[float, ...]
    speed: Part = 0.5
    acceleration: Part = 0.35
    margin: _Quantity = fixed(0.005)
    contact_force: _Quantity = fixed(6.0)
    contact_torque: _Quantity = fixed(25.0)
    finger_speed: _Quantity = fixed(0.15)
    search_time: _Quantity = fixed(2.0)
    dexterity: NonNegativeFloat = fixed(0.0)
    tool_speed: NonNegativeFloat = fixed(0.0)
    tool_acceleration: _Quantity = fixed(0.8)
    creep: _Quantity = fixed(QUIET)
    rest_time: NonNegativeFloat = fixed(REST)

    def __post_init__(self) -> None:
        if len(self.rest) != len(self.model.joints):
            raise ValueError(f"rest has {len(self.rest)} values for {len(self.model.joints)} joints")


@dataclass(frozen=True, config=STRICT)
class _Named:
    """What a robot's file says besides its sections."""

    name: str


def load_settings(path: Union[str, Path]) -> ArmSettings:
    """Load the embedded arm's settings; keys that the file leaves out keep their default.

    Args:
        path: the robot's YAML file.

    Returns:
        The settings.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    return read_section(ArmSettings, path, SECTION)


def read_section(kind: Type[_Settings], path: Union[str, Path], section: str) -> _Settings:
    """Read one section of a robot's file, with the robot's name.

    Args:
        kind: class of the settings.
        path: the robot's YAML file.
        section: key of the section.

    Returns:
        The settings.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(path)
    named = read_settings(_Named, values, positions, others=(section, BODY))
    told: Any = values.get(section, {})
    found: Dict[str, Any] = {"name": named.name, **told} if isinstance(told, dict) else told
    return read_settings(kind, found, positions, (section,))


DRIVER = Driver(load_settings)
