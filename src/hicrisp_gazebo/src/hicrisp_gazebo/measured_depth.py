"""What a scene's depth camera makes of Gazebo's exact depth: scatter, steps and holes, as in the embedded world."""

from __future__ import annotations

import numpy as np
import rospy
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_core.scene.sensing import DepthSensor
from hicrisp_ros.publisher import Publisher
from sensor_msgs.msg import Image

from hicrisp_gazebo.depth_camera import EXACT


class MeasuredDepth:
    """Publishes measured depth while a subscriber wants it; glass has depth here.

    Args:
        settings: of the camera.
        seed: draws what scatters.
    """

    def __init__(self, settings: CameraSettings, seed: int) -> None:
        self._sensor = DepthSensor(settings.depth, settings.intrinsics, np.random.default_rng([seed, 435]))
        self._unseen = np.float32(2.0 * settings.depth.far)
        self._measured = Publisher(settings.topics.depth, Image, queue_size=1)
        self._subscriber = rospy.Subscriber(EXACT, Image, self._on_exact, queue_size=1, buff_size=2**23)

    def stop(self) -> None:
        """Publish no more."""
        self._subscriber.unregister()
        self._measured.unregister()

    def _on_exact(self, message: Image) -> None:
        if not self._measured.get_num_connections():
            return
        exact = np.frombuffer(message.data, "<f4").reshape(message.height, message.width)
        message.data = self._sensor.measure(np.where(np.isfinite(exact), exact, self._unseen)).tobytes()
        self._measured.publish(message)
