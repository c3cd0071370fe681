"""``scripts/look --ros``: a scene file from the pictures of a running camera."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import replace
from typing import List, Optional

from hicrisp_core.errors import HicrispError
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.cameras import load_camera

from hicrisp_perception.look_options import parse, report

_PATIENCE = 15.0
"""Wall seconds that a picture may take."""


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the command line.

    Args:
        arguments: command line without the program; ``sys.argv`` by default.

    Returns:
        Exit status: 2 if no scene was written.
    """
    options = parse(arguments)
    os.environ["ROS_NAMESPACE"] = options.namespace  # rospy reads it when it is imported.
    try:
        scene = load_scene(options.scene, options.seed)
        scene = replace(scene, camera=options.camera or scene.camera)
        camera = load_camera(scene.camera, scene.source or None)
        links = [frame for body in bodies_of(scene).values() for frame in body.links]
        import rospy
        from hicrisp_ros.tf_world import TfWorld

        from hicrisp_perception.picture_topics import PictureTopics
        rospy.init_node("look", anonymous=True, disable_signals=True, disable_rosout=True)
        logging.getLogger("rospy").setLevel(logging.ERROR)
        tf, trouble = TfWorld(), [""]

        def hear(why: str) -> None:
            trouble[0] = why

        topics = PictureTopics(camera, tf, lambda: tuple(name for name in links if name in tf.names), hear)
        pictures = []
        for _ in range(options.pictures):
            picture = topics.next(_PATIENCE)
            if picture is None:
                raise HicrispError(f"No picture comes: {trouble[0] or 'the camera is silent'}.")
            pictures.append(picture)
        text = report(options, scene, pictures, tf.frames_at(links, pictures[-1].stamp))
    except HicrispError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    print(text)  # noqa: T201 - the command's output
    return 0


if __name__ == "__main__":
    sys.exit(main())
