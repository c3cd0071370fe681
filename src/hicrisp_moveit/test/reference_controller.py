"""Between a reference move_group and a Panda in two processes: the action of the trajectory controller."""

from __future__ import annotations

from threading import Condition, Event
from typing import Dict

import actionlib
import numpy as np
import rospy
from actionlib_msgs.msg import GoalStatus
from control_msgs.msg import (
    FollowJointTrajectoryAction,
    FollowJointTrajectoryGoal,
    FollowJointTrajectoryResult,
)
from ended_server import end
from hicrisp_core.time import Deadline, wait_on, wait_until
from reference_move_group import CONTROL_FAILED, PREEMPTED, SUCCESS
from reference_panda import CONTROLLER, ReferencePanda
from reference_scene import ARM
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory
from waiting import PATIENCE

_CODES = {GoalStatus.SUCCEEDED: SUCCESS, GoalStatus.PREEMPTED: PREEMPTED, GoalStatus.RECALLED: PREEMPTED}


class ControllerServer:
    """The robot's end: it carries on with a motion whose move_group has died."""

    def __init__(self, panda: ReferencePanda, namespace: str) -> None:
        self._panda, self._never = panda, Event()
        self._server = actionlib.SimpleActionServer(
            f"{namespace}{CONTROLLER}", FollowJointTrajectoryAction, self._on_goal, auto_start=False)
        self._server.start()

    def close(self) -> None:
        """The end of a test."""
        end(self._server)

    def _on_goal(self, goal: FollowJointTrajectoryGoal) -> None:
        code, told, text = self._panda.follow(goal.trajectory, self._never)
        result = FollowJointTrajectoryResult(told, text)
        try:
            if code == SUCCESS:
                self._server.set_succeeded(result)
            elif code == PREEMPTED:
                self._server.set_preempted(result)
            else:
                self._server.set_aborted(result)
        except rospy.ROSException:
            return  # the test is over


class RemotePanda:
    """move_group's end: the body of a Panda in another process."""

    def __init__(self, namespace: str) -> None:
        self._changed = Condition()
        self._found: Dict[str, float] = {}
        self._client = actionlib.SimpleActionClient(f"{namespace}{CONTROLLER}", FollowJointTrajectoryAction)
        self._states = rospy.Subscriber(f"{namespace}/joint_states", JointState, self._on_states,
                                        queue_size=5, tcp_nodelay=True)
        if not wait_on(self._changed, lambda: self._found, Deadline(PATIENCE), in_vain=rospy.is_shutdown):
            raise RuntimeError("there are no joint states")

    @property
    def positions(self) -> np.ndarray:
        """Of the arm's joints, radians."""
        with self._changed:
            return np.array([self._found[joint] for joint in ARM.joints])

    def opening(self) -> float:
        """Of the fingers, metres."""
        with self._changed:
            return sum(self._found[joint] for joint in ARM.model.fingers)

    def carry_out(self, motion: JointTrajectory, cancel: Event) -> int:
        """Hand the motion to the controller; the code that move_group makes of what it says."""
        self._client.send_goal(FollowJointTrajectoryGoal(trajectory=motion))
        if not wait_until(self._over, Deadline(PATIENCE), cancel, in_vain=rospy.is_shutdown):
            self._client.cancel_goal()
            wait_until(self._over, Deadline(PATIENCE), in_vain=rospy.is_shutdown)
        return _CODES.get(self._client.get_state(), CONTROL_FAILED)

    def _over(self) -> bool:
        return self._client.get_state() not in (GoalStatus.PENDING, GoalStatus.ACTIVE)

    def _on_states(self, message: JointState) -> None:
        with self._changed:
            self._found.update(zip(message.name, message.position))
            self._changed.notify_all()
