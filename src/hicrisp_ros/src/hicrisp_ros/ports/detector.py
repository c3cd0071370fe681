"""A detector behind its node, and the names that it keeps for users."""

from __future__ import annotations

from hicrisp_core.model import Command, Outcome, Verdict, WorldState
from hicrisp_core.ports.observer import Naming, NamingRequest

from hicrisp_msgs.msg import KeyValue
from hicrisp_msgs.srv import CheckCommand, CheckCommandRequest, NameThing, NameThingRequest
from hicrisp_ros import conversions as to
from hicrisp_ros.ports.node_client import lost
from hicrisp_ros.service_client import ServiceClient

_CHECK_LIMIT = 15.0
"""Wall seconds for a check, long enough for the node to be started again."""
_PATIENCE = 5.0
"""Wall seconds in which the detector answers."""


class RosDetector:
    """A detector behind ``detector/check``."""

    def __init__(self) -> None:
        self._client = ServiceClient("detector/check", CheckCommand)

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
            to.COMMAND.to_msg(command), to.WORLD.to_msg(before), to.WORLD.to_msg(after),
            to.OUTCOME.to_msg(outcome)
        ), _CHECK_LIMIT)
        if reply.response is None:
            return Verdict(lost("detector", reply.message))
        return to.VERDICT.from_msg(reply.response.verdict)


class RosNamer:
    """Gives names through the detector's service ``name_thing``."""

    def __init__(self) -> None:
        self._client = ServiceClient("name_thing", NameThing)

    def give_name(self, wanted: NamingRequest) -> Naming:
        """Give an unknown object a name.

        Args:
            wanted: which object, its new name, and who gives it.

        Returns:
            The new name, or why it cannot be given.
        """
        said = [KeyValue(*pair) for pair in wanted.attributes.items()]
        reply = self._client.call(NameThingRequest(wanted.thing, wanted.name, said, wanted.guess), _PATIENCE)
        if reply.response is None:
            return Naming("", f"The detector does not answer, so nothing got a name: {reply.message}")
        return Naming(wanted.name or wanted.thing if reply.response.ok else "", reply.response.message)
