"""Gazebo's own messages, which only an installed Gazebo brings."""

from __future__ import annotations

from typing import Any

from hicrisp_core.errors import ConfigError


def gazebo_msgs() -> Any:
    """The modules ``msg`` and ``srv`` of Gazebo's messages.

    Raises:
        ConfigError: where they are not installed, with what brings them.
    """
    try:
        import gazebo_msgs.msg
        import gazebo_msgs.srv
    except ImportError as error:
        raise ConfigError("the package gazebo_msgs is not installed; it comes with gazebo_ros_pkgs (Noetic: "
                          "ros-noetic-gazebo-ros-pkgs), where that is built") from error
    return gazebo_msgs
