"""Questions to the ROS master that never wait long: is it there, which nodes and services does it know."""

from __future__ import annotations

import socket
from http.client import HTTPException
from typing import Any, FrozenSet, List, Optional, Sequence
from urllib.parse import urlparse
from xml.parsers.expat import ExpatError
from xmlrpc.client import Error as XmlRpcError
from xmlrpc.client import ServerProxy, Transport

import rosgraph
from hicrisp_core.errors import ConfigError

DEFAULT_PORT = 11311
_ANSWER_LIMIT = 5.0
"""Seconds in which a master answers; what else listens at its address may stay silent."""
_NO_MASTER = (OSError, XmlRpcError, ValueError, HTTPException, ExpatError)


def port_is_free(port: int) -> bool:
    """Check whether no program on this machine listens on a port.

    Args:
        port: TCP port.

    Returns:
        Whether it can be bound.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("", port))
        except OSError:
            return False
    return True


class MasterPort:
    """A port for a ROS master that no other demo on this machine takes while this object lives.

    A master listens only seconds after its port was chosen. Until then the port looks free, so a name in the
    kernel marks it; the mark ends with its process.

    Args:
        number: the port; 0 for the default one if it is free and unclaimed, else any.
    """

    def __init__(self, number: int = 0) -> None:
        self._claim = _claimed(number or DEFAULT_PORT)
        if number or (self._claim is not None and port_is_free(DEFAULT_PORT)):
            self.number = number or DEFAULT_PORT
            return
        self.close()
        while self._claim is None:
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
                trial.bind(("127.0.0.1", 0))
                self.number = int(trial.getsockname()[1])
            self._claim = _claimed(self.number)

    @property
    def own(self) -> bool:
        """Whether no other demo has it."""
        return self._claim is not None

    def close(self) -> None:
        """Give it up."""
        if self._claim is not None:
            self._claim.close()
        self._claim = None


def _claimed(port: int) -> Optional[socket.socket]:
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claim.bind(f"\0hicrisp/ros_master/{port}")
    except OSError:
        claim.close()
        return None
    return claim


class _Impatient(Transport):
    """Waits for an answer with a limit."""

    def make_connection(self, host: Any) -> Any:
        connection = super().make_connection(host)
        connection.timeout = _ANSWER_LIMIT
        return connection


class Graph:
    """The ROS graph as its master tells it.

    Args:
        uri: the master's address; ``ROS_MASTER_URI`` by default.

    Raises:
        ConfigError: when that is not an address.
    """

    def __init__(self, uri: Optional[str] = None) -> None:
        self.uri = uri or rosgraph.get_master_uri()
        try:
            address = urlparse(self.uri)
            self.port, self.host = address.port or DEFAULT_PORT, address.hostname or ""
            self._master: Any = ServerProxy(self.uri, _Impatient())
        except (OSError, ValueError):
            self.host = ""
        if not self.host:
            raise ConfigError(f"ROS_MASTER_URI is '{self.uri}', which is not the address of a ROS master; such as "
                              f"http://localhost:{DEFAULT_PORT}")

    @property
    def local(self) -> bool:
        """Whether it is an address of this machine, where a master can be started."""
        return bool(rosgraph.network.is_local_address(self.host))

    def reachable(self, seconds: float = 1.0) -> bool:
        """Check whether a ROS master answers.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether it does, in time.
        """
        try:
            with socket.create_connection((self.host, self.port), seconds):
                pass
            return self._master.getUri("/hicrisp_cli")[0] == 1
        except _NO_MASTER:
            return False

    def alive(self, node: str) -> bool:
        """Check whether a node's process accepts connections; the master also remembers killed nodes.

        Args:
            node: its whole name.

        Returns:
            Whether it does within a second.
        """
        try:
            code, _, uri = self._master.lookupNode("/hicrisp_cli", node)
            address = urlparse(uri if code == 1 else "")
            with socket.create_connection((address.hostname or "", address.port or 0), 1.0):
                return code == 1
        except (*_NO_MASTER, OverflowError):
            return False

    def services(self) -> FrozenSet[str]:
        """The names of the services that are offered; none when the master does not answer."""
        return frozenset(str(name) for name, _ in self._state()[2])

    def servers(self, service: str) -> FrozenSet[str]:
        """List the nodes that offer a service.

        Args:
            service: its whole name.

        Returns:
            Names of nodes; the last that began is asked.
        """
        return frozenset(str(node) for name, nodes in self._state()[2] if name == service for node in nodes)

    def nodes(self) -> FrozenSet[str]:
        """The names of the nodes that offer or want anything."""
        return frozenset(str(node) for part in self._state() for _, nodes in part for node in nodes)

    def listeners(self, topic: str) -> FrozenSet[str]:
        """List the subscribers of a topic.

        Args:
            topic: its whole name.

        Returns:
            Names of nodes.
        """
        return frozenset(str(node) for name, nodes in self._state()[1] if name == topic for node in nodes)

    def missing(self, wanted: Sequence[str]) -> List[str]:
        """List the services that are not offered.

        Args:
            wanted: whole names of services.

        Returns:
            Those that the master does not know.
        """
        known = self.services()
        return [name for name in wanted if name not in known]

    def _state(self) -> Sequence[Any]:
        """Topics that are published, topics that are wanted, services: pairs of a name and its nodes."""
        try:
            code, _, state = self._master.getSystemState("/hicrisp_cli")
        except _NO_MASTER:
            return [], [], []
        return state if code == 1 else ([], [], [])
