"""A driver's door: serves ``robots/<name>/execute`` over any RobotPort."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable, Optional, Sequence

import rospy
from hicrisp_core.body.drive_goals import Reached
from hicrisp_core.model import Outcome, Pose, Status
from hicrisp_core.ports.robot import Constraints, RobotPort
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.linked_event import AlarmEvent

from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandFeedback, ExecuteCommandResult
from hicrisp_msgs.srv import FirstReached, FirstReachedRequest, FirstReachedResponse
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.conversions import command_from_msg, keep_outs_from_msg, outcome_to_msg, pose_from_msg
from hicrisp_ros.supervisor_watch import SupervisorWatch

FindReached = Callable[[Sequence[Pose], Constraints, Deadline], Reached]


class RobotServer:
    """Serves one robot; a new command asks the running one to end.

    Args:
        first_reached: for a base that knows where its trajectories lead; served as
            ``robots/<name>/first_reached``.
    """

    def __init__(self, robot: RobotPort, first_reached: Optional[FindReached] = None) -> None:
        self._services = [] if first_reached is None else [rospy.Service(
            f"robots/{robot.name}/first_reached", FirstReached,
            lambda request: _find(first_reached, request))]
        watch = SupervisorWatch()
        self._server = ActionServer(f"robots/{robot.name}/execute", ExecuteCommandAction,
                                    lambda goal: carry_out(robot, goal, watch)).start()


def carry_out(robot: RobotPort, goal: Goal, watch: SupervisorWatch) -> ExecuteCommandResult:
    """Let a robot execute a goal's command, within the goal's time limit or else the command's own, and no
    longer than the supervisor lets it.
    """
    refusal = watch.objection()
    if refusal is not None:
        return ExecuteCommandResult(outcome_to_msg(refusal))
    command = command_from_msg(goal.message.command)
    limit = goal.message.time_limit if goal.message.time_limit > 0.0 else command.time_limit
    cancel: AlarmEvent[Outcome] = AlarmEvent(watch.objection, goal.cancel)
    outcome = robot.execute(command, Deadline(max(0.0, limit)), cancel,
                            lambda phase, done: goal.feedback(ExecuteCommandFeedback(phase, done)))
    if outcome.status is Status.CANCELED and cancel.alarmed is not None:
        outcome = replace(cancel.alarmed, message=f"{cancel.alarmed.message} {outcome.message}".rstrip())
    return ExecuteCommandResult(outcome_to_msg(outcome))


def _find(first_reached: FindReached, request: FirstReachedRequest) -> FirstReachedResponse:
    poses = [pose for pose in map(pose_from_msg, request.poses) if pose is not None]
    constraints = Constraints(keep_outs_from_msg(request.keep_out), request.clearance)
    found = first_reached(poses, constraints, Deadline(max(0.0, request.time_limit)))
    return FirstReachedResponse(found.known, poses.index(found.pose) if found.pose is not None else -1)
