"""Which camera looks at which scene, as the parameters say."""

from __future__ import annotations

from hicrisp_core.scene.cameras import load_camera
from hicrisp_ros.config_files import load_configuration, parameter
from hicrisp_ros.node import run

from hicrisp_perception.checked_sight import CheckedSight
from hicrisp_perception.perception_server import PerceptionServer
from hicrisp_perception.picture_topics import check_topics
from hicrisp_perception.sight import SceneSight


def build() -> PerceptionServer:
    """Create the perception that the parameters name.

    Returns:
        The server.

    Raises:
        ConfigError: for an invalid file of scene, camera or robot.
    """
    configuration = load_configuration()
    scene = configuration.scene
    camera = load_camera(str(parameter("camera", "")) or scene.camera, scene.source or None)
    check_topics(camera)
    return PerceptionServer(configuration, camera, lambda scene: CheckedSight(SceneSight(scene), scene))


def main() -> None:
    """Run the node."""
    run("perception", build)
