"""The supervisor's services as a client sees them."""

from __future__ import annotations

from typing import Any, Optional

from std_srvs.srv import Trigger

from hicrisp_msgs import srv
from hicrisp_ros.service_client import ServiceClient, ServiceReply

_SERVICES = {
    "submit_task": srv.SubmitTask, "cancel_task": srv.CancelTask, "get_task": srv.GetTask, "explain": srv.Explain,
    "approve": srv.Approve, "review_plan": srv.ReviewPlan, "answer": srv.AnswerQuestion, "tell": srv.TellTask,
    "set_autonomy": srv.SetAutonomy, "reset_world": srv.ResetWorld, "name_thing": srv.NameThing,
    "hold_tasks": srv.HoldTasks,
    "pause": Trigger, "resume": Trigger, "estop": Trigger, "clear_estop": Trigger}
_PATIENCE, _RESETTING = 10.0, 120.0
"""Wall seconds for one answer, and for that of a world that is put back to its beginning."""


class SupervisorServices:
    """Calls the supervisor, each service with a connection of its own, so that none waits for another.

    Args:
        namespace: in which the supervisor is; that of this node if empty.
    """

    def __init__(self, namespace: str = "") -> None:
        within = f"/{namespace}/" if namespace else ""
        self._clients = {name: ServiceClient(f"{within}{name}", kind) for name, kind in _SERVICES.items()}

    def call(self, name: str, *fields: Any, patience: Optional[float] = None) -> ServiceReply:
        """Call one of the services.

        Args:
            name: its name in the namespace.
            *fields: the fields of the request, in their order.
            patience: limit in wall time, seconds; what the service usually needs if ``None``.

        Returns:
            The response, or the reason why it is missing.
        """
        usual = _RESETTING if name == "reset_world" else _PATIENCE
        return self._clients[name].call(_SERVICES[name]._request_class(*fields),
                                        usual if patience is None else patience)
