"""Grippers behind control_msgs/GripperCommand, and grippers that are a group of joints for MoveIt's controllers."""

from __future__ import annotations

from threading import Event
from typing import Any, Callable, Optional, Sequence

from actionlib_msgs.msg import GoalID
from control_msgs.msg import GripperCommandAction, GripperCommandGoal
from hicrisp_core.model import Cause, CauseKind, Outcome
from hicrisp_core.ports.robot import Trajectory
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_client import ActionClient, Reply
from hicrisp_ros.publisher import Publisher
from moveit_msgs.msg import ExecuteTrajectoryAction, ExecuteTrajectoryGoal

from hicrisp_moveit.error_codes import CONTROL_FAILED, SUCCESS, execution_reason
from hicrisp_moveit.execution import message_of
from hicrisp_moveit.gripper_port import ended, limits
from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.settings import GripperSettings, MoveItSettings

_LEAST_TIME = 0.3
"""Seconds that any movement of the fingers takes."""


class _ActionDrive:
    """Moves the fingers by goals of one action, of which all can be canceled."""

    def __init__(self, action: str, specification: Any) -> None:
        self._client = ActionClient(action, specification)
        self._cancel = Publisher(f"{action}/cancel", GoalID, queue_size=2)

    def stop(self) -> None:
        """End what runs."""
        self._cancel.publish(GoalID())

    def _call(
        self, goal: Any, deadline: Deadline, cancel: Event, failed: Callable[[Reply], Optional[Cause]]
    ) -> Outcome:
        return ended(self._client.call(goal, limits(deadline), cancel), self._client.name, failed)


class CommandDrive(_ActionDrive):
    """One action for everything. That the fingers stall is an error when they should open, and a grasp
    when not.
    """

    def __init__(self, settings: GripperSettings) -> None:
        super().__init__(settings.action, GripperCommandAction)
        self._settings = settings

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""
        # ros_control's effort controllers do not move at all with an effort of 0.
        return self._call(self._goal(opening, self._settings.effort), deadline, cancel, _not_there)

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force, newtons, until something resists or the fingers meet.

        It ends with the goal reached, stalled or aborted as the controller likes; the fingers tell the rest.
        """
        return self._call(self._goal(0.0, force), deadline, cancel, lambda _: None)

    def _goal(self, opening: float, effort: float) -> GripperCommandGoal:
        goal = GripperCommandGoal()
        goal.command.position, goal.command.max_effort = self._settings.commanded(opening), effort
        return goal


def _not_there(reply: Reply) -> Optional[Cause]:
    """Why a movement did not work, by what the action says; where the fingers are is looked at besides."""
    if reply.result is not None and reply.result.stalled and not reply.result.reached_goal:
        return Cause(CauseKind.BLOCKED, said="something is between the fingers")
    return None


class GroupDrive(_ActionDrive):
    """Sends the fingers where they shall be. Their force is what their controller gives."""

    def __init__(self, settings: GripperSettings, moveit: MoveItSettings, fingers: JointWatch) -> None:
        super().__init__(moveit.name("execute_trajectory"), ExecuteTrajectoryAction)
        self._settings = settings
        self._fingers = fingers

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""
        return self._send(opening, deadline, cancel, (SUCCESS,))

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close until something resists: the controller then misses its goal, which is the sign of a grasp."""
        del force
        return self._send(0.0, deadline, cancel, (SUCCESS, CONTROL_FAILED))

    def _send(self, opening: float, deadline: Deadline, cancel: Event, good: Sequence[int]) -> Outcome:
        positions = self._fingers.positions()
        if positions is None:
            return self._fingers.silent()
        place = dict(zip(self._fingers.joints, positions))
        driven = self._settings.driven or self._settings.fingers[:1]
        start, end = tuple(place.get(joint, positions[0])
                           for joint in driven), self._settings.joint_at(opening)
        way = abs(self._settings.opening_at(positions) - opening)
        seconds = max(_LEAST_TIME, way / max(self._settings.speed, 1e-3))
        still = (0.0,) * len(driven)
        motion = Trajectory(driven, (0.0, seconds), (start, (end,) * len(driven)), (still, still))
        goal = ExecuteTrajectoryGoal()
        goal.trajectory.joint_trajectory = message_of(motion)

        def failed(reply: Reply) -> Optional[Cause]:
            code = reply.result.error_code.val if reply.result is not None else CONTROL_FAILED
            kind, reason = execution_reason(code)
            return None if code in good else Cause(kind, said=reason)

        return self._call(goal, deadline, cancel, failed)
