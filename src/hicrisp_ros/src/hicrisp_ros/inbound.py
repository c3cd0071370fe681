"""Connections from other nodes, each taken in a thread of its own: a peer that never says what it wants keeps
nobody else out.

rospy reads the header of a new connection in the only thread that accepts, without a limit, and takes the first
four bytes for its length. A node that was killed may leave its port to another one, on which the ROS master then
sends an HTTP request: rospy would wait for the 1.4 GB that ``POST`` stands for, and accept nothing more.
"""

from __future__ import annotations

import socket
from threading import Thread
from typing import Any

from rospy.impl.tcpros_base import init_tcpros_server, start_tcpros_server

HEADER_LIMIT = 30.0
"""Wall seconds that a peer gets for the first bytes of its header."""
LONGEST_HEADER = 1 << 24
"""Bytes; any four letters stand for more."""


def accept_apart() -> None:
    """Accept connections of other nodes in place of rospy; call it before the node registers."""
    start_tcpros_server()
    server = init_tcpros_server().tcp_ros_server
    if server is None:  # No port was free, as rospy has logged; it tries again.
        return
    take = server.inbound_handler

    def take_apart(peer: socket.socket, address: Any) -> None:
        if begins_with_header(peer):
            take(peer, address)
        else:
            peer.close()

    server.inbound_handler = lambda *connection: Thread(target=take_apart, args=connection, daemon=True).start()


def begins_with_header(peer: socket.socket, seconds: float = HEADER_LIMIT) -> bool:
    """Wait for the first bytes of a peer without consuming them, and check whether they can be a header's
    length.

    Args:
        peer: the accepted connection.
        seconds: of wall time that it gets.

    Returns:
        True if the peer can be a ROS node; false also at the time limit.
    """
    peer.settimeout(seconds)
    try:
        length = peer.recv(4, socket.MSG_PEEK)
        peer.settimeout(None)
    except OSError:
        return False
    return bool(length) and int.from_bytes(length, "little") <= LONGEST_HEADER
