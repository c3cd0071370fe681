"""moveit_commander's planning, with a time limit, and nothing believed that it says without checking."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Tuple

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.time import BoundedCalls, Deadline, Overdue
from hicrisp_ros.conversions.geometry import pose_to_msg
from hicrisp_ros.service_client import ServiceClient
from moveit_msgs.srv import QueryPlannerInterfaces, QueryPlannerInterfacesRequest

from hicrisp_moveit.error_codes import FAILURE, SUCCESS
from hicrisp_moveit.settings import MoveItSettings

_SPARE = 3.0
"""Seconds that planning may take beyond the search itself."""
_RETRY = 1.0
_PRESENCE = 1.0
"""Longest wait for a sign of move_group, seconds."""

Commander = Callable[..., Any]
"""``moveit_commander.MoveGroupCommander`` or what stands in for it."""


@dataclass(frozen=True)
class PlanReply:
    """MoveIt's code of a plan, and the ``RobotTrajectory`` where there is one; ``message`` when nobody answered."""

    code: int
    trajectory: Optional[Any] = None
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is a motion."""
        return self.code == SUCCESS and self.trajectory is not None


class MoveGroup:
    """One planning group. Every call has a deadline in wall time; names are checked once, at the start.

    Raises:
        ConfigError: when there is no move_group in time, or it does not know the planner or the tool's link.
    """

    def __init__(self, settings: MoveItSettings, commander: Commander, deadline: Deadline) -> None:
        self._settings = settings
        self._calls = BoundedCalls("moveit_commander")
        self._planners = ServiceClient(settings.name("query_planner_interface"), QueryPlannerInterfaces)
        self._group = self._connect(commander, deadline)
        self.joints: Tuple[str, ...] = tuple(self._ask(self._group.get_active_joints))
        self.frame: str = str(self._ask(self._group.get_planning_frame)).lstrip("/")
        if len(settings.rest) != len(self.joints):
            raise ConfigError(f"the group '{settings.group}' has {len(self.joints)} joints, the rest posture "
                              f"{len(settings.rest)}")
        self._check_planner(deadline)
        self._ask(self._prepare)

    def plan_pose(self, pose: Pose, deadline: Deadline) -> PlanReply:
        """Plan to a pose of the tool link in the planning frame."""
        return self._planned(lambda: self._group.set_pose_target(pose_to_msg(pose), self._settings.tool_link), deadline)

    def plan_joints(self, joints: Sequence[float], deadline: Deadline) -> PlanReply:
        """Plan to a posture, radians."""
        return self._planned(lambda: self._group.set_joint_value_target(list(joints)), deadline)

    def _planned(self, aim: Callable[[], Any], deadline: Deadline) -> PlanReply:
        def work() -> Any:
            self._group.clear_pose_targets()
            aim()
            self._group.set_start_state_to_current_state()
            self._group.set_planning_time(max(0.1, min(self._settings.planning_time, deadline.remaining)))
            return self._group.plan()

        limit = Deadline(min(deadline.remaining, self._settings.planning_time) + _SPARE)
        try:
            answer = self._calls.call(work, limit)
        except Overdue as error:
            return PlanReply(FAILURE, None, self._silence() or str(error))
        except Exception as error:  # noqa: BLE001 - moveit_commander raises what its C++ side throws
            return PlanReply(FAILURE, None, self._silence() or f"moveit_commander: {error}")
        ok, trajectory, _, code = answer
        return PlanReply(int(code.val), trajectory if ok and trajectory.joint_trajectory.points else None)

    def _silence(self) -> str:
        """What moveit_commander does not say of a move_group that has died or stands still; empty when it answers."""
        reply = self._planners.call(QueryPlannerInterfacesRequest(), _PRESENCE)
        return f"move_group gives no answer: {reply.message}" if reply.response is None else ""

    def _connect(self, commander: Commander, deadline: Deadline) -> Any:
        """A commander, tried for until the deadline: it raises where an action server is missing for five seconds."""
        settings, message = self._settings, "no answer"
        while not deadline.passed and not rospy.is_shutdown():
            try:
                return self._calls.call(
                    lambda: commander(settings.group, settings.robot_description, settings.namespace),
                    deadline)
            except Exception as error:  # noqa: BLE001 - it comes too late, or whatever its C++ side throws
                message = str(error)
            time.sleep(min(_RETRY, deadline.remaining))
        raise ConfigError(
            f"no move_group for the group '{settings.group}' in {settings.namespace}: {message}. Is its "
            "launch file running, with the capabilities that moveit_commander waits for (move_group, "
            "execute_trajectory, pickup)?")

    def _prepare(self) -> None:
        settings = self._settings
        self._group.set_planner_id(settings.planner)
        self._group.set_num_planning_attempts(max(1, settings.attempts))
        self._group.set_goal_position_tolerance(settings.position_tolerance)
        self._group.set_goal_orientation_tolerance(settings.orientation_tolerance)
        self._group.set_max_velocity_scaling_factor(settings.velocity)
        self._group.set_max_acceleration_scaling_factor(settings.acceleration)
        self._group.set_pose_reference_frame(self.frame)

    def _check_planner(self, deadline: Deadline) -> None:
        """An unknown planner would be replaced by the default one with nothing but a warning."""
        name, group = self._settings.planner, self._settings.group
        reply = self._planners.call(QueryPlannerInterfacesRequest(), min(5.0, deadline.remaining))
        if reply.response is None:
            raise ConfigError(f"move_group does not tell its planners: {reply.message}")
        ids = {planner for interface in reply.response.planner_interfaces
               for planner in interface.planner_ids}
        if not {name, f"{group}[{name}]"} & ids:
            known = sorted({planner[len(group) + 1:-1] for planner in ids if planner.startswith(f"{group}[")}
                           or ids)
            raise ConfigError(f"MoveIt has no planner '{name}' for the group '{group}'; there are: "
                              f"{', '.join(known)}")

    def _ask(self, work: Callable[[], Any]) -> Any:
        try:
            return self._calls.call(work, Deadline(self._settings.service_wait))
        except Overdue as error:
            raise ConfigError(str(error)) from error
