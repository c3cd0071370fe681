"""``moveit_commander`` for the tests: the methods that the driver uses, over the reference move_group's
services.

It repeats what the real one does wrong: it takes any planner and frame, and raises like C++ code wrapped for
Python.
"""

from __future__ import annotations

import math
import time
from typing import Any, List, Optional, Sequence, Tuple

import rospy
from geometry_msgs.msg import Pose
from hicrisp_reference.srv import Plan, PlanRequest
from moveit_msgs.msg import MoveItErrorCodes, RobotTrajectory

GROUPS = ("panda_arm", "panda_manipulator", "panda_hand")


def roscpp_initialize(_: Sequence[str]) -> None:
    """The reference has no C++ side."""


class MoveItCommanderException(Exception):
    """As the real one's."""


class MoveGroupCommander:
    """Plans for one group."""

    def __init__(self, name: str, robot_description: str = "robot_description", ns: str = "",
                 wait_for_servers: float = 5.0) -> None:
        if name not in GROUPS:
            raise RuntimeError(f"Group '{name}' was not found.")
        if not rospy.has_param(robot_description):
            raise RuntimeError("Unable to construct robot model. Please make sure all needed information is "
                               "on the parameter server.")
        self._name, self._service = name, f"{ns.rstrip('/')}/reference/plan"
        try:
            rospy.wait_for_service(self._service, wait_for_servers)
        except rospy.ROSException:
            raise RuntimeError("Unable to connect to move_group action server 'move_group' within allotted "
                               f"time ({wait_for_servers:g}s)") from None
        self._request = PlanRequest(group=name, planning_time=5.0, velocity=0.1, acceleration=0.1)
        self._frame = "world"

    def get_active_joints(self) -> List[str]:
        return [f"panda_joint{number}" for number in range(1, 8)]

    def get_planning_frame(self) -> str:
        return "world"

    def set_pose_reference_frame(self, frame: str) -> None:
        self._frame = frame

    def set_planner_id(self, planner: str) -> None:
        self._request.planner = planner

    def set_planning_time(self, seconds: float) -> None:
        self._request.planning_time = seconds

    def set_num_planning_attempts(self, attempts: int) -> None:
        del attempts

    def set_goal_position_tolerance(self, metres: float) -> None:
        del metres

    def set_goal_orientation_tolerance(self, radians: float) -> None:
        del radians

    def set_max_velocity_scaling_factor(self, factor: float) -> None:
        self._request.velocity = self._factor(factor)

    def set_max_acceleration_scaling_factor(self, factor: float) -> None:
        self._request.acceleration = self._factor(factor)

    def set_start_state_to_current_state(self) -> None:
        """Its default, too."""

    def clear_pose_targets(self) -> None:
        self._request.pose = []

    def set_pose_target(self, pose: Pose, end_effector_link: str = "") -> None:
        del end_effector_link
        self._request.pose, self._request.joints = [pose], []

    def set_joint_value_target(self, joints: Sequence[float]) -> None:
        if any(abs(value) > math.pi for value in joints):
            raise MoveItCommanderException("Error setting joint target. Is the target within bounds?")
        self._request.pose, self._request.joints = [], list(joints)

    def plan(self) -> Tuple[bool, RobotTrajectory, float, MoveItErrorCodes]:
        began = time.monotonic()
        answer: Optional[Any] = rospy.ServiceProxy(self._service, Plan)(self._request)
        assert answer is not None
        return answer.error_code.val == 1, answer.trajectory, time.monotonic() - began, answer.error_code

    @staticmethod
    def _factor(factor: float) -> float:
        if not 0.0 < factor <= 1.0:
            raise MoveItCommanderException("Expected value in the range from 0 to 1 for scaling factor")
        return factor
