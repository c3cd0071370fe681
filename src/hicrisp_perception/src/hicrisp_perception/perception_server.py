"""The perception's door: pictures off the camera's topics in, tracks out."""

from __future__ import annotations

import math
import time
from threading import Event, Lock
from typing import Callable, Tuple

import rospy
from hicrisp_core.detector.perception import frames_of
from hicrisp_core.errors import HicrispError
from hicrisp_core.model.picture import Picture
from hicrisp_core.model.track import View
from hicrisp_core.ports.perception import Perception
from hicrisp_core.robot.description import bodies_of
from hicrisp_core.scene import Scene
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_ros.config_files import Configuration
from hicrisp_ros.diagnostics import ERROR, OK, WARN, Diagnostics, Health
from hicrisp_ros.node_threads import NodeThread
from hicrisp_ros.scene_change import SceneFollower
from hicrisp_ros.tf_world import TfWorld

from hicrisp_perception.picture_server import PictureServer
from hicrisp_perception.picture_topics import CLOCK_JUMP, PictureTopics
from hicrisp_perception.track_publisher import TrackPublisher

PATIENCE = 5.0
"""Wall seconds without a picture after which the log says why, and again after as many."""

OpenSight = Callable[[Scene], Perception]
"""Makes what looks at the pictures of a scene's objects."""


class PerceptionServer:
    """Looks at every picture that it has time for; the newest comes first, and what is older is dropped.

    Args:
        patience: wall seconds without a picture before the log says so.
    """

    def __init__(
        self, configuration: Configuration, camera: CameraSettings, sight: OpenSight,
        patience: float = PATIENCE,
    ) -> None:
        self._open_sight, self._patience = sight, patience
        self._lock = Lock()
        self._tf = TfWorld()
        self._publisher = TrackPublisher()
        self._pictures = PictureTopics(camera, self._tf, lambda: self._frames, self._trouble)
        self._door = PictureServer()
        self._looked, self._why, self._seconds = -math.inf, "", 0.0
        self._open(configuration.scene)
        self._follower = SceneFollower(self._follow, self._forget)
        self._thread = NodeThread("perception", self._loop)
        self._thread.start()
        self._diagnostics = Diagnostics("camera", self._health, camera.name)

    def stop(self) -> None:
        """Stop processing images."""
        self._thread.end()
        self._pictures.close()
        self._door.close()
        self._diagnostics.stop()
        self._follower.stop()

    def _open(self, scene: Scene) -> None:
        self._scene, self._sight = scene, self._open_sight(scene)
        self._frames: Tuple[str, ...] = tuple(
            name for robot, body in bodies_of(scene).items()
            for name in dict.fromkeys((*frames_of(robot, body).frames, *body.links)))
        self._newest = -math.inf

    def _follow(self, configuration: Configuration) -> None:
        with self._lock:
            self._open(configuration.scene)
            self._pictures.forget()
            self._publisher.forget()

    def _forget(self) -> None:
        with self._lock:
            self._sight.forget()
            self._newest = -math.inf
            self._pictures.forget()
            self._publisher.forget()

    def _loop(self, ended: Event) -> None:
        try:
            while not ended.is_set() and not rospy.is_shutdown():
                picture = self._pictures.next(self._patience)
                if picture is not None and not ended.is_set():
                    self._look(picture)
        finally:
            if not ended.is_set() and not rospy.is_shutdown():
                rospy.signal_shutdown("the perception failed")  # It is started again.

    def _look(self, picture: Picture) -> None:
        began = time.monotonic()
        things = self._scene.objects
        moment = rospy.Time.from_sec(picture.stamp)
        names = [name for name in self._tf.names if name not in things]
        robots = {name: (pose, picture.stamp) for name, pose in
                  ((name, self._tf.pose_at(name, moment)) for name in names) if pose is not None}
        with self._lock:
            if picture.stamp < self._newest - CLOCK_JUMP:
                self._sight.forget()
            self._newest = picture.stamp
            try:
                view = View(picture.stamp, self._sight.look(picture, robots))
            except HicrispError as error:
                self._trouble(str(error))
                self._door.show(picture, (), {})
                return
            things = self._scene.objects
        self._door.show(picture, view.tracks, things)
        self._publisher.publish(view, things)
        self._looked, self._why = time.monotonic(), ""
        self._seconds = self._looked - began
        with self._lock:
            self._sight.afterwards()

    def _health(self) -> Health:
        """Report whether images arrive, the age of the newest, and its problems."""
        age = time.monotonic() - self._looked
        values = {"picture's age": f"{age:.1f} s", "the last look took": f"{1000.0 * self._seconds:.0f} ms"}
        if self._why:
            return Health(self._why, ERROR, values)
        if math.isinf(age):
            return Health("waits for the first picture", WARN)
        late = age > self._patience
        return Health(f"no picture for {age:.0f} s" if late else "pictures come", ERROR if late else OK,
                      values)

    def _trouble(self, why: str) -> None:
        self._why = why
        self._publisher.publish_trouble(why)
        rospy.logerr_throttle(self._patience, f"no picture: {why}")
