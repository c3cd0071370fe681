"""What every node script does: start under ROS, say what is wrong with its configuration, run until told
to end.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Any, Callable

import rospy
from hicrisp_core.errors import HicrispError

from hicrisp_ros.core_log import show_core_log
from hicrisp_ros.node_threads import end_threads

END_LIMIT = 4.0
"""Wall seconds that the threads of a node get to end; roslaunch kills a node after 15."""


def run(name: str, build: Callable[[], Any]) -> None:
    """Start a node and keep what ``build`` makes alive until shutdown; a wrong configuration ends it with
    status 2.
    """
    rospy.init_node(name)
    show_core_log()
    end_quietly()
    try:
        keep = build()
    except HicrispError as error:
        rospy.logfatal("%s: %s", name, error)
        sys.exit(2)
    rospy.loginfo("%s is ready", name)
    rospy.spin()
    leave()
    del keep


def end_quietly() -> None:
    """Let the node's threads end before its topics close, and nobody complain about the log's own topic."""
    rospy.on_shutdown(lambda: end_threads(END_LIMIT))
    logging.getLogger("rospy.rosout").addFilter(lambda _: not rospy.is_shutdown())


def leave() -> None:
    """End the process with status 0, without Python's own clean-up.

    Threads of rospy and of native libraries (physics, planners, OpenGL) may still be at work, and crash in
    it.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)
