"""What every node script does: start under ROS, say what is wrong with its configuration, run until told
to end.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from threading import Thread
from typing import Any, Callable, List

import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.time import Deadline, wait_until
from rospy.impl.tcpros_base import init_tcpros_server, start_tcpros_server

from hicrisp_ros.core_log import begin_log
from hicrisp_ros.malloc_tuning import give_back, settle, share_heap
from hicrisp_ros.master_watch import MasterWatch
from hicrisp_ros.node_threads import end_threads
from hicrisp_ros.supervisor_watch import SupervisorWatch
from hicrisp_ros.wall_clock import WallTimer

HEADER_LIMIT = 30.0
"""Wall seconds that a peer gets for the first bytes of its header."""
LONGEST_HEADER = 1 << 24
"""Bytes; four letters, as those that begin an HTTP request, stand for more."""


def accept_apart() -> None:
    """Accept connections of other nodes in place of rospy, each in its own thread; call it before the node registers.

    rospy reads the header of a new connection in the only thread that accepts, without a limit, and takes the first
    four bytes for its length. A node that was killed may leave its port to another one, on which the ROS master then
    sends an HTTP request: rospy would wait for the 1.4 GB that ``POST`` stands for, and accept nothing more.
    """
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
    """Wait for the first bytes of a peer without consuming them, and check whether they can be a header's length.

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


END_LIMIT = 4.0
"""Wall seconds that the threads of a node get to end; roslaunch kills a node after 15."""
LINGER = 5.0
"""Time for which a node still serves the supervisor after a signal, wall seconds: the supervisor ends its task,
and the robots must be observed to stand."""
LEAVE_LIMIT = 10.0
"""Wall seconds that the ROS master gets to forget a node that ends."""
GIVE_BACK_PERIOD = 10.0
_SLICE = 0.05
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(name: str, build: Callable[[], Any]) -> None:
    """Start a node and keep it alive until shutdown; a configuration error ends it with status 2.

    After a signal it continues until the supervisor, which gets the signal at the same time, has ended.

    Args:
        name: default name of the node.
        build: creates the node's objects.
    """
    begin(name)
    watch, master = SupervisorWatch(), MasterWatch()
    try:
        keep = build()
    except HicrispError as error:
        rospy.logfatal("%s: %s", name, error)
        sys.exit(2)
    settle()
    end = told_to_end()
    rospy.loginfo("%s is ready", name)
    while not end.wait(_SLICE) and not rospy.is_shutdown():
        pass
    if end.is_set():
        watch.wait_until_gone(LINGER)
    leave()
    del keep, master


def begin(name: str, disable_signals: bool = False) -> None:
    """Start a node under ROS: its heap, its log and its shutdown.

    Args:
        name: default name of the node.
        disable_signals: whether rospy installs no signal handlers.
    """
    share_heap()  # First, for rospy begins with threads.
    accept_apart()
    rospy.init_node(name, disable_signals=disable_signals)
    begin_log()
    end_quietly()
    WallTimer(GIVE_BACK_PERIOD, give_back, "heap")


class Told:
    """Whether a signal has asked this process to end. It is not an event: a handler that sets one hangs for good
    where its
    own thread was about to wait for it, and holds its lock.
    """

    def __init__(self) -> None:
        self._signals: List[int] = []

    def take(self, number: int, _: Any) -> None:
        """Handle a signal.

        Args:
            number: of the signal.
        """
        self._signals.append(number)

    def is_set(self) -> bool:
        """Check whether one has come."""
        return bool(self._signals)

    def wait(self, seconds: float) -> bool:
        """Wait for a signal.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether one has arrived.
        """
        return wait_until(self.is_set, Deadline(seconds), period=_SLICE)


def told_to_end() -> Told:
    """Only record SIGINT, SIGTERM and SIGHUP, in place of their earlier handlers."""
    told = Told()
    for number in _SIGNALS:
        signal.signal(number, told.take)
    return told


def end_quietly() -> None:
    """Let the node's threads end before its topics close, and nobody complain about topics that are closed: the
    log's own, and those of other libraries' threads, which nothing tells to end.
    """
    rospy.on_shutdown(lambda: end_threads(END_LIMIT))
    complain = threading.excepthook
    threading.excepthook = lambda end: None if rospy.core.is_shutdown_requested() and issubclass(
        end.exc_type, rospy.ROSException) else complain(end)
    logging.getLogger("rospy.rosout").addFilter(lambda _: not rospy.is_shutdown())


def leave() -> None:
    """Take leave of ROS and end the process with status 0, without Python's own clean-up.

    Threads of rospy and of native libraries (physics, planners, OpenGL) may still be at work, and crash in
    it; rospy itself waits half a second for one of its own, which is not needed once its topics are closed.
    """
    Thread(target=rospy.signal_shutdown, args=("told to end",), daemon=True).start()
    wait_until(rospy.is_shutdown, Deadline(LEAVE_LIMIT))
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # As on a full disk.
            stream.flush()
    os._exit(0)
