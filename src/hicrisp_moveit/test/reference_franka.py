"""franka_gripper and franka_control for the tests, as far as the driver talks to them."""

from __future__ import annotations

import time
from itertools import count
from threading import Event, Thread
from typing import Any, Callable, Optional

import actionlib
import rospy
from ended_server import end
from franka_gripper.msg import (
    GraspAction,
    GraspGoal,
    GraspResult,
    HomingAction,
    HomingResult,
    MoveAction,
    MoveGoal,
    MoveResult,
    StopAction,
    StopResult,
)
from franka_msgs.msg import ErrorRecoveryAction, Errors, FrankaState
from franka_msgs.srv import SetForceTorqueCollisionBehavior, SetForceTorqueCollisionBehaviorResponse
from hicrisp_moveit.settings import FrankaSettings
from sensor_msgs.msg import JointState

_NUMBERS = count(1)
"""Names are not used twice: a topic that ends and begins again in one process is not always connected."""
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
_PERIOD = 0.02


class ReferenceGripper:
    """Fingers that close on a thing of some width; as with the real server, a canceled goal goes on.

    ``powered_off`` says that the hand lost its power since it was homed: it fails until it is homed again.
    ``on_step`` is called after every step of the fingers; ``published`` counts the joint states.
    """

    def __init__(self, action: str = "") -> None:
        self.action = action or f"/gripper_{next(_NUMBERS)}"
        self.joint_states = f"{self.action}/joint_states"
        self.width, self.between, self.homed, self.force = 0.04, 0.0, 0, 0.0
        self.powered_off = False
        self.on_step: Callable[[], Any] = lambda: None
        self.published = 0
        self._halt, self._ended = Event(), Event()
        self._joints = rospy.Publisher(self.joint_states, JointState, queue_size=5)
        self._servers = [
            self._serve("move", MoveAction, self._move), self._serve("grasp", GraspAction, self._grasp),
            self._serve("homing", HomingAction, self._home), self._serve("stop", StopAction, self._stop)]
        Thread(target=self._publish, daemon=True).start()

    def close(self) -> None:
        self._ended.set()
        self._halt.set()
        for server in self._servers:
            end(server)
        self._joints.unregister()

    def _serve(self, name: str, kind: Any, work: Callable[[Any], Any]) -> Any:
        def execute(goal: Any) -> None:
            result = work(goal)
            if result.error:
                server.set_aborted(result, result.error)
            else:
                server.set_succeeded(result)

        server = actionlib.SimpleActionServer(f"{self.action}/{name}", kind, execute, auto_start=False)
        server.start()
        return server

    def _move(self, goal: MoveGoal) -> MoveResult:
        if not 0.0 <= goal.width <= 0.08:
            return MoveResult(success=False, error="width out of range")
        if self.powered_off:
            return MoveResult(success=False, error="libfranka gripper: Command failed!")
        self.force = 0.0
        return MoveResult(success=self._go(goal.width, goal.speed))

    def _grasp(self, goal: GraspGoal) -> GraspResult:
        if self.powered_off:
            return GraspResult(success=False, error="libfranka gripper: Command failed!")
        self._go(0.0, goal.speed)
        self.force = goal.force
        low, high = goal.width - goal.epsilon.inner, goal.width + goal.epsilon.outer
        return GraspResult(success=low < self.width < high)

    def _home(self, _: Any) -> HomingResult:
        self.homed, self.powered_off = self.homed + 1, False
        return HomingResult(success=self._go(0.0, 0.2) and self._go(0.08, 0.2))

    def _stop(self, _: Any) -> StopResult:
        self._halt.set()
        return StopResult(success=True)

    def _go(self, width: float, speed: float) -> bool:
        self._halt.clear()
        while abs(self.width - width) > 1e-6 and not self._halt.is_set():
            step = min(abs(width - self.width), speed * _PERIOD)
            wanted = self.width + (step if width > self.width else -step)
            if wanted < self.between:
                self.width = self.between
                return False
            self.width = wanted
            self.on_step()
            time.sleep(_PERIOD)
        return abs(self.width - width) < 1e-3

    def _publish(self) -> None:
        while not self._ended.wait(_PERIOD) and not rospy.is_shutdown():
            message = JointState(name=list(FINGERS), position=[self.width / 2.0] * 2)
            message.header.stamp = rospy.Time.now()
            self._joints.publish(message)
            self.published += 1


class ReferenceControl:
    """A robot with a mode, errors and a felt force; ``recovers`` says whether error recovery helps."""

    def __init__(self) -> None:
        space = f"/franka_{next(_NUMBERS)}"
        self.settings = FrankaSettings(namespace=space, states=f"{space}/franka_states", state_age=3.0)
        self.mode, self.errors, self.force = FrankaState.ROBOT_MODE_MOVE, Errors(), (0.0, 0.0, 0.0)
        self.recovers, self.recoveries, self.silent = True, 0, False
        self.stamp: Callable[[], rospy.Time] = rospy.Time.now
        self.behaviour: Optional[Any] = None
        self.refuses = ""
        self.published = 0
        self._ended = Event()
        self._states = rospy.Publisher(self.settings.states, FrankaState, queue_size=5)
        self._service = rospy.Service(f"{space}/set_force_torque_collision_behavior",
                                      SetForceTorqueCollisionBehavior, self._behave)
        self._server = actionlib.SimpleActionServer(
            f"{space}/error_recovery", ErrorRecoveryAction, self._recover, auto_start=False)
        self._server.start()
        Thread(target=self._publish, daemon=True).start()

    def close(self) -> None:
        self._ended.set()
        self._service.shutdown("the test is over")
        end(self._server)
        self._states.unregister()

    def _behave(self, request: Any) -> SetForceTorqueCollisionBehaviorResponse:
        self.behaviour = request
        return SetForceTorqueCollisionBehaviorResponse(not self.refuses, self.refuses)

    def _recover(self, _: Any) -> None:
        self.recoveries += 1
        if not self.recovers:
            self._server.set_aborted(None, "libfranka: robot is locked")
            return
        self.mode, self.errors = FrankaState.ROBOT_MODE_MOVE, Errors()
        self._server.set_succeeded()

    def _publish(self) -> None:
        while not self._ended.wait(_PERIOD) and not rospy.is_shutdown():
            if not self.silent:
                state = FrankaState(robot_mode=self.mode, current_errors=self.errors)
                state.header.stamp = self.stamp()
                state.O_F_ext_hat_K = [*self.force, 0.0, 0.0, 0.0]
                self._states.publish(state)
                self.published += 1
