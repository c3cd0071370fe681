"""Motions on their way: sent to move_group without blocking, ended on time, and believed only by the joint states."""

from __future__ import annotations

import math
import time
from threading import Event
from typing import Callable, List, Optional, Tuple

import rospy
from actionlib_msgs.msg import GoalID
from control_msgs.msg import FollowJointTrajectoryActionResult
from hicrisp_core.model import CauseKind, Outcome, Status
from hicrisp_core.ports.robot import Trajectory
from hicrisp_core.time import AlarmEvent, Deadline, wait_until
from hicrisp_ros.action_client import ActionClient, CallStatus, Limits, Reply
from hicrisp_ros.publisher import Publisher
from moveit_msgs.msg import ExecuteTrajectoryAction, ExecuteTrajectoryGoal
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from hicrisp_moveit.error_codes import CONTROL_FAILED, SUCCESS, Reason, controller_reason, execution_reason
from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.settings import MoveItSettings

_PERIOD = 0.1
_POLL = 0.01
_REASON_WAIT = 2.0
"""Longest wait for a controller's own reason, which comes by another way than MoveIt's code, seconds."""
_SETTLE = 5.0
"""Longest wait for the joints to come to rest at the end of a motion, seconds of wall time."""

Alarm = Callable[[], Optional[Outcome]]
"""Why a motion must not go on; ``None`` while all is well."""


class Execution:
    """The way to the controllers of one group of joints."""

    def __init__(self, settings: MoveItSettings, joints: JointWatch) -> None:
        self._settings = settings
        self._joints = joints
        action = settings.name("execute_trajectory")
        self._client = ActionClient(action, ExecuteTrajectoryAction)
        self._event = Publisher(settings.name("trajectory_execution_event"), String, queue_size=5)
        self._cancels = [Publisher(f"{name}/cancel", GoalID, queue_size=5)
                         for name in (action, *settings.controllers)]
        self._controllers = ControllerReasons(settings.controllers)
        self._stopping = Event()

    def follow(self, trajectory: Trajectory, deadline: Deadline, cancel: Event, alarm: Alarm) -> Outcome:
        """Carry a motion out; on return the joints stand, or the outcome says that they do not."""
        self._stopping.clear()
        refusal = self._refusal(trajectory, deadline, cancel)
        if refusal is not None:
            return refusal
        began, watch = time.monotonic(), AlarmEvent(alarm, cancel, self._stopping)
        limits = Limits(min(self._settings.server_wait, deadline.remaining), deadline.remaining,
                        self._settings.stop_limit)
        goal = ExecuteTrajectoryGoal()
        goal.trajectory.joint_trajectory = message_of(trajectory)
        reply = self._client.call(goal, limits, watch, press=self._tell_to_stop)
        outcome = self._outcome(reply, watch, cancel, began)
        if outcome.ok:
            return self._arrived(trajectory)
        return outcome.stopped(self._halt(Deadline(self._settings.stop_limit)))

    def stop(self, deadline: Deadline) -> Outcome:
        """End whatever runs, and wait until the joints stand."""
        self._stopping.set()
        return self._halt(deadline)

    def _tell_to_stop(self) -> None:
        """Tell move_group, and the controllers in case that it is gone or hangs."""
        self._event.publish(String("stop"))
        for publisher in self._cancels:
            publisher.publish(GoalID())

    def _halt(self, deadline: Deadline) -> Outcome:
        """Tell everybody to stop until the joints stand."""
        while True:
            self._tell_to_stop()
            halted = self._joints.wait_until_standing(Deadline(min(_PERIOD, deadline.remaining)))
            if halted.ok or deadline.passed or rospy.is_shutdown():
                return halted

    def _refusal(self, trajectory: Trajectory, deadline: Deadline, cancel: Event) -> Optional[Outcome]:
        """Why a motion does not begin; ``None`` when it may."""
        numbers = [value for rows in (trajectory.positions, trajectory.velocities)
                   for row in rows for value in row]
        if not trajectory.times or not all(math.isfinite(value) for value in (*trajectory.times, *numbers)):
            return Outcome.because(CauseKind.REFUSED, Status.INVALID, "the motion is empty or not finite")
        if sorted(trajectory.joints) != sorted(self._joints.joints):
            return Outcome.because(CauseKind.REFUSED, Status.INVALID,
                                   f"the motion is of the joints {', '.join(trajectory.joints)}; there are: "
                                   f"{', '.join(self._joints.joints)}")
        if cancel.is_set():
            return Outcome.because(CauseKind.CANCELED, Status.CANCELED,
                                   "the motion was canceled before it began")
        if deadline.passed:
            return Outcome.because(CauseKind.OUT_OF_TIME, Status.TIMEOUT, "the time for the motion ran out")
        if not self._joints.wait_until_known(Deadline(min(self._settings.joint_age, deadline.remaining))):
            return self._joints.silent()
        apart, joint = self._joints.farthest(self._row(trajectory, 0))
        if apart > self._settings.start_tolerance:
            return Outcome.because(
                CauseKind.OFF_COURSE, Status.EXECUTION,
                f"the arm is not where the motion begins: {joint} is {apart:.3f} rad off", joint)
        return None

    def _arrived(self, trajectory: Trajectory) -> Outcome:
        """SUCCESS when the joints stand where the motion ends, whatever move_group says."""
        halted = self._joints.wait_until_standing(Deadline(_SETTLE))
        apart, joint = self._joints.farthest(self._row(trajectory, -1))
        if not halted.ok:
            return halted
        if apart > self._settings.goal_tolerance:
            return Outcome.because(
                CauseKind.OFF_COURSE, Status.EXECUTION,
                f"the arm did not get there although MoveIt says so: {joint} stands {apart:.3f} rad off",
                joint)
        return Outcome(Status.SUCCESS)

    def _row(self, trajectory: Trajectory, place: int) -> List[float]:
        found = dict(zip(trajectory.joints, trajectory.positions[place]))
        return [found[joint] for joint in self._joints.joints]

    def _outcome(self, reply: Reply, watch: AlarmEvent[Outcome], cancel: Event, began: float) -> Outcome:
        if watch.alarmed is not None and reply.status is not CallStatus.SUCCEEDED:
            return watch.alarmed
        code = reply.result.error_code.val if reply.result is not None else 0
        if reply.status is CallStatus.SUCCEEDED and code == SUCCESS:
            return Outcome(Status.SUCCESS)
        wished = cancel.is_set() or self._stopping.is_set()
        if reply.status is CallStatus.PREEMPTED and wished:
            return Outcome.because(CauseKind.CANCELED, Status.CANCELED, "the motion was stopped")
        if reply.status is CallStatus.TIMEOUT:
            return Outcome.because(CauseKind.OUT_OF_TIME, Status.TIMEOUT, "the time for the motion ran out")
        if reply.status in (CallStatus.LOST, CallStatus.UNREACHABLE, CallStatus.STUCK):
            return Outcome.because(CauseKind.UNREACHABLE_NODE, Status.LOST, {
                CallStatus.LOST: "move_group went away with the motion",
                CallStatus.UNREACHABLE: "no move_group took the motion",
                CallStatus.STUCK: "move_group did not end the motion when it was told to"}[reply.status],
                "move_group")
        kind, reason = execution_reason(code or CONTROL_FAILED)
        told = self._controllers.since(began, _REASON_WAIT if code == CONTROL_FAILED else 0.0)
        if told is None:
            return Outcome.because(kind, Status.EXECUTION, reason)
        return Outcome.because(told[0], Status.EXECUTION, f"{reason}: {told[1]}")


class ControllerReasons:
    """Why the trajectory controllers gave up: MoveIt's own code says no more than that they did."""

    def __init__(self, controllers: "tuple[str, ...]") -> None:
        self._last: Tuple[float, Optional[Reason]] = (-math.inf, None)
        self._subscribers = [
            rospy.Subscriber(f"{name}/result", FollowJointTrajectoryActionResult, self._on_result,
                             queue_size=5)
            for name in controllers]

    def since(self, moment: float, wait: float) -> Optional[Reason]:
        """The reason that was given after a moment of the monotonic clock; ``None`` when none was, nor for
        ``wait`` s.
        """
        given = wait_until(lambda: self._last[0] >= moment, Deadline(wait), period=_POLL)
        return self._last[1] if given else None

    def _on_result(self, message: FollowJointTrajectoryActionResult) -> None:
        reason = controller_reason(message.result.error_code, message.result.error_string)
        if reason is not None:
            self._last = (time.monotonic(), reason)


def message_of(trajectory: Trajectory) -> JointTrajectory:
    """A motion as a message."""
    message = JointTrajectory(joint_names=list(trajectory.joints))
    for seconds, row, speeds in zip(trajectory.times, trajectory.positions, trajectory.velocities):
        message.points.append(JointTrajectoryPoint(
            positions=list(row), velocities=list(speeds), time_from_start=rospy.Duration.from_sec(seconds)))
    return message


def trajectory_of(message: JointTrajectory) -> Trajectory:
    """A message as a motion; without velocities it gets those of its steps."""
    times = tuple(point.time_from_start.to_sec() for point in message.points)
    rows = tuple(tuple(point.positions) for point in message.points)
    speeds = [tuple(point.velocities) for point in message.points]
    if any(len(row) != len(message.joint_names) for row in speeds):
        speeds = [tuple((b - a) / max(times[i + 1] - times[i], 1e-3) for a, b in zip(rows[i], rows[i + 1]))
                  for i in range(len(rows) - 1)]
        still = tuple(0.0 for _ in message.joint_names)
        speeds = [still, *speeds[1:], still]
    return Trajectory(tuple(message.joint_names), times, rows, tuple(speeds))
