"""What every node script does: start under ROS, say what is wrong with its configuration, run until told to end."""

from __future__ import annotations

import sys
from typing import Any, Callable

import rospy
from hicrisp_core.errors import HicrispError


def run(name: str, build: Callable[[], Any]) -> None:
    """Start a node and keep what ``build`` makes alive until shutdown; a wrong configuration ends it with status 2."""
    rospy.init_node(name)
    try:
        keep = build()
    except HicrispError as error:
        rospy.logfatal("%s: %s", name, error)
        sys.exit(2)
    rospy.loginfo("%s is ready", name)
    rospy.spin()
    del keep
