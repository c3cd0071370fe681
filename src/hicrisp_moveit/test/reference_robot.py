#!/usr/bin/env python3
"""The Panda of the reference move_group as a node, which goes on when move_group dies.

``~scene`` and ``~seed`` say what stands on the table, ``~mode`` what goes wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event

import rospy
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import config_file, parameter
from hicrisp_ros.node import run
from tf2_msgs.msg import TFMessage

sys.path.insert(0, str(Path(__file__).resolve().parent / "reference"))
import moveit_commander  # noqa: E402, F401 - makes the interfaces
from reference_controller import ControllerServer  # noqa: E402
from reference_panda import ReferencePanda  # noqa: E402


def build() -> ControllerServer:
    """Make the robot, and the server of its trajectory controller."""
    scene = load_scene(config_file("scenes", str(parameter("scene", "tabletop"))), int(parameter("seed", 0)))
    tf = rospy.Publisher("/tf", TFMessage, queue_size=5, tcp_nodelay=True)
    panda = ReferencePanda(scene, tf, "", True, Event())
    panda.mode = lambda: str(rospy.get_param("~mode", ""))
    return ControllerServer(panda, "")


if __name__ == "__main__":
    run("reference_robot", build)
