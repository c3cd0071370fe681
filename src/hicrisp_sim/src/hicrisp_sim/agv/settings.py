"""What can be set about the embedded base: speeds, lidar, costmap, patience; the section ``embedded_base`` of
a robot's file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Union

from annotated_types import Ge, Gt, Lt
from hicrisp_core.config.settings import STRICT, fixed
from hicrisp_core.ports.kinds import Driver
from hicrisp_core.robot.landmarks import BaseSettings
from pydantic import PositiveInt
from pydantic.dataclasses import dataclass
from typing_extensions import Annotated

from hicrisp_sim.settings import read_section

SECTION = "embedded_base"
_AboveZero = Annotated[float, Gt(0.0), Lt(1e4)]
_FromZero = Annotated[float, Ge(0.0), Lt(1e4)]


@dataclass(frozen=True, config=STRICT)
class AgvSettings:
    """Settings of the embedded base; metres, radians and seconds of the simulated clock.

    Args:
        name: the robot's name.
        speed: greatest forward speed, m/s.
        turn_speed: greatest speed of turning, rad/s.
        acceleration: m/s2.
        turn_acceleration: rad/s2.
        xy_tolerance: how far from a goal counts as there.
        yaw_tolerance: how far a heading may be off at the goal.
        margin: space kept between the footprint and anything seen.
        inflation: distance from objects beyond which nothing is dearer.
        resolution: edge of a costmap cell; it is larger where the arena would have more than a million.
        rays: rays of one scan.
        scan_rate: scans a second.
        range: farthest that the lidar sees.
        range_noise: standard deviation of a range.
        lidar_height: height of the plane that the lidar sees.
        scan_timeout: age of the latest scan at which the base stops.
        control_rate: commands to the wheels a second.
        plan_rate: plans a second while driving.
        planner_patience: time without a plan before the next recovery behaviour.
        controller_patience: time without progress before the next recovery behaviour.
    """

    name: str
    speed: _AboveZero = 0.5
    turn_speed: _AboveZero = 1.6
    acceleration: _AboveZero = 0.8
    turn_acceleration: _AboveZero = 4.0
    xy_tolerance: _AboveZero = 0.04
    yaw_tolerance: _AboveZero = fixed(0.06)
    margin: _FromZero = fixed(0.02)
    inflation: _AboveZero = fixed(0.40)
    resolution: _AboveZero = fixed(0.02)
    rays: PositiveInt = fixed(360)
    scan_rate: _AboveZero = fixed(10.0)
    range: _AboveZero = fixed(6.0)
    range_noise: _FromZero = fixed(0.004)
    lidar_height: _AboveZero = fixed(0.22)
    scan_timeout: _AboveZero = fixed(0.5)
    control_rate: _AboveZero = fixed(25.0)
    plan_rate: _AboveZero = fixed(2.0)
    planner_patience: _AboveZero = fixed(1.5)
    controller_patience: _AboveZero = fixed(4.0)

    def port_settings(self) -> BaseSettings:
        """Return the settings of the robot port; a drive through narrow passages gets a minute more than its
        distance needs.

        Returns:
            The settings.
        """
        return BaseSettings(self.name, speed=self.speed, start_up=60.0, tolerance=0.08, yaw_tolerance=0.15,
                            approach=0.45)


def load_agv_settings(path: Union[str, Path]) -> AgvSettings:
    """Load the embedded base's settings; keys that the file leaves out keep their default.

    Args:
        path: the robot's YAML file.

    Returns:
        The settings.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    return read_section(AgvSettings, path, SECTION)


DRIVER = Driver(load_agv_settings)
