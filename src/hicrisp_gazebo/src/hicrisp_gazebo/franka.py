"""Whether an arm is simulated by ``franka_gazebo`` or by ``gazebo_ros_control`` alone, and what follows
from it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Sequence, Tuple

import rospkg
from hicrisp_core.errors import ConfigError, HicrispError

from hicrisp_gazebo.effort_control import for_effort_control

CHOICES = ("auto", "true", "false")
_ALWAYS = ("joint_state_controller", "effort_joint_trajectory_controller")
_FRANKA, _STOCK = ("franka_gripper", "franka_state_controller"), ("hand_controller",)
_XACRO_LIMIT = 60.0


def use_franka(choice: str) -> bool:
    """Check whether franka_gazebo is used.

    Args:
        choice: ``true``, ``false``, or ``auto`` for where it is installed.

    Returns:
        Whether it is.

    Raises:
        ConfigError: for another choice.
    """
    if choice not in CHOICES:
        raise ConfigError(f"franka is one of {', '.join(CHOICES)}, not '{choice}'")
    return choice == "true" or (choice == "auto" and "franka_gazebo" in rospkg.RosPack().list())


def controllers(choice: str) -> Tuple[str, ...]:
    """Return the controllers that are to be started.

    Args:
        choice: as for ``use_franka``.

    Returns:
        Their names.
    """
    return (*_ALWAYS, *(_FRANKA if use_franka(choice) else _STOCK))


def describe(source: str, prefix: str, choice: str, arguments: Sequence[str]) -> str:
    """The URDF of an arm for Gazebo, made by xacro.

    Args:
        source: ``PACKAGE/FILE`` of its xacro.
        prefix: with which the names of its joints begin.
        arguments: of xacro, such as ``xyz:=0 0 0``.

    Raises:
        ConfigError: when it cannot be made, with the reason.
    """
    package, _, file = source.partition("/")
    try:
        file = os.path.join(rospkg.RosPack().get_path(package), file)
        made = subprocess.run(["xacro", file, "gazebo:=true", "hand:=true", *arguments], capture_output=True,
                              text=True, timeout=_XACRO_LIMIT, check=True)
    except rospkg.ResourceNotFound as error:
        raise ConfigError(f"the package {error} is not installed; the arm's description comes "
                          "with it") from error
    except subprocess.CalledProcessError as error:
        raise ConfigError(f"xacro failed: {error.stderr.strip()}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"xacro cannot be run: {error}") from error
    return made.stdout if use_franka(choice) else for_effort_control(made.stdout, prefix)


def describe_main(arguments: Sequence[str]) -> int:
    """Print the URDF: ``arm_description XACRO PREFIX auto|true|false [xacro arguments]``; the exit status."""
    if len(arguments) < 4:
        sys.stderr.write("usage: arm_description PACKAGE/FILE.urdf.xacro PREFIX auto|true|false "
                         "[NAME:=VALUE ...]\n")
        return 2
    try:
        source, prefix, choice = arguments[1:4]
        sys.stdout.write(describe(source, prefix, choice, arguments[4:]))
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def spawn_main(arguments: Sequence[str]) -> int:
    """Become controller_manager's spawner: ``arm_controllers auto|true|false``; an exit status where
    that fails.
    """
    try:
        names = controllers(arguments[1] if len(arguments) > 1 else "auto")
        renamed = [argument
                   for argument in arguments if ":=" in argument]  # The node's name and log, from roslaunch.
        os.execvp("rosrun", ["rosrun", "controller_manager", "spawner", *names, *renamed])
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
