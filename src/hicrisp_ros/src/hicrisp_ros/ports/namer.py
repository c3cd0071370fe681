"""Names that users give, kept by the detector."""

from __future__ import annotations

from hicrisp_core.ports.eyes import Naming

from hicrisp_msgs.srv import NameThing, NameThingRequest
from hicrisp_ros.service_client import ServiceClient

_PATIENCE = 5.0
"""Wall seconds in which the detector answers."""


class RosNamer:
    """Gives names through the detector's service ``name_thing``."""

    def __init__(self) -> None:
        self._client = ServiceClient("name_thing", NameThing)

    def give_name(self, thing: str, name: str) -> Naming:
        """Give an unknown object a name.

        Args:
            thing: its present name; empty if there is only one.
            name: in the user's words.

        Returns:
            The new name, or why it cannot be given.
        """
        reply = self._client.call(NameThingRequest(thing, name), _PATIENCE)
        if reply.response is None:
            return Naming("", f"The detector does not answer, so nothing got a name: {reply.message}")
        return Naming(name if reply.response.ok else "", reply.response.message)
