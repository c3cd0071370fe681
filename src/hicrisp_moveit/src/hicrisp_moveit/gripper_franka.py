"""Franka's hand by the actions of franka_gripper, which franka_gazebo offers too."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Any, Optional

import rospy
from franka_gripper import msg
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_client import ActionClient, Reply

from hicrisp_moveit.gripper_port import ended, limits
from hicrisp_moveit.settings import GripperSettings

_STOP = 2.0
_HOME = ("If the hand was not homed since it got power, clear the space between the fingers and home it: "
         "rostopic pub -1 {action}/homing/goal franka_gripper/HomingActionGoal '{{}}', or write homing: true under "
         "gripper in the robot's file")
"""What to do about a hand that fails."""


class FrankaDrive:
    """The actions ``move``, ``grasp``, ``homing`` and ``stop``. A canceled goal goes on there: only ``stop``
    ends it before its time. A hand that was not homed since it got power fails every movement."""

    def __init__(self, settings: GripperSettings) -> None:
        self._settings = settings
        self._move = ActionClient(f"{settings.action}/move", msg.MoveAction)
        self._grasp = ActionClient(f"{settings.action}/grasp", msg.GraspAction)
        self._homing = ActionClient(f"{settings.action}/homing", msg.HomingAction)
        self._stop = ActionClient(f"{settings.action}/stop", msg.StopAction)
        self._holds = False
        if settings.homing:
            outcome = self.home(Deadline(30.0))
            if not outcome.ok:
                rospy.logerr("the gripper could not be homed: %s", outcome.message)

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""
        return self._moved(self._move, msg.MoveGoal(width=opening, speed=self._settings.speed), deadline, cancel)

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force, newtons. Any width will do: what is between the fingers the caller sees for himself."""
        goal = msg.GraspGoal(width=0.0, speed=self._settings.speed, force=force,
                             epsilon=msg.GraspEpsilon(inner=0.005, outer=self._settings.max_opening))
        return self._moved(self._grasp, goal, deadline, cancel)

    def home(self, deadline: Deadline, cancel: Optional[Event] = None) -> Outcome:
        """Find the fingers' ends; nothing may be between them."""
        return self._call(self._homing, msg.HomingGoal(), deadline, cancel or Event())

    def stop(self) -> None:
        """End what runs, which also lets go of the force."""
        self._stop.call(msg.StopGoal(), limits(Deadline(_STOP)))

    def _moved(self, client: ActionClient, goal: Any, deadline: Deadline, cancel: Event) -> Outcome:
        """Move the fingers; a hand that fails is homed once where the robot's file allows it and it holds nothing."""
        outcome = self._call(client, goal, deadline, cancel)
        if outcome.cause is not None and outcome.cause.kind is CauseKind.HARDWARE:
            if not self._settings.homing or self._holds:
                said = f"{outcome.message}. {_HOME.format(action=self._settings.action)}"
                return replace(outcome, message=said, cause=replace(outcome.cause, said=said))
            rospy.logwarn("%s: homing the hand", outcome.message)
            homed = self.home(deadline, cancel)
            outcome = self._call(client, goal, deadline, cancel) if homed.ok else homed
        if outcome.ok:
            self._holds = client is self._grasp
        return outcome

    def _call(self, client: ActionClient, goal: Any, deadline: Deadline, cancel: Event) -> Outcome:
        reply = client.call(goal, limits(deadline), cancel)
        outcome = ended(reply, client.name, _failure)
        if outcome.status is Status.LOST and (cancel.is_set() or deadline.passed):
            self.stop()
            if cancel.is_set():
                return Outcome.because(CauseKind.CANCELED, Status.CANCELED, "the fingers were stopped")
            return Outcome.because(CauseKind.OUT_OF_TIME, Status.TIMEOUT, "the time for the gripper ran out")
        return outcome


def _failure(reply: Reply) -> Optional[Cause]:
    if reply.result is not None and reply.result.success:
        return None
    said = (reply.result.error if reply.result is not None else "") or reply.message
    if not said:
        return Cause(CauseKind.BLOCKED, said="the gripper did not get there")
    return Cause(CauseKind.HARDWARE, ("gripper",), said=f"the gripper failed: '{said}'")
