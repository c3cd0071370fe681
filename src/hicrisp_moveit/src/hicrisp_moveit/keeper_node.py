"""The keeper's door: finds the node by the ROS master, and looks after it until roslaunch ends the keeper."""

from __future__ import annotations

import logging
import sys
from http.client import HTTPConnection, HTTPException
from typing import Any, Optional
from urllib.parse import urlparse
from xmlrpc.client import Error, ServerProxy, Transport

import rosgraph
import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_ros.config_files import parameter
from hicrisp_ros.node import begin, leave, told_to_end

from hicrisp_moveit.node_respawner import NodeRespawner, Process, Unknown, process_of

_PERIOD = 0.5
_ANSWER = 2.0
"""Longest wait for a node's own answer, seconds; one that has died refuses at once."""


class _Impatient(Transport):
    """XML-RPC that does not wait for ever, as for a process that stands still."""

    def make_connection(self, host: Any) -> HTTPConnection:
        connection = super().make_connection(host)
        connection.timeout = _ANSWER
        return connection


class NodeFinder:
    """The process of a node of this machine.

    Args:
        name: the node's, with its namespaces.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._master = rosgraph.Master(rospy.get_name())

    def __call__(self) -> Optional[Process]:
        """Ask master and node; ``None`` where the master knows of none, or of one that has died.

        Raises:
            Unknown: one of them does not answer, or the node runs on another machine.
        """
        try:
            uri = self._master.lookupNode(self._name)
        except rosgraph.MasterError:
            return None
        except OSError as error:
            raise Unknown("the ROS master does not answer") from error
        try:
            node: Any = ServerProxy(uri, transport=_Impatient())
            pid = int(node.getPid(rospy.get_name())[2])
        except ConnectionRefusedError:
            return None  # Killed: it could not tell the master that it ends.
        except (OSError, HTTPException, Error) as error:
            raise Unknown("it does not answer") from error
        host = urlparse(uri).hostname or ""
        if not rosgraph.network.is_local_address(host):
            raise Unknown(f"it runs on {host}")
        found = process_of(pid)
        # roslaunch may have started another node, which got the port of one that has died.
        named = [word for word in found.command if word.startswith("__name:=")] if found is not None else []
        return None if named and f"__name:={self._name.rpartition('/')[2]}" not in named else found


def main() -> None:
    """Run the node, which keeps ``~node``; ``~delay`` is the time from its end to the next start, s."""
    begin("node_keeper")
    end = told_to_end()
    name = rospy.resolve_name(str(parameter("node", "/move_group")))
    try:
        keeper = NodeRespawner(name.rpartition("/")[2], NodeFinder(name), logging.getLogger("rosout"),
                               float(parameter("delay", 2.0)))
    except ConfigError as error:
        rospy.logfatal("node_keeper: %s", error)
        sys.exit(2)
    while not end.wait(_PERIOD) and not rospy.is_shutdown():
        keeper.look()
    keeper.end()
    leave()
