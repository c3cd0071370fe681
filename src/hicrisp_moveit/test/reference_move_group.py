"""A move_group for the tests: the real one's names, codes and habits, over whatever body carries its motions
out.

``mode`` names what goes wrong (see ``MODES``).
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Event, Thread
from typing import Any, Callable, List, Protocol, Sequence, Tuple

import actionlib
import numpy as np
import rospy
from ended_server import silence
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.scene import Scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.execution import message_of
from hicrisp_reference.srv import Plan, PlanRequest, PlanResponse
from hicrisp_ros.conversions.geometry import pose_from_msg
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.motion import MotionPlanner
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
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import until

MODES = ("", "hangs", "silent", "lies", "deaf", "dies", "violates", "blind")
"""Planning ``hangs``, or planning's ``silent`` services; execution ``lies`` about having moved, is ``deaf``
to cancel, ``dies`` on the way while the controller goes on; the robot ``violates`` its path, or is ``blind``:
no joint states."""
SUCCESS, TIMED_OUT, PREEMPTED, CONTROL_FAILED, NO_IK, NO_CONSTRAINTS = 1, -6, -7, -4, -31, -16
_ON_THE_WAY = 0.02
"""Radians after which a motion has begun."""


class Body(Protocol):
    """The robot of a move_group, with its controllers."""

    @property
    def positions(self) -> np.ndarray:
        """Of the arm's joints, radians."""

    def opening(self) -> float:
        """Of the fingers, metres."""

    def carry_out(self, motion: JointTrajectory, cancel: Event) -> int:
        """Let the controllers move; the code that move_group makes of it."""


class ReferenceMoveGroup:
    """move_group without a robot.

    Args:
        scene: what is on the table; its things come by the planning scene alone.
        namespace: of all names.
        patience: part of the asked planning time that a search in vain takes.
        cancel: set where somebody ends what runs.
    """

    def __init__(self, scene: Scene, body: Body, namespace: str, patience: float, cancel: Event) -> None:
        self.mode: Callable[[], str] = lambda: ""
        self.on_plan: Callable[[], None] = lambda: None
        self.goals, self.plans, self.patience, self._ns = 0, 0, patience, namespace
        self._body, self._cancel, self._ended = body, cancel, Event()
        self._settings, self._kinematics = ARM.settings, Kinematics(ARM)
        self.scene = ReferenceScene(scene, self._kinematics)
        self._dice = np.random.default_rng(7)
        self._serve()

    def _serve(self) -> None:
        self._event = rospy.Subscriber(
            f"{self._ns}/trajectory_execution_event", String, self._on_event, queue_size=5)
        services: Sequence[Tuple[str, Any, Callable[[Any], Any]]] = (
            ("/reference/plan", Plan, self._plan), ("/compute_ik", GetPositionIK, self._ik),
            ("/check_state_validity", GetStateValidity, self._validity),
            ("/compute_cartesian_path", GetCartesianPath, self._line),
            ("/apply_planning_scene", ApplyPlanningScene, lambda request: ApplyPlanningSceneResponse(
                self.scene.apply(request.scene, self._body.positions))),
            ("/get_planning_scene", GetPlanningScene, lambda _: GetPlanningSceneResponse(self.scene.tell())),
            ("/query_planner_interface", QueryPlannerInterfaces, _planners))
        self._services = [rospy.Service(f"{self._ns}{name}", kind, work) for name, kind, work in services]
        self._execute = actionlib.SimpleActionServer(
            f"{self._ns}/execute_trajectory", ExecuteTrajectoryAction, self._on_goal, auto_start=False)
        self._execute.register_preempt_callback(self._on_preempt)
        self._execute.start()

    def die(self) -> None:
        """move_group is gone; the controller and the robot are not."""
        silence(self._execute)
        for service in self._services:
            service.shutdown("gone")

    def _plan(self, request: PlanRequest) -> PlanResponse:
        """Any planner id will do; what is in vain takes the whole planning time and ends as TIMED_OUT."""
        self.on_plan()
        while self.mode() == "hangs" and not self._ended.is_set():
            time.sleep(0.05)
        self.plans += 1
        began = time.monotonic()
        with self.scene.lock:
            settings = replace(self._settings, speed=request.velocity, acceleration=request.acceleration,
                               search_time=request.planning_time)
            start = self._body.positions
            self.scene.checker.set_opening(self._body.opening())
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
            self.scene.checker.set_opening(self._body.opening())
            for row in self._kinematics.solutions(pose, self._row(query.robot_state), self._dice):
                if not query.avoid_collisions or self.scene.free(row):
                    return GetPositionIKResponse(_state(row), MoveItErrorCodes(SUCCESS))
        return GetPositionIKResponse(RobotState(), MoveItErrorCodes(NO_IK))

    def _validity(self, request: GetStateValidityRequest) -> GetStateValidityResponse:
        with self.scene.lock:
            self.scene.checker.set_opening(self._body.opening())
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
            self.scene.checker.set_opening(self._body.opening())
            rows = [self._body.positions]
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
                         for joint, at in zip(ARM.joints, self._body.positions)])

    def _on_event(self, message: String) -> None:
        if message.data == "stop" and self.mode() != "deaf":
            self._cancel.set()

    def _on_preempt(self) -> None:
        if self.mode() != "deaf":
            self._cancel.set()

    def _on_goal(self, goal: ExecuteTrajectoryGoal) -> None:
        self.goals += 1
        self._cancel.clear()
        mode, message = self.mode(), goal.trajectory.joint_trajectory
        self._execute.publish_feedback(ExecuteTrajectoryFeedback("MONITOR"))
        if mode == "dies":
            start = self._body.positions
            Thread(target=self._body.carry_out, args=(message, self._cancel), daemon=True).start()
            until(lambda: np.abs(self._body.positions - start).max() > _ON_THE_WAY, "motion")
            self.die()
            return
        nothing = mode == "lies" or not message.points
        code = SUCCESS if nothing else self._body.carry_out(message, self._cancel)
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
