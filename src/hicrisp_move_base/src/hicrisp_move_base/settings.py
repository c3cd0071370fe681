"""Names, frames and limits by which a running move_base is met; the section ``move_base`` of a robot's file."""

from __future__ import annotations

from pathlib import Path
from typing import Union

from hicrisp_core.config.settings import STRICT, fixed, read_settings
from hicrisp_core.config.yaml_files import read_yaml
from hicrisp_core.ports.kinds import Driver
from hicrisp_core.robot.description import SECTION as BODY
from hicrisp_core.robot.landmarks import load_base_settings
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat
from pydantic.dataclasses import dataclass

SECTION = "move_base"


@dataclass(frozen=True, config=STRICT)
class MoveBaseSettings:
    """How to talk to one move_base. Names are relative to the node's namespace unless they begin with a slash.

    Args:
        action: the action, under which move_base also offers its services.
        odometry: topic with ``nav_msgs/Odometry``.
        scan: topic with the ``sensor_msgs/LaserScan`` of the lidar without which nothing may drive; empty
            where none is to be watched.
        map: topic with the ``nav_msgs/OccupancyGrid`` of the map.
        keep_out: topic on which ground to keep out of is published as a grid like the map, for a second
            static layer of the costmaps; empty where they have none: then a path that leads over it is refused.
        deceleration: with which the base stops at least, m/s2.
        cmd_vel: topic on which zero velocity is published to stop; empty to leave that to move_base alone.
        map_frame: the frame of the goals.
        base_frame: the frame of the base's middle.
        planner: the local planner's name under the action, for example ``DWAPlannerROS``, where it can be
            told by dynamic_reconfigure how to drive; empty where it cannot.
        speed_parameters: its parameters for the greatest speed, with spaces between; those that it has are set.
        tolerance_parameters: its parameters for the distance from a goal, likewise.
        plan_tolerance: how far from a goal the path that is asked for beforehand may end, metres.
        service_wait: longest wait for an answer of one of move_base's services, seconds.
        refill: time in which cleared costmaps are filled again by the map and the sensors, seconds of ROS
            time; above 1 / update_frequency of the costmaps.
        server_wait: longest wait for the action's server, seconds.
        return_limit: longest wait for a move_base that went away under a command and may be started again, seconds.
        retries: how often a goal that was aborted is sent again, after the costmaps were cleared.
        pose_age: age from which on the pose of the base counts as unknown, seconds.
        odometry_age: time without odometry after which the base is lost, seconds.
        scan_age: time without a current scan after which the base is stopped, seconds.
        scan_lag: how far a current scan's stamp may be behind the odometry's when it arrives, seconds of ROS time.
        status_age: time without a status of the server after which it is lost, seconds.
        jump: a way between two odometry messages, beyond what was driven, that cannot be true, metres.
        still_speed: speed below which the base counts as standing, m/s.
        still_turn: speed of turning below which it does, rad/s.
        still_time: for how long both must hold, seconds.
        stop_limit: time within which a stop must be confirmed, seconds.
    """

    action: str = "/move_base"
    odometry: str = "/odom"
    scan: str = ""
    map: str = "/map"
    keep_out: str = "/keep_out"
    deceleration: PositiveFloat = 0.5
    cmd_vel: str = ""
    map_frame: str = "map"
    base_frame: str = "base_link"
    planner: str = ""
    speed_parameters: str = fixed("max_vel_x max_vel_trans")
    tolerance_parameters: str = fixed("xy_goal_tolerance")
    plan_tolerance: NonNegativeFloat = fixed(0.1)
    service_wait: NonNegativeFloat = fixed(2.0)
    refill: NonNegativeFloat = 1.2
    server_wait: NonNegativeFloat = fixed(5.0)
    return_limit: NonNegativeFloat = 30.0
    retries: NonNegativeInt = 1
    pose_age: NonNegativeFloat = 1.0
    odometry_age: NonNegativeFloat = 1.0
    scan_age: NonNegativeFloat = fixed(2.0)
    scan_lag: NonNegativeFloat = fixed(1.0)
    status_age: NonNegativeFloat = fixed(2.0)
    jump: NonNegativeFloat = 0.5
    still_speed: NonNegativeFloat = 0.02
    still_turn: NonNegativeFloat = fixed(0.05)
    still_time: NonNegativeFloat = fixed(0.2)
    stop_limit: NonNegativeFloat = fixed(2.0)


def load_move_base_settings(path: Union[str, Path]) -> MoveBaseSettings:
    """Load the section ``move_base`` of a robot's file; what it leaves out keeps its default.

    Args:
        path: the file.

    Returns:
        The settings.

    Raises:
        ConfigError: with file, line, key and what is valid.
    """
    values, positions = read_yaml(path)
    return read_settings(MoveBaseSettings, values.get(SECTION, {}), positions, (SECTION,))


DRIVER = Driver(lambda path: (load_base_settings(path, (SECTION, BODY)), load_move_base_settings(path)))
