"""A driver's door: serves ``robots/<name>/execute`` over any RobotPort."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Callable, Optional, Sequence, Tuple

import rospy
from hicrisp_core.domain.saying import sentence
from hicrisp_core.model import Outcome, Pose, Status
from hicrisp_core.ports.robot import Constraints, RobotPort
from hicrisp_core.robot.drive_goals import Reached
from hicrisp_core.robot.safety import LONGEST, invalid_outcome, unsound_constraints
from hicrisp_core.time import AlarmEvent, Deadline

from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandFeedback, ExecuteCommandResult
from hicrisp_msgs.srv import FirstReached, FirstReachedRequest, FirstReachedResponse
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.conversions import COMMAND, KEEP_OUTS, OUTCOME, pose_from_msg
from hicrisp_ros.diagnostics import WARN, Diagnostics, Health
from hicrisp_ros.supervisor_watch import SupervisorWatch

_BACK_WITHIN = 5.0
"""Wall seconds for a heartbeat to follow a command, on however busy a machine: a supervisor that was away sends the one
with the other."""

FindReached = Callable[[Sequence[Pose], Constraints, Deadline], Reached]


class RobotServer:
    """Serves one robot; a new command asks the running one to end.

    Args:
        first_reached: for a base that knows where its trajectories lead; served as ``robots/<name>/first_reached``.
    """

    def __init__(self, robot: RobotPort, first_reached: Optional[FindReached] = None) -> None:
        self._services = [] if first_reached is None else [rospy.Service(
            f"robots/{robot.name}/first_reached", FirstReached,
            lambda request: _find(first_reached, request))]
        self._robot, self._watch = robot, SupervisorWatch()
        self._doing: Optional[Tuple[str, float]] = None
        self._last = "none yet"
        self._server = ActionServer(f"robots/{robot.name}/execute", ExecuteCommandAction,
                                    self._execute).start()
        self._diagnostics = Diagnostics(f"robot {robot.name}", self._health, robot.name)

    def _execute(self, goal: Goal) -> ExecuteCommandResult:
        action = goal.message.command.action
        self._doing = action, time.monotonic()
        try:
            result = carry_out(self._robot, goal, self._watch)
        finally:
            self._doing = None
        self._last = f"{action}: {result.outcome.message or 'done'}"
        return result

    def _health(self) -> Health:
        doing, values = self._doing, {"last command": self._last}
        if doing is not None:
            action, began = doing
            return Health(f"carries out {action}", values={
                **values, "for": f"{time.monotonic() - began:.0f} s"})
        refusal = self._watch.objection()
        if refusal is not None:
            return Health(refusal.message, WARN, values)
        return Health("stands ready for a command", values=values)


def carry_out(robot: RobotPort, goal: Goal, watch: SupervisorWatch) -> ExecuteCommandResult:
    """Execute the command of a goal, within the goal's time limit or else the command's own, and only as long
    as the supervisor permits.

    Args:
        robot: executes the command.
        goal: the accepted action goal.
        watch: observes the supervisor.

    Returns:
        The action result.
    """
    command = COMMAND.from_msg(goal.message.command)
    refusal = invalid_outcome(command)
    if refusal is not None:
        return ExecuteCommandResult(OUTCOME.to_msg(refusal))
    limit = min(LONGEST, goal.message.time_limit if goal.message.time_limit > 0.0 else command.time_limit)
    deadline = Deadline(max(0.0, limit))
    watch.wait_until_back(min(_BACK_WITHIN, deadline.remaining), goal.cancel)
    refusal = watch.objection()
    if refusal is not None:
        return ExecuteCommandResult(OUTCOME.to_msg(refusal))
    cancel: AlarmEvent[Outcome] = AlarmEvent(watch.objection, goal.cancel)
    outcome = robot.execute(command, deadline, cancel,
                            lambda phase, done: goal.feedback(ExecuteCommandFeedback(phase, done)))
    if outcome.status is Status.CANCELED and cancel.alarmed is not None:
        message = f"{cancel.alarmed.message} {sentence(outcome.message)}"
        outcome = replace(cancel.alarmed, message=message.rstrip())
    return ExecuteCommandResult(OUTCOME.to_msg(outcome))


def _find(first_reached: FindReached, request: FirstReachedRequest) -> FirstReachedResponse:
    poses = [pose for pose in map(pose_from_msg, request.poses) if pose is not None]
    constraints = Constraints(KEEP_OUTS.from_msg(request.keep_out), request.clearance)
    if unsound_constraints(constraints) is not None:
        return FirstReachedResponse(False, -1)
    found = first_reached(poses, constraints, Deadline(min(LONGEST, max(0.0, request.time_limit))))
    return FirstReachedResponse(found.known, poses.index(found.pose) if found.pose is not None else -1)
