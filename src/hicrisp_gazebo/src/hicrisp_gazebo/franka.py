"""An arm's description and controllers for Gazebo: with franka_gazebo, or made ready for gazebo_ros_control alone."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Sequence, Tuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import rospkg
from hicrisp_core.errors import ConfigError, command_line

from hicrisp_gazebo.sdf import add, surface_of
from hicrisp_gazebo.surface import FINGER

CHOICES = ("auto", "true", "false")
_ALWAYS = ("joint_state_controller", "effort_joint_trajectory_controller")
_FRANKA, _STOCK = ("franka_gripper", "franka_state_controller"), ("hand_controller",)
_XACRO_LIMIT = 60.0
_CONTROL = "libgazebo_ros_control.so"
_INTERFACE = "hardware_interface/EffortJointInterface"
_CONTACTS = 10
"""Contacts of a finger with one object, at most: ODE's cost grows with them."""
_DAMPING = 0.1
"""Of the fingers' joints, N s/m, at least: without it they tremble on what they hold."""


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


@command_line
def describe_main(arguments: Sequence[str]) -> int:
    """Print the URDF: ``arm_description XACRO PREFIX auto|true|false [xacro arguments]``; the exit status."""
    if len(arguments) < 4:
        sys.stderr.write("usage: arm_description PACKAGE/FILE.urdf.xacro PREFIX auto|true|false "
                         "[NAME:=VALUE ...]\n")
        return 2
    source, prefix, choice = arguments[1:4]
    sys.stdout.write(describe(source, prefix, choice, arguments[4:]))
    return 0


@command_line
def spawn_main(arguments: Sequence[str]) -> int:
    """Become controller_manager's spawner: ``arm_controllers auto|true|false``; an exit status where
    that fails.
    """
    names = controllers(arguments[1] if len(arguments) > 1 else "auto")
    renamed = [argument for argument in arguments if ":=" in argument]  # The node's name and log, from roslaunch.
    os.execvp("rosrun", ["rosrun", "controller_manager", "spawner", *names, *renamed])


def for_effort_control(urdf: str, prefix: str) -> str:
    """The text of a URDF made ready for the stock hardware interface.

    Franka's transmissions and plugin are taken out, each joint that moves gets an effort interface, gravity
    does not pull at the links (the real arm compensates it), and the fingers get a surface that holds a
    grasp. The second finger mimics the first no longer: Gazebo ignores that, and a controller drives both.

    Args:
        prefix: with which the names of the arm's joints begin.

    Raises:
        ConfigError: when the text is no URDF of that arm.
    """
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError as error:
        raise ConfigError(f"the robot's description is no XML: {error}") from error
    moving = [joint for joint in robot.findall("joint")
              if joint.get("type") in ("revolute", "prismatic", "continuous")]
    if not any(str(joint.get("name")).startswith(prefix) for joint in moving):
        raise ConfigError(f"the robot's description has no joints whose names begin with '{prefix}'")
    for joint in moving:
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    for element in [*robot.findall("transmission"), *robot.findall("gazebo")]:
        robot.remove(element)
    for joint in moving:
        _add_transmission(robot, str(joint.get("name")))
        if joint.get("type") == "prismatic":
            dynamics = joint.find("dynamics")
            if dynamics is None:
                dynamics = add(joint, "dynamics")
            dynamics.set("damping", f"{max(_DAMPING, float(dynamics.get('damping', 0.0))):g}")
    # All of them: fixed ones are made one, and a single one with gravity wins.
    for link in robot.findall("link"):
        add(robot, "gazebo", {"turnGravityOff": "true"}, reference=str(link.get("name")))
    for finger in [joint.find("child") for joint in moving if joint.get("type") == "prismatic"]:
        if finger is not None:
            add(robot, "gazebo", {"collision": {"max_contacts": str(_CONTACTS), "surface": surface_of(FINGER)}},
                reference=str(finger.get("link")))
    add(add(robot, "gazebo"), "plugin", {
        "robotNamespace": "/", "robotSimType": "gazebo_ros_control/DefaultRobotHWSim"},
        name="control", filename=_CONTROL)
    return ElementTree.tostring(robot, encoding="unicode")


def _add_transmission(robot: Element, joint: str) -> None:
    transmission = add(robot, "transmission", {"type": "transmission_interface/SimpleTransmission"},
                       name=f"{joint}_transmission")
    add(transmission, "joint", {"hardwareInterface": _INTERFACE}, name=joint)
    add(transmission, "actuator", {"hardwareInterface": _INTERFACE, "mechanicalReduction": "1"}, name=f"{joint}_motor")
