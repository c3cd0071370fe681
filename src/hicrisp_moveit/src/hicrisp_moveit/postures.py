"""Questions to move_group about postures: which one reaches a pose, and what one would touch."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import rospy
from geometry_msgs.msg import PoseStamped
from hicrisp_core.model import Pose
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.conversions.geometry import pose_to_msg
from hicrisp_ros.service_client import ServiceClient
from moveit_msgs import srv
from moveit_msgs.msg import ContactInformation, RobotState
from sensor_msgs.msg import JointState

from hicrisp_moveit.error_codes import NO_IK, SUCCESS
from hicrisp_moveit.settings import MoveItSettings

Row = Tuple[float, ...]
"""Positions of the group's joints, radians."""


class NoAnswer(Exception):
    """A service of move_group did not answer in time."""


class Postures:
    """Inverse kinematics, straight lines and collisions, in the planning scene as it is.

    Args:
        joints: the group's joints, in the order of the rows.
        frame: the planning frame, in which poses are given.
    """

    def __init__(self, settings: MoveItSettings, joints: Sequence[str], frame: str) -> None:
        self._settings = settings
        self._joints = tuple(joints)
        self._frame = frame
        self._ik = ServiceClient(settings.name("compute_ik"), srv.GetPositionIK)
        self._validity = ServiceClient(settings.name("check_state_validity"), srv.GetStateValidity)
        self._line = ServiceClient(settings.name("compute_cartesian_path"), srv.GetCartesianPath)

    def reaching(self, pose: Pose, free: bool, deadline: Deadline, tries: int = 2) -> Optional[Row]:
        """Return a posture with the tool link at a pose.

        Args:
            pose: of the tool link in the planning frame.
            free: whether it must be free of collisions.
            deadline: wall-clock limit of the call.
            tries: searches; KDL starts them at random postures, so that one may miss what the next one finds.

        Returns:
            Positions of the group's joints, radians; ``None`` if none was found.

        Raises:
            NoAnswer: when move_group does not answer.
        """
        request = srv.GetPositionIKRequest()
        query = request.ik_request
        query.group_name, query.ik_link_name = self._settings.group, self._settings.tool_link
        query.avoid_collisions, query.timeout = free, rospy.Duration.from_sec(self._settings.ik_time)
        query.pose_stamped = PoseStamped(pose=pose_to_msg(pose))
        query.pose_stamped.header.frame_id = self._frame
        query.robot_state = self._state(None)
        for _ in range(tries):
            answer = self._call(self._ik, request, deadline)
            if answer.error_code.val == SUCCESS:
                found = dict(zip(answer.solution.joint_state.name, answer.solution.joint_state.position))
                return tuple(found[joint] for joint in self._joints)
            if answer.error_code.val != NO_IK:
                raise NoAnswer(f"compute_ik ended with the code {answer.error_code.val}")
        return None

    def touched(self, row: Optional[Sequence[float]], deadline: Deadline) -> Optional[Tuple[str, ...]]:
        """Return the objects that a posture touches.

        Args:
            row: positions of the group's joints, radians; ``None`` for the present ones.
            deadline: wall-clock limit of the call.

        Returns:
            Their names, an empty one for the robot itself; ``None`` when it touches nothing.

        Raises:
            NoAnswer: when move_group does not answer.
        """
        request = srv.GetStateValidityRequest(group_name=self._settings.group, robot_state=self._state(row))
        answer = self._call(self._validity, request, deadline)
        if answer.valid:
            return None
        found = set()
        for contact in answer.contacts:
            bodies = ((contact.body_type_1, contact.contact_body_1),
                      (contact.body_type_2, contact.contact_body_2))
            objects = [name for kind, name in bodies if kind == ContactInformation.WORLD_OBJECT]
            found.add(objects[0] if objects else "")
        return tuple(sorted(found)) or ("",)

    def line(self, pose: Pose, free: bool, deadline: Deadline) -> Tuple[Tuple[Row, ...], float]:
        """Return postures along the straight way of the tool link to a pose.

        Args:
            pose: of the tool link in the planning frame.
            free: whether they must be free of collisions.
            deadline: wall-clock limit of the call.

        Returns:
            The postures, radians, and the part of the way that they cover, 0 to 1.

        Raises:
            NoAnswer: when move_group does not answer.
        """
        request = srv.GetCartesianPathRequest(
            group_name=self._settings.group, link_name=self._settings.tool_link,
            waypoints=[pose_to_msg(pose)],
            max_step=self._settings.line_step, avoid_collisions=free, start_state=self._state(None))
        request.header.frame_id = self._frame
        answer = self._call(self._line, request, deadline)
        if answer.error_code.val != SUCCESS:
            raise NoAnswer(f"compute_cartesian_path ended with the code {answer.error_code.val}")
        trajectory = answer.solution.joint_trajectory
        order = [list(trajectory.joint_names).index(joint)
                 for joint in self._joints] if trajectory.points else []
        rows = tuple(tuple(point.positions[place] for place in order) for point in trajectory.points)
        return rows, float(answer.fraction)

    def _state(self, row: Optional[Sequence[float]]) -> RobotState:
        """A posture as a difference to the present state, so that fingers and attached objects stay as they are."""
        state = RobotState(is_diff=True)
        if row is not None:
            state.joint_state = JointState(name=list(self._joints), position=list(row))
        return state

    def _call(self, service: ServiceClient, request: object, deadline: Deadline) -> Any:
        reply = service.call(request, min(self._settings.service_wait, deadline.remaining))
        if reply.response is None:
            raise NoAnswer(f"move_group gives no answer: {reply.message}")
        return reply.response
