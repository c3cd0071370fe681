"""A gripper behind control_msgs/GripperCommand, such as ros_control's gripper_action_controller."""

from __future__ import annotations

from threading import Event
from typing import Callable, Optional

from actionlib_msgs.msg import GoalID
from control_msgs.msg import GripperCommandAction, GripperCommandGoal
from hicrisp_core.model import Cause, CauseKind, Outcome
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_client import ActionClient, Reply
from hicrisp_ros.publisher import Publisher

from hicrisp_moveit.gripper_port import ended, limits
from hicrisp_moveit.settings import GripperSettings


class CommandDrive:
    """One action for everything. That the fingers stall is an error when they should open, and a grasp
    when not.
    """

    def __init__(self, settings: GripperSettings) -> None:
        self._settings = settings
        self._client = ActionClient(settings.action, GripperCommandAction)
        self._cancel = Publisher(f"{settings.action}/cancel", GoalID, queue_size=2)

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""
        # ros_control's effort controllers do not move at all with an effort of 0.
        return self._call(opening, self._settings.effort, deadline, cancel, _not_there)

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force, newtons, until something resists or the fingers meet."""
        return self._call(0.0, force, deadline, cancel, _nothing_to_say)

    def stop(self) -> None:
        """End what runs."""
        self._cancel.publish(GoalID())

    def _call(
        self, opening: float, effort: float, deadline: Deadline, cancel: Event,
        failed: Callable[[Reply], Optional[Cause]],
    ) -> Outcome:
        goal = GripperCommandGoal()
        goal.command.position, goal.command.max_effort = self._settings.commanded(opening), effort
        reply = self._client.call(goal, limits(deadline), cancel)
        return ended(reply, self._client.name, failed)


def _not_there(reply: Reply) -> Optional[Cause]:
    """Why a movement did not work, by what the action says; where the fingers are is looked at besides."""
    if reply.result is not None and reply.result.stalled and not reply.result.reached_goal:
        return Cause(CauseKind.BLOCKED, said="something is between the fingers")
    return None


def _nothing_to_say(_: Reply) -> None:
    """A grasp ends with the goal reached, stalled or aborted as the controller likes; the fingers tell the
    rest.
    """
