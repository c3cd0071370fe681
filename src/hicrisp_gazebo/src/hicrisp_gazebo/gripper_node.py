"""A hand of two driven fingers behind ``control_msgs/GripperCommand``, under the name and by the rules of
Franka's own.

franka_gazebo brings such a hand; where it is not installed, a trajectory controller drives both fingers, and
this node makes a gripper of it. As with Franka's, a goal's position is that of one finger's joint: half of the
opening of two fingers that slide; the robot's file says what else it may be.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Event
from typing import Any, List, Optional, Sequence, Tuple

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_ros.action_server import Aborted, ActionServer, Goal
from hicrisp_ros.config_files import parameter
from hicrisp_ros.publisher import Publisher
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from hicrisp_gazebo.franka import use_franka

_WINDOW, _START = 0.25, 0.4
"""Seconds that fingers must stand, and from the first look on in which they need not move yet."""


@dataclass(frozen=True)
class GripEnd:
    """How a motion ended: where a finger's joint is (metres or radians), and whether that is the goal."""

    position: float
    reached: bool

    @property
    def stalled(self) -> bool:
        """Whether something stopped the fingers."""
        return not self.reached


class GripWatch:
    """Tells by the fingers' position when their motion has ended: at its goal, or with something between them.

    Args:
        goal: position of each finger's joint, metres or radians.
        tolerance: distance from the goal that counts as there.
        still: way within ``_WINDOW`` seconds below which the fingers stand.
    """

    def __init__(self, goal: float, tolerance: float = 0.001, still: float = 0.0003) -> None:
        self._goal, self._tolerance, self._still = goal, tolerance, still
        self._seen: List[Tuple[float, float]] = []
        self._began: Optional[float] = None

    def look(self, time: float, position: float) -> Optional[GripEnd]:
        """The end of the motion, or ``None`` while it goes on (seconds of one clock)."""
        if self._began is None:
            self._began = time
        self._seen = [(at, where) for at, where in self._seen
                      if at >= time - _WINDOW] + [(time, position)]
        places = [where for _, where in self._seen]
        watched = time - self._seen[0][0] >= 0.8 * _WINDOW
        if not watched or max(places) - min(places) > self._still:
            return None
        reached = abs(position - self._goal) <= self._tolerance
        return GripEnd(position, reached) if reached or time - self._began >= _START else None


_LIMIT = 10.0
"""Seconds of wall time for one motion of the fingers."""
_SLICE = 0.02
_USUAL_WAY = 0.04
"""Way of a finger of Franka's hand, metres: that of others is compared with it."""


class FingerGripper:
    """Serves the gripper's action.

    Args:
        fingers: the joints of both.
        widest: position of a finger's joint when the hand is open, metres or radians.
        speed: of a joint, m/s or rad/s.
        shut: position when it is shut; more than ``widest`` for a joint that closes by turning up.
    """

    def __init__(self, fingers: Sequence[str], widest: float, speed: float, action: str, shut: float = 0.0) -> None:
        if widest == shut:
            raise ConfigError(f"~widest and ~shut are both {widest:g}: they are a finger's positions open and shut")
        try:
            from control_msgs.msg import GripperCommandAction, GripperCommandResult
        except ImportError as error:
            raise ConfigError("the package control_msgs is not installed; it comes with "
                              "ros_controllers") from error
        self._result: Any = GripperCommandResult
        self._fingers, self._speed = tuple(fingers), speed
        self._range, self._scale = sorted((widest, shut)), abs(widest - shut) / _USUAL_WAY
        self._position: Optional[float] = None
        self._stamp = 0.0
        self._command = Publisher("/hand_controller/command", JointTrajectory, queue_size=1)
        self._subscriber = rospy.Subscriber("/joint_states", JointState, self._on_joints, queue_size=1)
        self._server = ActionServer(action, GripperCommandAction, self._execute).start()

    @property
    def position(self) -> Optional[float]:
        """Where the fingers' joints are; ``None`` before they were seen."""
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
        low, high = self._range
        if not low - 1e-6 <= wanted <= high + 1e-6:
            raise Aborted(f"a finger's position is from {low:g} to {high:g}, not {wanted:g}")
        if self._position is None:
            raise Aborted("the fingers' joints are not in /joint_states")
        self._send(wanted)
        end = self._watch(GripWatch(wanted, 0.001 * self._scale, 0.0003 * self._scale), goal.cancel)
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
    widest, shut = float(parameter("widest", _USUAL_WAY)), float(parameter("shut", 0.0))
    return FingerGripper(parameter("fingers"), widest, float(parameter("speed", 2.0 * abs(widest - shut))),
                         str(parameter("action", "/franka_gripper/gripper_action")), shut)
