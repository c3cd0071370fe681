"""What can be set about the embedded arm: speed, force, margins; the section ``embedded_arm`` of a robot's
file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Tuple, Type, TypeVar, Union

from annotated_types import Gt, Le
from hicrisp_core.config.settings import STRICT, Part, read_settings
from hicrisp_core.config.yaml_lines import read_yaml
from hicrisp_core.ports.kinds import Driver
from hicrisp_core.robot.description import SECTION as BODY
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

SECTION = "embedded_arm"
_Settings = TypeVar("_Settings")
_Quantity = Annotated[float, Gt(0.0), Le(1000.0)]


@dataclass(frozen=True, config=STRICT)
class ArmSettings:
    """Settings of the embedded arm.

    Args:
        name: the robot's name.
        rest: joint positions of the posture of rest, rad.
        speed: factor on the joint speed limits, above 0 and at most 1.
        acceleration: factor on the joint acceleration limits, above 0 and at most 1.
        margin: space that motions keep to things, metres.
        contact_force: force on the tool that ends a guarded motion, newtons.
        contact_torque: torque on a joint that ends any motion, Nm.
        finger_speed: opening and closing speed between the fingers, m/s.
        search_time: longest search for a path, wall seconds.
    """

    name: str
    rest: Tuple[float, float, float, float, float, float, float] = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571,
                                                                    0.785)
    speed: Part = 0.5
    acceleration: Part = 0.35
    margin: _Quantity = 0.005
    contact_force: _Quantity = 6.0
    contact_torque: _Quantity = 25.0
    finger_speed: _Quantity = 0.15
    search_time: _Quantity = 2.0


@dataclass(frozen=True, config=STRICT)
class _Named:
    """What a robot's file says besides its sections."""

    name: str


def load_settings(path: Union[str, Path]) -> ArmSettings:
    """The embedded arm's settings of a robot's file; what it leaves out keeps its default.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    return read_section(ArmSettings, path, SECTION)


def read_section(kind: Type[_Settings], path: Union[str, Path], section: str) -> _Settings:
    """The settings of one section of a robot's file, with the robot's name.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(path)
    named = read_settings(_Named, values, positions, others=(section, BODY))
    told: Any = values.get(section, {})
    found: Dict[str, Any] = {"name": named.name, **told} if isinstance(told, dict) else told
    return read_settings(kind, found, positions, (section,))


DRIVER = Driver(load_settings)
