"""The embedded depth camera's door: pictures, calibration and the camera's frame, as drivers have them."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from io import BytesIO
from threading import Lock
from typing import Callable, Iterator, Optional, Tuple

import PIL.Image
import rospy
from hicrisp_core.errors import HicrispError
from hicrisp_core.model.picture import Picture
from hicrisp_core.scene.cameras import CameraTopics
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.conversions.picture import colour_to_msg, depth_to_msg, lens_to_msg
from hicrisp_ros.frames import StaticFrames
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.wall_clock import WallTimer
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header

from hicrisp_sim.depth_camera import EmbeddedCamera
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.simulation import Snapshot

_TICK, _UNHEARD = 0.02, 0.1
"""Period of checking the clock, with subscribers and without, wall seconds."""
_EARLY = 1e-6


class CameraServer:
    """Publishes the camera that the scene names while it has subscribers.

    A picture is of one snapshot, whose time is its stamp; the physics continues in the meantime.
    The camera's rate is of the world's time, and while something is moved there also of wall time.
    When a motion has ended, a picture is taken at once.

    Args:
        announce: publishes the clock and the frames of a snapshot, so that both are known when its picture comes.
        camera: returns the camera; that which the scene names by default.
    """

    def __init__(self, world: EmbeddedWorld, static: StaticFrames,
                 announce: Callable[[Snapshot], None],
                 camera: Optional[Callable[[], EmbeddedCamera]] = None) -> None:
        self._world = world
        self._camera = camera or (lambda: world.camera)
        self._static = static
        self._announce = announce
        self._taking, self._taken_at = Lock(), -math.inf
        self._topics: Tuple[Publisher, ...] = ()
        self._names: Optional[CameraTopics] = None
        self._open()
        self._timer = WallTimer(_TICK, self._take_in_time, "depth_camera")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Provide a context in which no image is taken, since the world is replaced."""
        with self._taking:
            yield
            self._open()

    def _open(self) -> None:
        """Open the topics of the scene's camera, and publish where it is mounted.

        Topics that are open stay so: to one that is closed and opened again at once, a subscriber of rospy
        may stay deaf. It comes back while there is none, is turned away for good, and the news that there is
        one reaches it before it has let go of the old.
        """
        settings = self._camera().settings
        self._settings, self._taken = settings, -math.inf
        names, mounting = settings.topics, settings.mounting
        if names != self._names:
            for topic in self._topics:
                topic.unregister()
            self._names = names
            # Before the raw pictures: a recorder that sees those alone records them.
            self._packed = Publisher(names.colour + "/compressed", CompressedImage, queue_size=2)
            self._colour = Publisher(names.colour, Image, queue_size=2)
            self._depth = Publisher(names.depth, Image, queue_size=2)
            self._info = Publisher(names.info, CameraInfo, queue_size=2)
            self._topics = (self._colour, self._depth, self._info, self._packed)
        self._static.put([transform_to_msg(mounting.link or "world", settings.frame, mounting.pose,
                                           rospy.Time())])

    def _take_in_time(self) -> float:
        """Publish a picture when its moment has come; the seconds until the next look."""
        with self._taking:
            if not any(topic.get_num_connections() for topic in self._topics):
                return _UNHEARD
            simulation = self._world.simulation
            snapshot, period = simulation.snapshot, 1.0 / self._settings.rate
            moved_at = None if simulation.in_motion else simulation.moved_at
            if not due(snapshot.time, self._taken, period, moved_at, time.monotonic() - self._taken_at):
                return _TICK
            self._taken, self._taken_at = snapshot.time, time.monotonic()
            try:
                picture = self._camera().take(snapshot)
            except HicrispError as error:
                rospy.logerr_throttle(10.0, f"no pictures on {self._colour.name}: {error}")
                return _UNHEARD
            if picture is not None:
                self._announce(snapshot)
                self._publish(picture)
        return _TICK

    def _publish(self, picture: Picture) -> None:
        stamp, frame = rospy.Time.from_sec(picture.stamp), self._settings.frame
        self._info.publish(lens_to_msg(picture.lens, frame, stamp))
        self._colour.publish(colour_to_msg(picture.colour, frame, stamp))
        if self._packed.get_num_connections() > 0:
            packed = BytesIO()
            PIL.Image.fromarray(picture.colour).save(packed, "JPEG", quality=90)
            self._packed.publish(Header(stamp=stamp, frame_id=frame), "jpeg", packed.getvalue())
        self._depth.publish(depth_to_msg(picture.depth, frame, stamp))


def due(now: float, taken: float, period: float, moved_at: Optional[float], ago: float) -> bool:
    """Check whether it is time for an image.

    Args:
        now: simulation time, seconds.
        taken: simulation time of the last image, seconds.
        period: between images, simulation seconds.
        moved_at: simulation time at which the last motion ended; ``None`` during a motion.
        ago: wall time since the last image, seconds.

    Returns:
        True if an image should be taken now.
    """
    if moved_at is not None and taken < moved_at <= now:
        return True  # Observers wait for the result of a motion, so this image is not delayed.
    if 0.0 <= now - taken < period - _EARLY:
        return False
    # Where time passes as fast as it can, pictures of a motion would only slow it down.
    return moved_at is not None or ago >= period
