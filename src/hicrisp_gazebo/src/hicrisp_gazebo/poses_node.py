"""The eyes of a Gazebo world: the poses of its models as TF frames of the same names, as a tracker gives them."""

from __future__ import annotations

import time
from threading import Event
from typing import Any, Sequence

import numpy as np
import rospy
from geometry_msgs.msg import TransformStamped, Vector3
from hicrisp_core.errors import ConfigError
from hicrisp_core.scene import load_scene
from hicrisp_ros.config_files import config_file, parameter
from hicrisp_ros.conversions.world import WORLD_FRAME
from hicrisp_ros.publisher import Publisher
from std_msgs.msg import Float64
from tf2_msgs.msg import TFMessage

from hicrisp_gazebo.client import gazebo_msgs
from hicrisp_gazebo.model_names import thing_of
from hicrisp_gazebo.scene_models import SCENERY
from hicrisp_gazebo.wares import UNDESCRIBED

_GROUND = "ground_plane"
"""Gazebo's own model of the ground."""


class Poses:
    """Publishes poses from ``/gazebo/model_states``.

    Args:
        rate: poses a second of wall time, at most; Gazebo sends about 1000.
        noise: standard deviation of what is seen, metres.
        without: models that are no objects: what stands still, and robots, which their own sensors place.
    """

    def __init__(self, rate: float, noise: float, seed: int, without: Sequence[str]) -> None:
        if not rate > 0.0 or not noise >= 0.0:
            raise ConfigError(f"a rate above 0 Hz and a noise from 0 m on were expected, got {rate} and "
                              f"{noise}")
        self._period, self._noise, self._injected = 1.0 / rate, noise, 0.0
        self._dice = np.random.default_rng(seed)
        self._without = frozenset(without)
        self._stamp = rospy.Time()
        self._ended = Event()
        rospy.on_shutdown(self._ended.set)
        self._tf = Publisher("/tf", TFMessage, queue_size=5, tcp_nodelay=True)
        # rospy calls back in the thread that reads: while it waits there, what queues up is skipped but for
        # the newest.
        self._subscribers = [
            rospy.Subscriber("pose_noise", Float64, self._on_noise, queue_size=1),
            rospy.Subscriber("/gazebo/model_states", gazebo_msgs().msg.ModelStates, self._on_states,
                             queue_size=1,
                             buff_size=2**21)]

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        for subscriber in self._subscribers:
            subscriber.unregister()

    def _on_noise(self, message: Float64) -> None:
        self._injected = max(0.0, message.data)

    def _on_states(self, message: Any) -> None:
        began, now = time.monotonic(), rospy.Time.now()
        if now != self._stamp:  # While Gazebo is paused there is nothing new to see.
            self._stamp = now
            sigma = (self._noise ** 2 + self._injected ** 2) ** 0.5
            self._tf.publish(TFMessage([
                self._transform(name, pose, now, sigma)
                for name, pose in zip(map(thing_of, message.name), message.pose)
                if name not in self._without and not name.startswith(UNDESCRIBED)]))
        self._ended.wait(max(0.0, self._period - (time.monotonic() - began)))

    def _transform(self, name: str, pose: Any, now: rospy.Time, sigma: float) -> TransformStamped:
        transform = TransformStamped(child_frame_id=name)
        transform.header.frame_id, transform.header.stamp = WORLD_FRAME, now
        at = pose.position
        seen = self._dice.normal((at.x, at.y, at.z), sigma) if sigma > 0.0 else (at.x, at.y, at.z)
        transform.transform.translation, transform.transform.rotation = Vector3(*map(float,
                                                                                     seen)), pose.orientation
        return transform


def build() -> Poses:
    """The eyes that the parameters ask for; the robots of ``~scene`` are seen by their own sensors."""
    scene = load_scene(config_file("scenes", str(parameter("scene"))))
    return Poses(float(parameter("rate", 50.0)), float(parameter("noise", 0.0)), int(parameter("seed", 0)),
                 (SCENERY, _GROUND, *scene.robots, *parameter("without", [])))
