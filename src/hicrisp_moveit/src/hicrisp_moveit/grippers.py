"""The kinds of grippers that a robot's file can name, and the choice among them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Optional

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.time.deadline import Deadline

from hicrisp_moveit.gripper_port import Drive, GripperKind, GripperParts
from hicrisp_moveit.settings import GripperSettings

_LOOK_PERIOD, _ALONE = 0.1, 1.0
"""Between two looks at what grippers there are, and how long one of two kinds is alone before it counts,
seconds.
"""


def _served(settings: GripperSettings, deadline: Deadline) -> GripperSettings:
    """The settings with the kind that is served in the namespace of the actions.

    Franka's own actions go first: its hand takes every closing by GripperCommand for a grasp, and what it
    grasped so slipped out.

    Raises:
        ConfigError: when neither kind is served in time.
    """
    alone: Optional[Deadline] = None
    while not deadline.passed and not rospy.is_shutdown():
        topics = {name for name, _ in rospy.get_published_topics()}
        if f"{settings.action}/grasp/status" in topics:
            return replace(settings, kind="franka")
        if f"{settings.action}/gripper_action/status" in topics:
            alone = alone or Deadline(_ALONE)
            if alone.passed:
                return replace(settings, kind="gripper_command", action=f"{settings.action}/gripper_action")
        time.sleep(_LOOK_PERIOD)
    raise ConfigError(f"there is no gripper in '{settings.action}': neither its action grasp nor "
                      "gripper_action is served")


def make_drive(parts: GripperParts) -> Drive:
    """The drive that the settings name.

    Raises:
        ConfigError: for an unknown kind, when its messages are not installed, or when its gripper is not
            there.
    """
    name = parts.settings.kind
    kind: GripperKind = extensions().grippers.get(name)
    try:
        return kind.make(parts)
    except ImportError as error:
        raise ConfigError(f"the gripper '{name}' needs {kind.needs or 'more'} ({error})") from error


def _franka(parts: GripperParts) -> Drive:
    from hicrisp_moveit.gripper_franka import FrankaDrive  # its messages are not installed everywhere

    return FrankaDrive(parts.settings)


def _command(parts: GripperParts) -> Drive:
    from hicrisp_moveit.gripper_command import CommandDrive

    return CommandDrive(parts.settings)


def _group(parts: GripperParts) -> Drive:
    from hicrisp_moveit.gripper_group import GroupDrive

    return GroupDrive(parts.settings, parts.moveit, parts.fingers)


def _auto(parts: GripperParts) -> Drive:
    return make_drive(replace(parts, settings=_served(parts.settings, Deadline(parts.wait))))


COMMAND = GripperKind(_command)
FRANKA = GripperKind(_franka, needs="the package franka_gripper")
GROUP = GripperKind(_group)
AUTO = GripperKind(_auto)
