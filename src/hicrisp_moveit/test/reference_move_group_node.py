#!/usr/bin/env python3
"""The reference move_group as a node, without the robot, so that a test can kill it.

``~scene`` and ``~seed`` say what may stand on the table, ``~space`` in which namespace its robot is,
``~mode`` what goes wrong; ``~planning`` becomes true when it plans.
"""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event

import rospy
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import config_file, parameter
from hicrisp_ros.node import run

sys.path.insert(0, str(Path(__file__).resolve().parent / "reference"))
import moveit_commander  # noqa: E402, F401 - makes the interfaces
from reference_controller import RemotePanda  # noqa: E402
from reference_move_group import ReferenceMoveGroup  # noqa: E402


def build() -> ReferenceMoveGroup:
    """Make the server."""
    scene = load_scene(config_file("scenes", str(parameter("scene", "tabletop"))), int(parameter("seed", 0)))
    space = str(parameter("space", ""))
    server = ReferenceMoveGroup(scene, RemotePanda(space), space, 1.0, Event())
    server.mode = lambda: str(rospy.get_param("~mode", ""))
    server.on_plan = lambda: rospy.set_param("~planning", True)
    return server


if __name__ == "__main__":
    run("move_group", build)
