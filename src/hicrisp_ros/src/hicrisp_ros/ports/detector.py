"""A detector behind its node."""

from __future__ import annotations

from hicrisp_core.model import Command, Outcome, Verdict, WorldState

from hicrisp_msgs.srv import CheckCommand, CheckCommandRequest
from hicrisp_ros import conversions as to
from hicrisp_ros.ports.thinker import lost
from hicrisp_ros.service_client import ServiceClient


class RosDetector:
    """A detector behind ``detector/check``.

    Args:
        limit: seconds of wall time for a check, long enough for the node to be started again.
    """

    def __init__(self, limit: float = 15.0) -> None:
        self._client = ServiceClient("detector/check", CheckCommand)
        self._limit = limit

    def check(self, command: Command, before: WorldState, after: WorldState, outcome: Outcome) -> Verdict:
        """Check whether a command worked.

        Args:
            command: the action with its arguments and constraints.
            before: world observed before the command.
            after: world observed after it.
            outcome: what the driver reports.

        Returns:
            The verdict; LOST if the node cannot be reached.
        """
        reply = self._client.call(CheckCommandRequest(
            to.command_to_msg(command), to.world_to_msg(before), to.world_to_msg(after),
            to.outcome_to_msg(outcome)
        ), self._limit)
        if reply.response is None:
            return Verdict(lost("detector", reply.message))
        return to.verdict_from_msg(reply.response.verdict)
