"""``scripts/look --ros``: a scene file from the pictures of a running camera."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import List, Optional, Tuple

from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Picture
from hicrisp_core.ports.observer import Frames
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import load_camera

from hicrisp_perception.scene_scan.look_options import run

_PATIENCE = 15.0
"""Wall seconds that a picture may take."""


def _look(options: argparse.Namespace, scene: Scene) -> Tuple[List[Picture], Frames]:
    camera = load_camera(scene.camera, scene.source or None)
    links = [frame for body in bodies_of(scene).values() for frame in body.links]
    os.environ["ROS_NAMESPACE"] = options.namespace  # rospy reads it when it is imported.
    import rospy
    from hicrisp_ros.tf_world import TfWorld

    from hicrisp_perception.ros.picture_topics import PictureTopics
    rospy.init_node("look", anonymous=True, disable_signals=True, disable_rosout=True)
    logging.getLogger("rospy").setLevel(logging.ERROR)
    tf, trouble = TfWorld(), ["the camera is silent"]
    topics = PictureTopics(camera, tf, lambda: tuple(name for name in links if name in tf.names), trouble.append)
    pictures = []
    for _ in range(options.pictures):
        picture = topics.next(_PATIENCE)
        if picture is None:
            raise HicrispError(f"No picture comes: {trouble[-1] or trouble[0]}.")
        pictures.append(picture)
    return pictures, tf.frames_at(links, pictures[-1].stamp)


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the command line over ROS; see ``look_options.run``."""
    return run(_look, arguments)


if __name__ == "__main__":
    sys.exit(main())
