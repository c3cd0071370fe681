"""A driver's door: serves ``robots/<name>/execute`` over any RobotPort."""

from __future__ import annotations

from hicrisp_core.robot.deadline import Deadline
from hicrisp_core.robot.ports import RobotPort

from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandFeedback, ExecuteCommandResult
from hicrisp_nodes.action_server import ActionServer, Goal
from hicrisp_nodes.conversions import command_from_msg, outcome_to_msg


class RobotServer:
    """Serves one robot; a new command asks the running one to end."""

    def __init__(self, robot: RobotPort) -> None:
        self._robot = robot
        self._server = ActionServer(f"robots/{robot.name}/execute", ExecuteCommandAction, self._execute).start()

    def _execute(self, goal: Goal) -> ExecuteCommandResult:
        command = command_from_msg(goal.message.command)
        limit = goal.message.time_limit if goal.message.time_limit > 0.0 else command.time_limit
        outcome = self._robot.execute(
            command, Deadline(max(0.0, limit)), goal.cancel,
            lambda phase, done: goal.feedback(ExecuteCommandFeedback(phase, done)))
        return ExecuteCommandResult(outcome_to_msg(outcome))
