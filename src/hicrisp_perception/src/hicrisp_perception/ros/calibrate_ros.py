"""``scripts/calibrate_camera --ros``: the camera and the arm of a running system."""

from __future__ import annotations

import logging
import os
import sys
from typing import List, Optional

import numpy as np
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import ConfigError, HicrispError
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene

from hicrisp_perception.calibration.calibrate_options import camera_of, marker_of, parse, report, tags_of
from hicrisp_perception.calibration.hand_eye import NoCalibration
from hicrisp_perception.calibration.procedure import Bench, calibrate, reach_of


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the command line.

    Args:
        arguments: command line without the program; ``sys.argv`` by default.

    Returns:
        Exit status: 1 if no mounting was found, 2 if the calibration could not start.
    """
    options = parse(arguments)
    os.environ["ROS_NAMESPACE"] = options.namespace  # rospy reads it when it is imported.
    try:
        scene = load_scene(options.scene, options.seed)
        camera = camera_of(options, scene)
        tag = marker_of(tags_of(options, camera), scene, camera)
        robot = options.robot or scene.robots[0]
        body = bodies_of(scene).get(robot)
        if body is None:
            raise ConfigError(f"the scene '{scene.name}' has no robot '{robot}'; it has: "
                              f"{', '.join(scene.robots)}")
        tool = frames_of(robot, body).frames[0]
        bench = Bench(tag, tool, reach_of(body), options.views)
        if not options.yes:
            _say(f"The {robot} will move to about {options.views} poses above the table. Clear the table, keep people "
                 "out of its reach, and have the emergency stop at hand. Type 'yes' to begin.")
            if sys.stdin.readline().strip().lower() != "yes":
                return 1
        import rospy

        from hicrisp_perception.ros.ros_rig import RosRig
        rospy.init_node("calibrate_camera", anonymous=True, disable_signals=True, disable_rosout=True)
        logging.getLogger("rospy").setLevel(logging.ERROR)
        rig = RosRig(camera, robot, (camera.mounting.link or tag.thing, tool))
        found = calibrate(rig, bench, camera.mounting, np.random.default_rng([options.seed, 77]), _say)
        if isinstance(found, NoCalibration):
            sys.stderr.write(" ".join(filter(None, (found.reason, rig.missing))) + "\n")
            return 1
        _say(report(options, scene, camera, found))
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _say(sentence: str) -> None:
    print(sentence, flush=True)  # noqa: T201 - the command's output


if __name__ == "__main__":
    sys.exit(main())
