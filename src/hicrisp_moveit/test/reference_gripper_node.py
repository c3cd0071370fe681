#!/usr/bin/env python3
"""The reference franka_gripper as a node, at ``/franka_gripper``: ``~powered_off`` says that it must be homed first."""

from __future__ import annotations

import sys
from pathlib import Path

import rospy

sys.path.insert(0, str(Path(__file__).resolve().parent / "reference"))
import moveit_commander  # noqa: E402, F401 - makes the interfaces
from reference_franka import ReferenceGripper  # noqa: E402


def main() -> None:
    """Run the node."""
    rospy.init_node("franka_gripper")
    gripper = ReferenceGripper("/franka_gripper")
    gripper.powered_off = bool(rospy.get_param("~powered_off", False))
    rospy.spin()


if __name__ == "__main__":
    main()
