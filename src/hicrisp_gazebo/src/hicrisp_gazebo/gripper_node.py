"""A hand of two driven fingers behind ``control_msgs/GripperCommand``, under the name and by the rules of
Franka's own.

franka_gazebo brings such a hand; where it is not installed, a trajectory controller drives both fingers, and
this node makes a gripper of it. As with Franka's, a goal's position is that of one finger: half of the
opening.
"""

from __future__ import annotations

import time
from threading import Event
from typing import Any, Optional, Sequence

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_ros.action_server import Aborted, ActionServer, Goal
from hicrisp_ros.config_files import parameter
from hicrisp_ros.node import run
from hicrisp_ros.publisher import Publisher
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from hicrisp_gazebo.franka import use_franka
from hicrisp_gazebo.grip_watch import GripEnd, GripWatch

_LIMIT = 10.0
"""Seconds of wall time for one motion of the fingers."""
_SLICE = 0.02


class FingerGripper:
    """Serves the gripper's action.

    Args:
        fingers: the joints of both.
        widest: position of a finger when the hand is open, metres.
        speed: of a finger, m/s.
    """

    def __init__(self, fingers: Sequence[str], widest: float, speed: float, action: str) -> None:
        try:
            from control_msgs.msg import GripperCommandAction, GripperCommandResult
        except ImportError as error:
            raise ConfigError("the package control_msgs is not installed; it comes with "
                              "ros_controllers") from error
        self._result: Any = GripperCommandResult
        self._fingers, self._widest, self._speed = tuple(fingers), widest, speed
        self._position: Optional[float] = None
        self._stamp = 0.0
        self._command = Publisher("/hand_controller/command", JointTrajectory, queue_size=1)
        self._subscriber = rospy.Subscriber("/joint_states", JointState, self._on_joints, queue_size=1)
        self._server = ActionServer(action, GripperCommandAction, self._execute).start()

    @property
    def position(self) -> Optional[float]:
        """Where the fingers are, metres from the middle; ``None`` before they were seen."""
        return self._position

    def stop(self) -> None:
        """Serve no more."""
        self._subscriber.unregister()
        self._server.stop()

    def _on_joints(self, message: JointState) -> None:
        places = dict(zip(message.name, message.position))
        if all(finger in places for finger in self._fingers):
            self._position = sum(places[finger] for finger in self._fingers) / len(self._fingers)
            self._stamp = message.header.stamp.to_sec()

    def _execute(self, goal: Goal) -> Any:
        wanted = goal.message.command.position
        if not 0.0 <= wanted <= self._widest + 1e-6:
            raise Aborted(f"a finger's position is from 0 to {self._widest:g} m, not {wanted:g}")
        if self._position is None:
            raise Aborted("the fingers' joints are not in /joint_states")
        self._send(wanted)
        end = self._watch(GripWatch(wanted), goal.cancel)
        if end is None:
            self._send(self._position)
            if not goal.cancel.is_set():
                raise Aborted(f"the fingers did not come to rest within {_LIMIT:g} s")
            return self._result(position=self._position)
        return self._result(position=end.position, stalled=end.stalled, reached_goal=end.reached)

    def _watch(self, watch: GripWatch, cancel: Event) -> Optional[GripEnd]:
        limit = time.monotonic() + _LIMIT
        while time.monotonic() < limit and not cancel.is_set() and not rospy.is_shutdown():
            if self._position is not None:
                end = watch.look(self._stamp, self._position)
                if end is not None:
                    return end
            time.sleep(_SLICE)
        return None

    def _send(self, position: float) -> None:
        here = self._position if self._position is not None else position
        seconds = max(0.1, abs(position - here) / self._speed)
        point = JointTrajectoryPoint(positions=[position] * len(self._fingers),
                                     time_from_start=rospy.Duration.from_sec(seconds))
        self._command.publish(JointTrajectory(joint_names=list(self._fingers), points=[point]))


def build() -> Optional[FingerGripper]:
    """The gripper that the parameters ask for; none where franka_gazebo brings its own."""
    if use_franka(str(parameter("franka", "auto"))):
        rospy.loginfo("franka_gazebo brings its own gripper")
        return None
    return FingerGripper(parameter("fingers"),
                         float(parameter("widest", 0.04)), float(parameter("speed", 0.08)),
                         str(parameter("action", "/franka_gripper/gripper_action")))


def main() -> None:
    """Run the node."""
    run("finger_gripper", build)
