"""``scripts/calibrate_camera --ros``: the camera and the arm of a running system."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import List, Optional

from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import ConfigError
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_core.scene.tags import Tag

from hicrisp_perception.calibration.calibrate_options import Setup, run, say


def _set_up(options: argparse.Namespace, scene: Scene, camera: CameraSettings, tag: Tag) -> Optional[Setup]:
    robot = options.robot or scene.robots[0]
    body = bodies_of(scene).get(robot)
    if body is None:
        raise ConfigError(f"the scene '{scene.name}' has no robot '{robot}'; it has: {', '.join(scene.robots)}")
    tool = frames_of(robot, body).frames[0]
    if not options.yes:
        say(f"The {robot} will move to about {options.views} poses above the table. Clear the table, keep people "
            "out of its reach, and have the emergency stop at hand. Type 'yes' to begin.")
        if sys.stdin.readline().strip().lower() != "yes":
            return None
    os.environ["ROS_NAMESPACE"] = options.namespace  # rospy reads it when it is imported.
    import rospy

    from hicrisp_perception.ros.ros_rig import RosRig
    rospy.init_node("calibrate_camera", anonymous=True, disable_signals=True, disable_rosout=True)
    logging.getLogger("rospy").setLevel(logging.ERROR)
    return Setup(RosRig(camera, robot, (camera.mounting.link or tag.thing, tool)), tool, body)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the command line over ROS; see ``calibrate_options.run``."""
    return run(_set_up, arguments)


if __name__ == "__main__":
    sys.exit(main())
