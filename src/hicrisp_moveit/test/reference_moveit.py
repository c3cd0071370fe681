"""A move_group for the tests, over MuJoCo's Panda: the real one's names, codes and habits, and an arm that
moves.

It runs in a test's own process, or as a node (``reference_robot.py``); ``mode`` names what goes wrong (see
``MODES``).
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Event, RLock, Thread
from typing import Any, Callable, List, Sequence, Tuple

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
from ended_server import end, silence
from hicrisp_core.model import Outcome, Pose, Status
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.linked_event import LinkedEvent
from hicrisp_moveit.execution import message_of, trajectory_of
from hicrisp_reference.srv import Plan, PlanRequest, PlanResponse
from hicrisp_ros.conversions.geometry import pose_from_msg, transform_to_msg
from hicrisp_sim.arm import EmbeddedArm
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.motion import MotionPlanner
from hicrisp_sim.simulation import Simulation
from hicrisp_sim.tracker import Tracker
from moveit_msgs.msg import (
    ContactInformation,
    ExecuteTrajectoryAction,
    ExecuteTrajectoryFeedback,
    ExecuteTrajectoryGoal,
    ExecuteTrajectoryResult,
    MoveItErrorCodes,
    PlannerInterfaceDescription,
    RobotState,
    RobotTrajectory,
)
from moveit_msgs.srv import (
    ApplyPlanningScene,
    ApplyPlanningSceneResponse,
    GetCartesianPath,
    GetCartesianPathRequest,
    GetCartesianPathResponse,
    GetPlanningScene,
    GetPlanningSceneResponse,
    GetPositionIK,
    GetPositionIKRequest,
    GetPositionIKResponse,
    GetStateValidity,
    GetStateValidityRequest,
    GetStateValidityResponse,
    QueryPlannerInterfaces,
    QueryPlannerInterfacesResponse,
)
from reference_scene import ARM, ReferenceScene
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import until

MODES = ("", "hangs", "silent", "lies", "deaf", "dies", "violates", "blind")
"""Planning ``hangs``, or planning's ``silent`` services; execution ``lies`` about having moved, is ``deaf``
to cancel, ``dies`` on the way while the controller goes on, ``violates`` its path; ``blind``: no joint
states."""
SUCCESS, TIMED_OUT, PREEMPTED, CONTROL_FAILED, NO_IK, NO_CONSTRAINTS = 1, -6, -7, -4, -31, -16
CONTROLLER = "/position_joint_trajectory_controller/follow_joint_trajectory"
_START_TOLERANCE = 0.01
_PERIOD = 0.02
_SAMPLE = 0.01


class ReferenceMoveIt:
    """move_group, its controllers and its robot in one.

    Args:
        scene: the things that are really there.
        tf: publishes ``/tf``.
        namespace: of all other names.
        patience: part of the asked planning time that a search in vain takes.
        things: whether TF also tells where the things are.
    """

    def __init__(
        self, scene: Scene, tf: rospy.Publisher, namespace: str = "", patience: float = 1.0,
        things: bool = False
    ) -> None:
        self.mode: Callable[[], str] = lambda: ""
        self.goals, self.plans, self.patience, self._tf, self._ns = 0, 0, patience, tf, namespace
        self.simulation = Simulation(scene, ARM, 1.0)
        self.arm = EmbeddedArm(self.simulation, scene, ARM)
        self._settings, self._kinematics = ARM.settings, Kinematics(ARM)
        self.scene = ReferenceScene(scene, self._kinematics)
        self._dice = np.random.default_rng(7)
        self._things, self._ended = things, Event()
        self._cancel, self._controller_cancel, self._moving = Event(), Event(), RLock()
        rospy.set_param(f"{namespace}/robot_description", ARM.urdf)
        self.simulation.start_idling()
        self._publish()
        self._serve()

    def _serve(self) -> None:
        self._subscribers = [
            rospy.Subscriber(f"{self._ns}/trajectory_execution_event", String, self._on_event, queue_size=5),
            rospy.Subscriber(f"{self._ns}{CONTROLLER}/cancel", GoalID,
                             lambda _: self._controller_cancel.set(),
                             queue_size=5)]
        self._told = rospy.Publisher(
            f"{self._ns}{CONTROLLER}/result", FollowJointTrajectoryActionResult, queue_size=5)
        services: Sequence[Tuple[str, Any, Callable[[Any], Any]]] = (
            ("/reference/plan", Plan, self._plan), ("/compute_ik", GetPositionIK, self._ik),
            ("/check_state_validity", GetStateValidity, self._validity),
            ("/compute_cartesian_path", GetCartesianPath, self._line),
            ("/apply_planning_scene", ApplyPlanningScene, lambda request: ApplyPlanningSceneResponse(
                self.scene.apply(request.scene, self.simulation.arm_positions))),
            ("/get_planning_scene", GetPlanningScene, lambda _: GetPlanningSceneResponse(self.scene.tell())),
            ("/query_planner_interface", QueryPlannerInterfaces, _planners))
        self._services = [rospy.Service(f"{self._ns}{name}", kind, work) for name, kind, work in services]
        self._execute = actionlib.SimpleActionServer(
            f"{self._ns}/execute_trajectory", ExecuteTrajectoryAction, self._on_goal, auto_start=False)
        self._execute.register_preempt_callback(self._on_preempt)
        self._gripper = actionlib.SimpleActionServer(
            f"{self._ns}/franka_gripper/gripper_action", GripperCommandAction, self._on_gripper,
            auto_start=False)
        self._execute.start()
        self._gripper.start()

    def die(self) -> None:
        """move_group is gone; the controller and the robot are not."""
        silence(self._execute)
        for service in self._services:
            service.shutdown("gone")

    def stop(self) -> None:
        """The end of a test."""
        self._ended.set()
        self._controller_cancel.set()
        self._cancel.set()
        self.die()
        self._execute.need_to_terminate = True
        end(self._gripper)
        self.simulation.close()

    @property
    def moving(self) -> bool:
        """Whether the arm truly moves."""
        return bool(np.abs(self.simulation.arm_velocities).max() > 0.05)

    @property
    def tool(self) -> Pose:
        """Where the tool truly is."""
        return self._eyes.read(self.simulation.snapshot)[0]["panda_hand_tcp"]

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

    def _plan(self, request: PlanRequest) -> PlanResponse:
        """Any planner id will do; what is in vain takes the whole planning time and ends as TIMED_OUT."""
        while self.mode() == "hangs" and not self._ended.is_set():
            time.sleep(0.05)
        self.plans += 1
        began = time.monotonic()
        with self.scene.lock:
            settings = replace(self._settings, speed=request.velocity, acceleration=request.acceleration,
                               search_time=request.planning_time)
            start = self.simulation.arm_positions
            self.scene.checker.set_opening(self.arm.opening())
            if request.pose:
                pose = pose_from_msg(request.pose[0])
                assert pose is not None
                planner = MotionPlanner(self.scene.checker, self._kinematics, settings, 1)
                motion = planner.to_pose(start, pose, Deadline(request.planning_time), self.scene.touch)
            elif request.joints:
                planner = MotionPlanner(self.scene.checker, Kinematics(ARM, request.joints), settings, 1)
                motion = planner.to_rest(start, Deadline(request.planning_time))
            else:
                return PlanResponse(error_code=MoveItErrorCodes(NO_CONSTRAINTS))
        if isinstance(motion, MotionFailure):
            if request.pose:
                time.sleep(max(0.0, began + self.patience * request.planning_time - time.monotonic()))
            return PlanResponse(error_code=MoveItErrorCodes(TIMED_OUT))
        return PlanResponse(RobotTrajectory(_coarse(motion)), MoveItErrorCodes(SUCCESS))

    def _ik(self, request: GetPositionIKRequest) -> GetPositionIKResponse:
        while self.mode() == "silent" and not self._ended.is_set():
            time.sleep(0.05)
        query = request.ik_request
        pose = pose_from_msg(query.pose_stamped.pose)
        assert pose is not None
        with self.scene.lock:
            self.scene.checker.set_opening(self.arm.opening())
            for row in self._kinematics.solutions(pose, self._row(query.robot_state), self._dice):
                if not query.avoid_collisions or self.scene.free(row):
                    return GetPositionIKResponse(_state(row), MoveItErrorCodes(SUCCESS))
        return GetPositionIKResponse(RobotState(), MoveItErrorCodes(NO_IK))

    def _validity(self, request: GetStateValidityRequest) -> GetStateValidityResponse:
        with self.scene.lock:
            self.scene.checker.set_opening(self.arm.opening())
            row = self._row(request.robot_state)
            contacts = [ContactInformation(
                contact_body_1=ARM.model.hand, body_type_1=ContactInformation.ROBOT_LINK,
                contact_body_2=name or "panda_link5",
                body_type_2=ContactInformation.WORLD_OBJECT if name else ContactInformation.ROBOT_LINK)
                for name in self.scene.touched(row)]
            return GetStateValidityResponse(self.scene.free(row), contacts)

    def _line(self, request: GetCartesianPathRequest) -> GetCartesianPathResponse:
        """Evenly spaced postures, up to the first that is out of reach or collides."""
        end = pose_from_msg(request.waypoints[0])
        assert end is not None
        with self.scene.lock:
            self.scene.checker.set_opening(self.arm.opening())
            rows = [self.simulation.arm_positions]
            begin = self._kinematics.tool_pose(rows[0])
            steps = max(2, math.floor(math.dist(begin.position, end.position) / request.max_step) + 1)
            for step in range(1, steps + 1):
                row = self._kinematics.solve(begin.towards(end, step / steps), rows[-1], 25, 0.0)
                if row is None or request.avoid_collisions and not self.scene.free(row):
                    break
                rows.append(row)
        message = JointTrajectory(joint_names=list(ARM.joints))
        message.points = [JointTrajectoryPoint(positions=list(row)) for row in rows]
        return GetCartesianPathResponse(RobotTrajectory(message), (len(rows) - 1) / steps,
                                        MoveItErrorCodes(SUCCESS))

    def _row(self, state: RobotState) -> np.ndarray:
        found = dict(zip(state.joint_state.name, state.joint_state.position))
        return np.array([found.get(joint, at)
                         for joint, at in zip(ARM.joints, self.simulation.arm_positions)])

    def _on_event(self, message: String) -> None:
        if message.data == "stop" and self.mode() != "deaf":
            self._cancel.set()

    def _on_preempt(self) -> None:
        if self.mode() != "deaf":
            self._cancel.set()

    def _on_goal(self, goal: ExecuteTrajectoryGoal) -> None:
        self.goals += 1
        self._cancel.clear()
        self._controller_cancel.clear()
        mode, message = self.mode(), goal.trajectory.joint_trajectory
        self._execute.publish_feedback(ExecuteTrajectoryFeedback("MONITOR"))
        if mode == "dies":
            Thread(target=self._carry_out, args=(message,), daemon=True).start()
            until(lambda: self.moving, "motion")
            self.die()
            return
        code = SUCCESS if mode == "lies" or not message.points else self._carry_out(message)
        result = ExecuteTrajectoryResult(MoveItErrorCodes(code))
        try:
            if code == SUCCESS:
                self._execute.set_succeeded(result)
            elif code == PREEMPTED and self._execute.is_preempt_requested():
                self._execute.set_preempted(result)
            else:
                self._execute.set_aborted(result)
        except rospy.ROSException:
            return  # it has died

    def _carry_out(self, message: JointTrajectory) -> int:
        """What the controllers do with a motion; the code that move_group makes of it."""
        with self._moving:
            if set(message.joint_names) <= set(ARM.model.fingers):
                return SUCCESS if self._fingers(2.0 * message.points[-1].positions[0],
                                                20.0) else CONTROL_FAILED
            motion = _fine(trajectory_of(message))
            if np.abs(np.array(motion.positions[0]) - self.simulation.arm_positions).max() > _START_TOLERANCE:
                return CONTROL_FAILED
            if self.mode() == "violates":
                self._give_up(-4, "panda_joint4 path error 0.2100")
                return CONTROL_FAILED
            outcome = self.arm.follow(motion, Deadline(300.0),
                                      LinkedEvent(self._cancel, self._controller_cancel))
        if outcome.ok:
            return SUCCESS
        if outcome.status is Status.CANCELED:
            return PREEMPTED
        self._give_up(-4, outcome.message)
        return CONTROL_FAILED

    def _give_up(self, code: int, text: str) -> None:
        told = FollowJointTrajectoryActionResult(result=FollowJointTrajectoryResult(code, text))
        told.header.stamp = rospy.Time.now()
        self._told.publish(told)

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


def _planners(_: Any) -> QueryPlannerInterfacesResponse:
    names = [f"{group}[{planner}]" for group in ("panda_arm", "panda_manipulator")
             for planner in ("PRM", "RRTConnect")]
    return QueryPlannerInterfacesResponse([PlannerInterfaceDescription("OMPL", "ompl", names)])


def _state(row: np.ndarray) -> RobotState:
    return RobotState(joint_state=JointState(name=list(ARM.joints), position=list(row)))


def _coarse(motion: Trajectory) -> JointTrajectory:
    """A motion with a point every tenth of a second, as MoveIt's time parametrisation makes them."""
    keep = sorted({*range(0, len(motion.times), 10), len(motion.times) - 1})
    rows: List[Any] = [[values[index] for index in keep]
                       for values in (motion.times, motion.positions, motion.velocities)]
    return message_of(Trajectory(motion.joints, tuple(rows[0]), tuple(rows[1]), tuple(rows[2])))


def _fine(motion: Trajectory) -> Trajectory:
    """A motion as a controller interpolates it: cubic between the points, evenly spaced in time."""
    from scipy.interpolate import CubicHermiteSpline

    order = [motion.joints.index(joint) for joint in ARM.joints]
    positions, velocities = np.array(motion.positions)[:, order], np.array(motion.velocities)[:, order]
    times = np.linspace(0.0, motion.times[-1], max(2, math.ceil(motion.times[-1] / _SAMPLE) + 1))
    spline = CubicHermiteSpline(np.array(motion.times), positions, velocities)
    rows, speeds = spline(times), spline(times, 1)
    return Trajectory(ARM.joints, tuple(times), tuple(map(tuple, rows)), tuple(map(tuple, speeds)))
