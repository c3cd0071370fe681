#!/usr/bin/env python3
"""The reference move_group and its robot as a node.

``~scene`` and ``~seed`` say what stands on the table, ``~mode`` what goes wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

import rospy
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import config_file, parameter
from tf2_msgs.msg import TFMessage

sys.path.insert(0, str(Path(__file__).resolve().parent / "reference"))
import moveit_commander  # noqa: E402, F401 - makes the interfaces
from reference_moveit import ReferenceMoveIt  # noqa: E402


def main() -> None:
    """Run the node."""
    rospy.init_node("reference_robot")
    scene = load_scene(config_file("scenes", str(parameter("scene", "tabletop"))), int(parameter("seed", 0)))
    server = ReferenceMoveIt(scene, rospy.Publisher("/tf", TFMessage, queue_size=5, tcp_nodelay=True),
                             things=True)
    server.mode = lambda: str(rospy.get_param("~mode", ""))
    rospy.spin()


if __name__ == "__main__":
    main()
