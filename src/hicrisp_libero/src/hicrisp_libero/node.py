"""The benchmark's world as a node: a table's door over its simulator, and its judge's verdict for whoever measures."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Optional, Tuple

import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.model import Pose
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import SECOND_CAMERA, config_file, parameter
from hicrisp_ros.frames import StaticFrames
from hicrisp_ros.ports.observer import TopicObserver
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.tracks import by_camera
from hicrisp_sim.camera_server import CameraServer
from hicrisp_sim.simulation import Snapshot
from hicrisp_sim.world_server import WorldServer
from std_msgs.msg import Bool

from hicrisp_libero.client import Benchmark
from hicrisp_libero.description import JUDGED, read_description
from hicrisp_libero.task import BenchmarkTask
from hicrisp_libero.world import LiberoWorld


class LiberoServer(WorldServer):
    """Serves a task of the benchmark.

    Args:
        world: the task as a world.
        eyes: what the driver sees.
        camera: whether pictures say where objects are; then no frame of an object or of a fixture's part is published.
    """

    def __init__(self, world: LiberoWorld, eyes: TopicObserver, camera: bool) -> None:
        self._task = world.task
        self._judged = Publisher(JUDGED, Bool, queue_size=1, latch=True)
        self._verdict: Optional[bool] = None
        static = StaticFrames()
        world.simulation.when_lost = self._end
        super().__init__(world, eyes, by_camera=camera, static=static)
        self._wrist = CameraServer(world, static, self._announce, lambda: world.wrist_camera)
        rospy.set_param(SECOND_CAMERA, world.wrist_file)  # For the perception, which needs it only after pictures.
        rospy.on_shutdown(lambda: rospy.delete_param(SECOND_CAMERA))

    def _frames(self, snapshot: Snapshot) -> Dict[str, Tuple[Pose, float]]:
        known = self._world.scene.objects if self._by_camera else {}
        return {name: found for name, found in super()._frames(snapshot).items() if name not in known}

    def _publish(self) -> None:
        super()._publish()
        if self._task.success is not self._verdict:
            self._verdict = self._task.success
            self._judged.publish(self._verdict)

    @staticmethod
    def _end(error: HicrispError) -> None:
        """End the node: a world without its physics must not look as if it stood still."""
        rospy.logfatal(str(error))
        rospy.signal_shutdown(str(error))


def build() -> LiberoServer:
    """Start the benchmark with the task of the scene that the parameters name.

    Returns:
        The server.

    Raises:
        ConfigError: if the scene is none of the benchmark's, or the benchmark is not installed.
    """
    seed = int(parameter("seed", 0))
    scene = load_scene(config_file("scenes", str(parameter("scene"))), seed)
    camera = by_camera()
    eyes = TopicObserver(still=0.01, window=0.05, patience=1.0, recent=0.3 if camera else 0.1)
    task = BenchmarkTask(read_description(Path(scene.source)), Benchmark())
    task.scene = scene
    world = LiberoWorld(task, seed, float(parameter("rate", 1.0)))
    if camera:
        world.camera.take()  # The first takes many seconds, for which nobody waits later.
    return LiberoServer(world, eyes, camera)
