"""The supervisor as a command line sees it: its services, and the stream of its events."""

from __future__ import annotations

import json
import logging
import os
import time
from queue import Empty, Queue
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

import rospy
from hicrisp_core.time import Deadline, wait_until
from hicrisp_core.trace import task_state
from hicrisp_core.trace.task_state import State
from hicrisp_ros.supervisor_services import SupervisorServices

from hicrisp_msgs.msg import Event, TaskStatus, WorldState
from hicrisp_nodes.cli.graph import Graph

NODES = ("supervisor", "brain", "body", "detector", "corrector", "embedded_world")
NAMESPACE = "hicrisp"
_SETTLING = 0.1
"""Seconds in which a publisher that has answered puts the connection to use."""
STATES = {getattr(TaskStatus, state.name): state.value for state in State}
ENDED = frozenset(getattr(TaskStatus, state.name) for state in task_state.ENDED)


class Unreachable(Exception):
    """Nobody answers; the message says who, ``mends`` says what to do."""

    def __init__(self, message: str, *mends: str) -> None:
        super().__init__(message)
        self.mends = mends


def namespaces(told: str, environment: Mapping[str, str] = os.environ) -> Tuple[str, ...]:
    """List where the supervisor may be.

    Args:
        told: the user's option; empty without one.
        environment: variables, of which ``ROS_NAMESPACE`` counts.

    Returns:
        The user's namespace, or the default ones within ``ROS_NAMESPACE``, in the order to try.
    """
    within = environment.get("ROS_NAMESPACE", "").strip("/")
    return (told,) if told else (f"{within}/{NAMESPACE}", within) if within else (NAMESPACE,)


def connect(names: Sequence[str]) -> str:
    """Make this process a ROS node after making sure that there is a supervisor.

    Args:
        names: the namespaces in which it may be.

    Returns:
        The one in which it is.

    Raises:
        Unreachable: when there is no master or no supervisor, with how to start them.
    """
    graph = Graph()
    if not graph.reachable():
        raise Unreachable(
            f"no ROS master answers at {graph.uri}",
            "start the workspace in another terminal: scripts/demo --keep",
            "if it runs elsewhere, say where: export ROS_MASTER_URI=http://HOST:PORT")
    services = [f"/{name}/submit_task" for name in names]
    missing = graph.missing(services)
    if len(missing) == len(services):
        raise Unreachable(
            f"the master at {graph.uri} knows no supervisor ({' or '.join(missing)} is not offered)",
            "start the workspace: scripts/demo --keep, or roslaunch hicrisp_bringup demo.launch",
            "if it has another name, say which: --namespace NAME")
    become_node(graph.uri)
    return next(name for name, service in zip(names, services) if service not in missing)


def become_node(master_uri: str) -> None:
    """Make this process a node without a log on the terminal.

    Args:
        master_uri: the ROS master's address.
    """
    os.environ["ROS_MASTER_URI"] = master_uri
    rospy.init_node("hicrisp_cli", anonymous=True, disable_signals=True, disable_rosout=True,
                    log_level=rospy.FATAL)
    logging.getLogger("rospy").setLevel(logging.ERROR)


class Supervisor(SupervisorServices):
    """The supervisor's services, each with a deadline in wall time."""

    def __init__(self, namespace: str) -> None:
        super().__init__(namespace)
        self.namespace = namespace

    def ask(self, service: str, *fields: Any, patience: Optional[float] = None) -> Any:
        """Call one of the supervisor's services.

        Args:
            service: its name in the namespace.
            *fields: the fields of the request, in their order.
            patience: limit in wall time, seconds; what the service usually needs if ``None``.

        Returns:
            The response message.

        Raises:
            Unreachable: when it does not answer in time.
        """
        reply = self.call(service, *fields, patience=patience)
        if reply.response is None:
            raise Unreachable(f"/{self.namespace}/{service} does not answer: {reply.message}",
                              "what runs: rosnode list; what it says: rostopic echo /rosout_agg")
        return reply.response

    def status(self, task_id: str = "") -> Optional[TaskStatus]:
        """Return where a task stands.

        Args:
            task_id: the task; empty for the running or the last one.

        Returns:
            The status; ``None`` if there is no such task.
        """
        answer = self.ask("get_task", task_id)
        return answer.status if answer.found else None


class WorldWatch:
    """Counts the states of the world that are published, to know when an old one is no longer shown."""

    def __init__(self, namespace: str) -> None:
        self._count = 0
        self._subscriber = rospy.Subscriber(f"/{namespace}/world_state", WorldState, self._saw)

    def _saw(self, _: WorldState) -> None:
        self._count += 1

    def wait_for(self, messages: int, seconds: float) -> bool:
        """Wait for further states of the world.

        Args:
            messages: how many.
            seconds: limit in wall time, seconds.

        Returns:
            Whether they came in time.
        """
        wanted = self._count + messages
        return wait_until(lambda: self._count >= wanted, Deadline(seconds))


class EventStream:
    """The supervisor's events in their order, as they come."""

    def __init__(self, namespace: str) -> None:
        self._queue: "Queue[Event]" = Queue()
        self._subscriber = rospy.Subscriber(f"/{namespace}/events", Event, self._queue.put, tcp_nodelay=True)

    @property
    def connected(self) -> bool:
        """Whether a publisher has taken this subscription.

        rospy counts a connection before it is made; its header is there once the publisher has answered.
        """
        return any(getattr(connection, "header", None) for connection in self._subscriber.impl.connections)

    def wait(self, seconds: float) -> bool:
        """Wait for the connection to the supervisor; later events are not missed.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether it came in time.
        """
        if not wait_until(lambda: self.connected, Deadline(seconds)):
            return False
        time.sleep(_SETTLING)
        return True

    def next(self, seconds: float) -> Optional[Dict[str, Any]]:
        """Return the next event.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            The event with ``task_id``; ``None`` if none came in time.
        """
        try:
            message = self._queue.get(timeout=seconds)
        except Empty:
            return None
        try:
            event = json.loads(message.json)
        except ValueError:
            event = None
        return {"kind": message.kind, **(event if isinstance(event, dict) else {}),
                "task_id": message.task_id}

    def close(self) -> None:
        """Stop listening."""
        self._subscriber.unregister()
