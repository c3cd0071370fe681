"""A Panda for the tests: MuJoCo's arm with its controller, its gripper, its joint states and its frames."""

from __future__ import annotations

import math
from threading import Event, RLock, Thread
from typing import Callable, Tuple

import actionlib
import numpy as np
import rospy
from actionlib_msgs.msg import GoalID
from control_msgs.msg import (
    FollowJointTrajectoryActionResult,
    FollowJointTrajectoryResult,
    GripperCommandAction,
    GripperCommandGoal,
    GripperCommandResult,
)
from ended_server import end
from hicrisp_core.model import Outcome, Pose, Status
from hicrisp_core.ports.robot import Trajectory
from hicrisp_core.scene import Scene
from hicrisp_core.time import Deadline, LinkedEvent
from hicrisp_moveit.execution import trajectory_of
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_sim.arm import EmbeddedArm
from hicrisp_sim.simulation import Simulation
from hicrisp_sim.tracker import Tracker
from reference_move_group import CONTROL_FAILED, PREEMPTED, SUCCESS
from reference_scene import ARM
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

CONTROLLER = "/position_joint_trajectory_controller/follow_joint_trajectory"
_START_TOLERANCE = 0.01
_PERIOD = 0.02
_SAMPLE = 0.01


class ReferencePanda:
    """The robot and its controllers, which go on without a move_group.

    Args:
        scene: the things that are really there.
        tf: publishes ``/tf``.
        namespace: of all other names.
        things: whether TF also tells where the things are.
        cancel: set where somebody ends what the fingers do.
    """

    def __init__(self, scene: Scene, tf: rospy.Publisher, namespace: str, things: bool,
                 cancel: Event) -> None:
        self.mode: Callable[[], str] = lambda: ""
        self.simulation = Simulation(scene, (ARM,), 1.0)
        self.arm = EmbeddedArm(self.simulation, scene, ARM)
        self.motions = 0
        self._tf, self._ns, self._things, self._ended = tf, namespace, things, Event()
        self._cancel, self._controller_cancel, self._moving = cancel, Event(), RLock()
        rospy.set_param(f"{namespace}/robot_description", ARM.urdf)
        self.simulation.start_idling()
        self._publish()
        self._serve()

    @property
    def positions(self) -> np.ndarray:
        """Of the arm's joints, radians."""
        return self.arm.joints.positions

    def opening(self) -> float:
        """Of the fingers, metres."""
        return self.arm.opening()

    @property
    def moving(self) -> bool:
        """Whether the arm truly moves."""
        return bool(np.abs(self.arm.joints.velocities).max() > 0.05)

    @property
    def tool(self) -> Pose:
        """Where the tool truly is."""
        return self._eyes.read(self.simulation.snapshot)[0]["panda_hand_tcp"]

    def carry_out(self, motion: JointTrajectory, cancel: Event) -> int:
        """What the controllers do with a motion, and publish of it; the code that move_group makes of it."""
        code, told, text = self.follow(motion, cancel)
        if told:
            message = FollowJointTrajectoryActionResult(result=FollowJointTrajectoryResult(told, text))
            message.header.stamp = rospy.Time.now()
            self._told.publish(message)
        return code

    def follow(self, message: JointTrajectory, cancel: Event) -> Tuple[int, int, str]:
        """The same without a word: move_group's code, the controller's own, and its text."""
        self._controller_cancel.clear()
        with self._moving:
            self.motions += 1
            if set(message.joint_names) <= set(ARM.model.fingers):
                there = self._fingers(2.0 * message.points[-1].positions[0], 20.0)
                return SUCCESS if there else CONTROL_FAILED, 0, ""
            motion = _fine(trajectory_of(message))
            if np.abs(np.array(motion.positions[0]) - self.positions).max() > _START_TOLERANCE:
                return CONTROL_FAILED, 0, ""
            if self.mode() == "violates":
                return CONTROL_FAILED, -4, "panda_joint4 path error 0.2100"
            outcome = self.arm.follow(motion, Deadline(300.0), LinkedEvent(cancel, self._controller_cancel))
        if outcome.ok:
            return SUCCESS, 0, ""
        if outcome.status is Status.CANCELED:
            return PREEMPTED, 0, ""
        return CONTROL_FAILED, -4, outcome.message

    def stop(self) -> None:
        """The end of a test."""
        self._ended.set()
        self._controller_cancel.set()
        end(self._gripper)
        self.simulation.close()

    def _serve(self) -> None:
        self._canceled = rospy.Subscriber(
            f"{self._ns}{CONTROLLER}/cancel", GoalID, lambda _: self._controller_cancel.set(), queue_size=5)
        self._told = rospy.Publisher(
            f"{self._ns}{CONTROLLER}/result", FollowJointTrajectoryActionResult, queue_size=5)
        self._gripper = actionlib.SimpleActionServer(
            f"{self._ns}/franka_gripper/gripper_action", GripperCommandAction, self._on_gripper,
            auto_start=False)
        self._gripper.start()

    def _publish(self) -> None:
        self._eyes = Tracker(ARM.links())
        self._joint_states = rospy.Publisher(
            f"{self._ns}/joint_states", JointState, queue_size=5, tcp_nodelay=True)
        Thread(target=self._publish_always, daemon=True).start()

    def _publish_always(self) -> None:
        while not self._ended.wait(_PERIOD) and not rospy.is_shutdown():
            now, snapshot = rospy.Time.now(), self.simulation.snapshot
            robot, things = self._eyes.read(snapshot)
            frames = {**robot, **(things if self._things else {})}
            joints = JointState(name=[*ARM.joints, *ARM.model.fingers], position=list(snapshot.positions[:9]))
            joints.header.stamp = now
            try:
                if self.mode() != "blind":
                    self._joint_states.publish(joints)
                self._tf.publish(TFMessage([transform_to_msg("world", *frame, now)
                                            for frame in frames.items()]))
            except rospy.ROSException:
                return  # the test is over

    def _fingers(self, opening: float, force: float) -> bool:
        outcome: Outcome = self.arm.grasp(force, Deadline(10.0), self._cancel) if opening <= 1e-6 else \
            self.arm.move_gripper(min(opening, 0.08), Deadline(10.0), self._cancel)
        return outcome.ok and (opening <= 1e-6 or abs(self.arm.opening() - opening) < 0.01)

    def _on_gripper(self, goal: GripperCommandGoal) -> None:
        self._cancel.clear()
        opening = 2.0 * goal.command.position
        with self._moving:
            there = self._fingers(opening, max(1.0, goal.command.max_effort))
        width = self.arm.opening()
        reached = there and abs(width - opening) < 0.01
        result = GripperCommandResult(position=width / 2.0, stalled=not reached, reached_goal=reached)
        try:
            self._gripper.set_succeeded(result) if reached else self._gripper.set_aborted(result)
        except rospy.ROSException:
            return  # the test is over


def _fine(motion: Trajectory) -> Trajectory:
    """A motion as a controller interpolates it: cubic between the points, evenly spaced in time."""
    from scipy.interpolate import CubicHermiteSpline

    order = [motion.joints.index(joint) for joint in ARM.joints]
    positions, velocities = np.array(motion.positions)[:, order], np.array(motion.velocities)[:, order]
    times = np.linspace(0.0, motion.times[-1], max(2, math.ceil(motion.times[-1] / _SAMPLE) + 1))
    spline = CubicHermiteSpline(np.array(motion.times), positions, velocities)
    rows, speeds = spline(times), spline(times, 1)
    return Trajectory(ARM.joints, tuple(times), tuple(map(tuple, rows)), tuple(map(tuple, speeds)))
