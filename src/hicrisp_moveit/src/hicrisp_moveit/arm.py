"""The ``Arm`` over MoveIt: plan, check the code, execute, verify."""

from __future__ import annotations

import math
from threading import Event
from typing import Callable, FrozenSet, List, Optional, Protocol, Sequence, Set, Tuple, Union

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Outcome, Pose, Status, WorldState
from hicrisp_core.model.geometry import distance
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.time.deadline import Deadline

from hicrisp_moveit.error_codes import TIMED_OUT, planning_reason
from hicrisp_moveit.execution import Execution, trajectory_of
from hicrisp_moveit.frames import Frames
from hicrisp_moveit.gripper_port import GripperParts, make_drive
from hicrisp_moveit.hand import Hand
from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.limits import JointLimits, check_fingers, read_limits
from hicrisp_moveit.line_timing import time_line
from hicrisp_moveit.move_group import Commander, MoveGroup, PlanReply
from hicrisp_moveit.postures import NoAnswer, Postures, Row
from hicrisp_moveit.scene_sync import NotConfirmed, SceneSync
from hicrisp_moveit.settings import ArmFile, FrankaSettings, MoveItSettings

Motion = Union[Trajectory, MotionFailure]
_LOOKS = 8
"""Postures between start and goal that are looked at for what is in the way."""
_NEARLY = 0.999
"""Part of a line that counts as all of it."""
_FINGER_STILL = 0.0005
"""Change of the opening below which the fingers count as standing, metres."""
_BEHAVIOUR_WAIT = 3.0
_LATE = MotionFailure("timeout", "the time to plan a motion ran out")


class Hardware(Protocol):
    """What the robot itself says besides MoveIt."""

    def ready(self, deadline: Deadline) -> Optional[Outcome]:
        """Why it cannot move; ``None`` when it can."""

    def alarm(self) -> Optional[Outcome]:
        """Why a motion must not go on; ``None`` while all is well."""

    def begin_guard(self) -> None:
        """Feel for contacts from now on."""

    def contact(self) -> Optional[Outcome]:
        """What was touched; ``None`` while nothing was."""

    def end_guard(self) -> None:
        """Feel no longer."""


class MoveItArm:
    """One arm with a parallel gripper behind a move_group. Its parts are made by ``assembly.make_arm``."""

    def __init__(
        self, name: str, settings: MoveItSettings, group: MoveGroup, joints: JointWatch, frames: Frames,
        hand: Hand,
        limits: Sequence[JointLimits], max_opening: float, hardware: Optional[Hardware] = None,
    ) -> None:
        self.name = name
        self.max_opening = max_opening
        self._settings = settings
        self._group = group
        self._joints = joints
        self._frames = frames
        self._hand = hand
        self._limits = tuple(limits)
        self._hardware = hardware
        self._scene = SceneSync(settings, group.frame)
        self._postures = Postures(settings, group.joints, group.frame)
        self._execution = Execution(settings, joints)
        self._moved_at = 0.0
        self._fault = ""

    def tool_pose(self) -> Pose:
        found = self._frames.tool(self._moved_at)
        return found if found is not None else Pose((math.nan,) * 3)

    def opening(self) -> float:
        found = self._hand.opening()
        return found if found is not None else math.nan

    def sync(self, world: WorldState) -> None:
        place = self._frames.world
        if place is None:
            self._fault = self._frames.problem()
        else:
            self._change(lambda: self._scene.sync(world, place))

    def attach(self, object_name: str) -> None:
        self._change(lambda: self._scene.attach(object_name))

    def detach(self) -> None:
        self._change(self._scene.detach)

    def margin(self, pose: Pose) -> Optional[float]:
        goal = self._frames.link_goal(pose) if pose.finite else None
        if goal is None:
            return None
        try:
            row = self._postures.reaching(goal, False, Deadline(self._settings.service_wait), 1)
        except NoAnswer as error:
            rospy.logwarn("%s", error)
            return None
        if row is None:
            return None
        return min(min(at - limit.lower, limit.upper - at) for at, limit in zip(row, self._limits))

    def plan_to(self, pose: Pose, deadline: Deadline, touch: FrozenSet[str] = frozenset(),
                then: Sequence[Pose] = ()) -> Motion:
        def work(goal: Pose) -> Motion:
            astray = self._onward(then, deadline)
            if astray is None and then and touch:  # What may be touched then is kept clear of before.
                self._scene.allow(frozenset())
                clear = self._to_pose(pose, goal, deadline)
                if isinstance(clear, Trajectory):
                    return clear
                self._scene.allow(touch)
            return astray or self._to_pose(pose, goal, deadline)

        return self._planned(pose, deadline, touch, work)

    def plan_line(self, pose: Pose, deadline: Deadline, speed: float,
                  touch: FrozenSet[str] = frozenset()) -> Motion:
        if not 0.0 < speed < math.inf:
            return MotionFailure("no_path", f"the speed of a line must be more than 0 m/s, got {speed}")
        return self._planned(pose, deadline, touch,
                             lambda goal: self._along(pose, goal, deadline, speed, touch))

    def plan_home(self, deadline: Deadline) -> Motion:
        rest = self._settings.rest

        def work(_: Pose) -> Motion:
            touched = self._postures.touched(rest, deadline)
            if touched is not None:
                return MotionFailure.blocked("goal_in_collision", touched, "at the rest posture, ")
            return self._motion(self._group.plan_joints(rest, deadline), rest, deadline)

        return self._planned(Pose((0.0, 0.0, 0.0)), deadline, frozenset(), work)

    def follow(
        self, trajectory: Trajectory, deadline: Deadline, cancel: Event, stop_on_contact: bool = False
    ) -> Outcome:
        hardware = self._hardware
        refusal = hardware.ready(deadline) if hardware is not None else None
        if refusal is not None:
            return refusal
        if hardware is not None and stop_on_contact:
            hardware.begin_guard()
        try:
            return self._execution.follow(trajectory, deadline, cancel, self._alarm)
        finally:
            self._moved_at = self._joints.stamp
            if hardware is not None:
                hardware.end_guard()

    def move_gripper(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        return self._hand.move(opening, deadline, cancel)

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        return self._hand.grasp(force, deadline, cancel)

    def stop(self, deadline: Deadline) -> Outcome:
        return self._execution.stop(deadline)

    def recover(self, deadline: Deadline) -> Outcome:
        """Bring the hardware back after a reflex; an arm without such hardware has none."""
        refusal = self._hardware.ready(deadline) if self._hardware is not None else None
        return refusal or Outcome(Status.SUCCESS)

    def _alarm(self) -> Optional[Outcome]:
        if not self._joints.alive:
            return self._joints.silent()
        if self._hardware is None:
            return None
        return self._hardware.alarm() or self._hardware.contact()

    def _change(self, work: Callable[[], None]) -> None:
        """Change the planning scene; nothing is planned in one that was not confirmed."""
        try:
            work()
            self._fault = ""
        except NotConfirmed as error:
            self._fault = str(error)
            rospy.logerr("%s", error)

    def _planned(
        self, pose: Pose, deadline: Deadline, touch: FrozenSet[str], work: Callable[[Pose], Motion]
    ) -> Motion:
        """What every plan begins with: a finite goal, in a known frame, in a scene that is the observed world."""
        if not pose.finite:
            return MotionFailure("unreachable",
                                 f"the pose {pose.position} with {pose.orientation} is not finite")
        if self._fault:
            return MotionFailure("lost", self._fault)
        if deadline.passed:
            return _LATE
        goal = self._frames.link_goal(pose)
        if goal is None:
            return MotionFailure("lost", self._frames.problem())
        try:
            self._scene.allow(touch)
            return work(goal)
        except (NoAnswer, NotConfirmed) as error:
            return _LATE if deadline.passed else MotionFailure("lost", str(error))

    def _onward(self, then: Sequence[Pose], deadline: Deadline) -> Optional[MotionFailure]:
        """Why the arm cannot go on to one of some poses: no free posture, whatever the one that it comes from."""
        for pose in then:
            goal = self._frames.link_goal(pose)
            if goal is None or self._postures.reaching(goal, True, deadline) is None:
                x, y, z = pose.position
                return MotionFailure("unreachable", f"the arm cannot go on to ({x:.2f}, {y:.2f}, {z:.2f})")
        return None

    def _to_pose(self, pose: Pose, goal: Pose, deadline: Deadline) -> Motion:
        """Ask first what MoveIt would tell only by using up its planning time: whether a free posture gets there."""
        row = self._postures.reaching(goal, False, deadline)
        if row is None:
            x, y, z = pose.position
            return MotionFailure("unreachable",
                                 f"the tool pose at ({x:.2f}, {y:.2f}, {z:.2f}) is out of the arm's reach")
        free = self._postures.reaching(goal, True, deadline)
        if free is None:
            touched = self._postures.touched(row, deadline) or ("",)
            return MotionFailure.blocked("goal_in_collision", touched, "at the goal, ")
        return self._motion(self._group.plan_pose(goal, deadline), free, deadline)

    def _motion(self, reply: PlanReply, goal: Sequence[float], deadline: Deadline) -> Motion:
        """The planned motion, or why there is none."""
        if reply.ok and reply.trajectory is not None:
            return trajectory_of(reply.trajectory.joint_trajectory)
        if deadline.passed:
            return _LATE
        if reply.message:
            return MotionFailure("lost", reply.message)
        kind, reason = planning_reason(reply.code)
        if kind not in ("no_path", "start_in_collision"):
            return MotionFailure(kind, reason)
        start = self._postures.touched(None, deadline)
        if start is not None:
            return MotionFailure.blocked("start_in_collision", start, "where the arm is now, ")
        between = self._between(goal, deadline) if reply.code == TIMED_OUT or kind == "no_path" else ()
        return MotionFailure.blocked(kind, between, f"{reason}: ") if any(between) else MotionFailure(kind,
                                                                                                      reason)

    def _between(self, goal: Sequence[float], deadline: Deadline) -> Tuple[str, ...]:
        """What is in the way of the straight motion of the joints."""
        start = self._joints.positions() or ()
        found: Set[str] = set()
        end = unwound([start, tuple(goal)], self._limits)[-1] if start else ()
        for look in range(1, _LOOKS) if start else ():
            row = [a + (b - a) * look / _LOOKS for a, b in zip(start, end)]
            found.update(self._postures.touched(row, deadline) or ())
        return tuple(sorted(found))

    def _along(self, pose: Pose, goal: Pose, deadline: Deadline, speed: float,
               touch: FrozenSet[str]) -> Motion:
        """A straight motion; what the hand touches already at the start it may touch all the way."""
        start = self._frames.tool(self._moved_at)
        if start is None:
            return MotionFailure("lost", self._frames.problem())
        touched = self._postures.touched(None, deadline)
        if touched is not None:
            self._scene.allow(touch | frozenset(filter(None, touched)))
        length = distance(start.position, pose.position)
        rows, part = self._line(goal, True, deadline)
        if part < _NEARLY or _jumps(rows, self._settings.line_jump):
            return self._broken_line(pose, goal, length, deadline)
        if len(rows) < 2:
            rows = (*rows, *rows)
        return time_line(self._group.joints, rows, length, speed, self._limits, self._settings.velocity,
                         self._settings.acceleration)

    def _line(self, goal: Pose, free: bool, deadline: Deadline) -> Tuple[Sequence[Row], float]:
        rows, part = self._postures.line(goal, free, deadline)
        return unwound(rows, self._limits), part

    def _broken_line(self, pose: Pose, goal: Pose, length: float, deadline: Deadline) -> MotionFailure:
        """Why a straight motion ends before its goal."""
        rows, part = self._line(goal, False, deadline)
        if part < _NEARLY or _jumps(rows, self._settings.line_jump):
            x, y, z = pose.position
            return MotionFailure("unreachable",
                                 f"the arm cannot move straight to ({x:.2f}, {y:.2f}, {z:.2f}) from its posture")
        for index, row in enumerate(rows):
            touched = self._postures.touched(row, deadline)
            if touched is not None and index > 0:
                left = 100.0 * length * (1.0 - index / max(1, len(rows) - 1))
                where = f"{left:.0f} cm before the end of the line, "
                return MotionFailure.blocked("no_path", touched, where)
        return MotionFailure("no_path", "something is in the way of the line")


def unwound(rows: Sequence[Row], limits: Sequence[JointLimits]) -> Tuple[Row, ...]:
    """Return rows of joint positions in which no continuous joint jumps by a whole turn from row to row."""
    found: List[Row] = []
    for row in rows:
        last = found[-1] if found else row
        found.append(tuple(a + math.remainder(b - a, math.tau) if limit.turns else b
                           for a, b, limit in zip(last, row, limits)))
    return tuple(found)


def _jumps(rows: Sequence[Row], limit: float) -> bool:
    """Whether a joint turns farther between two rows than it may."""
    return any(abs(b - a) > limit for first, second in zip(rows, rows[1:]) for a, b in zip(first, second))


def make_arm(file: ArmFile, commander: Commander, wait: float) -> MoveItArm:
    """The arm that a robot's file describes.

    Args:
        commander: ``moveit_commander.MoveGroupCommander``.
        wait: longest wait for move_group, and then for the gripper, seconds of wall time.

    Raises:
        ConfigError: when move_group or the robot's description is not there or does not fit the settings.
    """
    settings, gripper = file.moveit, file.gripper
    group = MoveGroup(settings, commander, Deadline(wait))
    limits = read_limits(settings.robot_description, group.joints, settings.joint_acceleration)
    joints = JointWatch(settings.joint_states, group.joints, settings.joint_age, settings.still,
                        settings.still_time,
                        [joint for joint, limit in zip(group.joints, limits) if not limit.turns])
    fingers = JointWatch(settings.joint_states, gripper.fingers, settings.joint_age,
                         gripper.way(_FINGER_STILL), settings.still_time)
    check_fingers(gripper, settings.robot_description)
    hand = Hand(gripper, make_drive(GripperParts(gripper, settings, fingers, wait)), fingers)
    hardware = _franka(file.franka) if file.franka is not None else None
    return MoveItArm(file.name, settings, group, joints, Frames(settings, group.frame), hand, limits,
                     gripper.max_opening, hardware)


def _franka(settings: FrankaSettings) -> Optional[Hardware]:
    try:
        from hicrisp_moveit.hardware import FrankaHardware
    except ImportError as error:
        raise ConfigError("a robot file with the section 'franka' needs the package franka_msgs "
                          f"({error})") from error
    hardware = FrankaHardware(settings)
    refused = hardware.set_collision_behaviour(_BEHAVIOUR_WAIT)
    if refused:
        rospy.logwarn("the collision behaviour stays as franka_control was launched with: %s", refused)
    return hardware
