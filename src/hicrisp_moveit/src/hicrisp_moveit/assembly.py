"""The parts of an arm behind MoveIt, put together from its settings."""

from __future__ import annotations

from typing import Optional

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.time.deadline import Deadline

from hicrisp_moveit.arm import Hardware, MoveItArm
from hicrisp_moveit.frames import Frames
from hicrisp_moveit.gripper_port import GripperParts
from hicrisp_moveit.grippers import make_drive
from hicrisp_moveit.hand import Hand
from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.limits import check_fingers, read_limits
from hicrisp_moveit.move_group import Commander, MoveGroup
from hicrisp_moveit.settings import ArmFile, FrankaSettings

_FINGER_STILL = 0.0005
"""Change of the opening below which the fingers count as standing, metres."""
_BEHAVIOUR_WAIT = 3.0


def make_arm(file: ArmFile, commander: Commander, wait: float) -> MoveItArm:
    """The arm that a robot's file describes.

    Args:
        commander: ``moveit_commander.MoveGroupCommander``.
        wait: longest wait for move_group, and then for the gripper, seconds of wall time.

    Raises:
        ConfigError: when move_group or the robot's description is not there or does not fit the settings.
    """
    settings, gripper = file.moveit, file.gripper
    group = MoveGroup(settings, commander, Deadline(wait))
    limits = read_limits(settings.robot_description, group.joints, settings.joint_acceleration)
    joints = JointWatch(settings.joint_states, group.joints, settings.joint_age, settings.still,
                        settings.still_time,
                        [joint for joint, limit in zip(group.joints, limits) if not limit.turns])
    fingers = JointWatch(settings.joint_states, gripper.fingers, settings.joint_age,
                         gripper.way(_FINGER_STILL), settings.still_time)
    check_fingers(gripper, settings.robot_description)
    hand = Hand(gripper, make_drive(GripperParts(gripper, settings, fingers, wait)), fingers)
    hardware = _franka(file.franka) if file.franka is not None else None
    return MoveItArm(file.name, settings, group, joints, Frames(settings, group.frame), hand, limits,
                     gripper.max_opening, hardware)


def _franka(settings: FrankaSettings) -> Optional[Hardware]:
    try:
        from hicrisp_moveit.hardware import FrankaHardware
    except ImportError as error:
        raise ConfigError("a robot file with the section 'franka' needs the package franka_msgs "
                          f"({error})") from error
    hardware = FrankaHardware(settings)
    refused = hardware.set_collision_behaviour(_BEHAVIOUR_WAIT)
    if refused:
        rospy.logwarn("the collision behaviour stays as franka_control was launched with: %s", refused)
    return hardware
