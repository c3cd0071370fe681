"""A depth camera's topics as pictures: colour and depth of the same moment, the newest only."""

from __future__ import annotations

import time
from collections import deque
from threading import Condition
from typing import Any, Callable, Deque, Dict, Optional, Tuple

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.model.picture import Picture
from hicrisp_core.scene.cameras import CameraSettings
from hicrisp_core.time import Deadline, lead
from hicrisp_ros.conversions.picture import PictureError, colour_from_msg, depth_from_msg, lens_from_msg
from hicrisp_ros.node_threads import ending
from hicrisp_ros.tf_world import TfWorld
from rospy.impl.tcpros_base import DEFAULT_BUFF_SIZE
from sensor_msgs.msg import CameraInfo, Image

CLOCK_JUMP = 1.0
"""Seconds by which a picture must be older than the last before the clock was set back."""
_KEPT = 4
"""Images of each kind that wait for their other half."""
_BUFFER = 2 ** 24
"""Bytes that rospy reads at once: with less, old images queue up in the socket."""
_TF_LIMIT = 0.5
"""Wall seconds for TF to say where the camera and the robots were."""
_START_LIMIT = 3.0
"""Time after the first image in which missing TF frames are not reported, wall seconds."""
_NEAR = 0.05
"""Seconds by which TF's poses of a robot may miss a picture's moment."""
_DEAF = 5.0
"""Silence of a topic, while others of its camera publish, after which it is subscribed again, wall seconds."""
_SLICE, _WAKE = 0.02, 0.5
_SECOND_LIMIT, _SECOND_WARNS = 0.6, 10.0
"""Time for which a second camera's picture holds up those of the first, and between warnings, wall seconds."""

_INFO = 2
"""The place of its calibration among a camera's topics."""
Trouble = Callable[[str], None]


class PictureTopics:
    """Takes pictures off a camera's topics.

    Args:
        tf: says where the camera is.
        needed: frames that TF must place at a picture's moment before that is looked at: the robots'.
        trouble: called with the reason why there are no images, as a sentence that names the topic.
    """

    def __init__(
        self, camera: CameraSettings, tf: TfWorld, needed: Callable[[], Tuple[str, ...]], trouble: Trouble
    ) -> None:
        self._tf, self._needed, self._trouble = tf, needed, trouble
        self._slop = 0.5 / camera.rate
        self._colours: Deque[Image] = deque(maxlen=_KEPT)
        self._depths: Deque[Image] = deque(maxlen=_KEPT)
        self._info: Optional[CameraInfo] = None
        self._pair: Optional[Tuple[Image, Image]] = None
        self._since = -1.0
        self._ahead: Dict[str, float] = {}
        self._starting: Optional[Deadline] = None
        self._news = Condition()
        names = camera.topics
        self._names = tuple(map(rospy.resolve_name, (names.colour, names.depth, names.info)))
        self._takers: Tuple[Tuple[type, Callable[[Any], None]], ...] = (
            (Image, lambda message: self._on_image(message, self._colours)),
            (Image, lambda message: self._on_image(message, self._depths)), (CameraInfo, self._on_info))
        self._heard = [time.monotonic()] * len(self._names)
        self._subscribers = [self._listen(which) for which in range(len(self._names))]

    def close(self) -> None:
        """Unsubscribe."""
        for subscriber in self._subscribers:
            subscriber.unregister()

    def next(self, seconds: float) -> Optional[Picture]:
        """Wait for another image.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            The newest image; ``None`` at the time limit, or if it is invalid.
        """
        deadline = Deadline(seconds)
        with self._news:
            while (self._pair is None or self._info is None) and not deadline.passed:
                if ending() or rospy.is_shutdown():
                    return None
                self._news.wait(min(_WAKE, max(_SLICE, deadline.remaining)))
            pair, info = self._pair, self._info
            self._pair = None if info is not None else pair
        if pair is None or info is None:
            self._trouble(self._missing())
            self._listen_anew()
            return None
        return self._picture(pair[0], pair[1], info)

    def forget(self) -> None:
        """Drop earlier images after the world was reset."""
        with self._news:
            self._colours.clear()
            self._depths.clear()
            self._pair, self._since = None, rospy.get_time()

    def _listen(self, which: int) -> rospy.Subscriber:
        kind, take = self._takers[which]

        def heard(message: Any) -> None:
            self._heard[which] = time.monotonic()
            take(message)

        return rospy.Subscriber(self._names[which], kind, heard, queue_size=1, tcp_nodelay=True,
                                buff_size=_BUFFER if kind is Image else DEFAULT_BUFF_SIZE)

    def _listen_anew(self) -> None:
        """A subscriber of rospy may stay deaf to a topic that was closed and opened again at once: it comes
        back while there is none, and is turned away for good.
        """
        newest = max(self._heard)
        for which, heard in enumerate(self._heard):
            latched = which == _INFO and self._info is not None  # It need not be told twice.
            if newest - heard > _DEAF and not latched:
                self._subscribers[which].unregister()
                self._heard[which], self._subscribers[which] = newest, self._listen(which)

    def _picture(self, colour: Image, depth: Image, info: CameraInfo) -> Optional[Picture]:
        try:
            lens = self._read(info, lens_from_msg, 2)
            pixels = self._read(colour, colour_from_msg, 0)
            distances = self._read(depth, depth_from_msg, 1)
            for name, wide, high in ((self._names[1], depth.width, depth.height),
                                     (self._names[2], lens.width, lens.height)):
                if (wide, high) != (colour.width, colour.height):
                    raise PictureError(f"{name} is of {wide} x {high} pixels, and {self._names[0]} of "
                                       f"{colour.width} x {colour.height}; align the depth to the colour")
        except PictureError as error:
            self._trouble(str(error))
            return None
        stamp = colour.header.stamp
        frame = colour.header.frame_id.lstrip("/")
        limit = Deadline(_TF_LIMIT)
        self._starting = self._starting or Deadline(_START_LIMIT)
        while True:
            heard = self._tf.count
            pose = self._tf.pose_at(frame, stamp)
            if pose is not None and not self._unplaced(stamp):
                return Picture(stamp.to_sec(), lens, pixels, distances, pose)
            if limit.passed or ending() or rospy.is_shutdown():
                break
            self._tf.wait_for_news(heard, min(_WAKE, limit.remaining))
        if not self._starting.passed:
            return None
        missing = frame if pose is None else ", ".join(self._unplaced(stamp))
        self._trouble(f"TF does not place {missing} at the moment of the pictures of {self._names[0]}; "
                      "check that its transform is published, with the same clock")
        return None

    def _unplaced(self, stamp: rospy.Time) -> Tuple[str, ...]:
        """Return the frames whose pose at the time of the image is unknown."""
        return tuple(name for name in self._needed() if not self._tf.heard_at(name, stamp, _NEAR)
                     or self._tf.pose_at(name, stamp) is None)

    def _read(self, message: object, read: Callable, which: int):  # type: ignore[no-untyped-def]
        try:
            return read(message)
        except PictureError as error:
            raise PictureError(f"{self._names[which]}: {error}") from error

    def _missing(self) -> str:
        """Which half of a picture does not come."""
        if self._ahead:
            return (f"the pictures on {' and '.join(sorted(self._ahead))} are stamped "
                    f"{max(self._ahead.values()):.1f} s ahead of the clock; set the clocks of all hosts by "
                    "the same time server")
        got = (bool(self._colours), bool(self._depths), self._info is not None)
        silent = [name for name, there in zip(self._names, got) if not there]
        if silent:
            return (f"nothing comes on {' and '.join(silent)}; check that the camera runs, and its topics in "
                    "config/cameras")
        return f"no new pictures come on {self._names[0]} and {self._names[1]} with the same stamp"

    def _on_image(self, message: Image, kept: Deque[Image]) -> None:
        stamp, name = message.header.stamp.to_sec(), self._names[0 if kept is self._colours else 1]
        by = lead(stamp, rospy.get_time())
        with self._news:
            self._ahead.pop(name, None)
            if by > 0.0:  # Its time is unknown, and all later ones would seem to be older.
                self._ahead[name] = by
                return
            if self._since - CLOCK_JUMP <= stamp < self._since:
                return
            if kept and stamp < kept[-1].header.stamp.to_sec() - CLOCK_JUMP:
                self._colours.clear()
                self._depths.clear()
                self._pair, self._since = None, stamp
            kept.append(message)
            other = self._depths if kept is self._colours else self._colours
            match = min(other, key=lambda each: abs(each.header.stamp.to_sec() - stamp), default=None)
            if match is not None and abs(match.header.stamp.to_sec() - stamp) <= self._slop:
                self._pair = (message, match) if kept is self._colours else (match, message)
                self._news.notify_all()

    def _on_info(self, message: CameraInfo) -> None:
        with self._news:
            self._info = message
            self._news.notify_all()


class SecondCamera:
    """Takes pictures off another camera's topics, such as the hand's, when they are asked for.

    It is subscribed only then: a simulator renders for subscribers alone.

    Args:
        find: asked for its settings before it is subscribed; ``None`` without one.
        tf: says where the camera and the robots are.
        needed: frames that TF must place at a picture's moment.
    """

    def __init__(self, find: Callable[[], Optional[CameraSettings]], tf: TfWorld, needed: Callable[[], Tuple[str, ...]]
                 ) -> None:
        self._find, self._tf, self._needed = find, tf, needed
        self._camera: Optional[CameraSettings] = None
        self._topics: Optional[PictureTopics] = None
        self._asked = False

    def take(self, since: float) -> Optional[Picture]:
        """Wait for a picture.

        Args:
            since: stamp before which it is too old by half a period, seconds.

        Returns:
            The newest; ``None`` without one in time.
        """
        if self._topics is None:
            self._camera = self._find()
            if self._camera is None:
                return None
            check_topics(self._camera)
            self._topics = PictureTopics(self._camera, self._tf, self._needed, _warn)
        self._asked, deadline = True, Deadline(_SECOND_LIMIT)
        while not (deadline.passed or ending()):
            picture = self._topics.next(deadline.remaining)
            if picture is not None and self._camera is not None and picture.stamp >= since - 0.5 / self._camera.rate:
                return picture
        return None

    def rest(self) -> None:
        """Unsubscribe if no picture was asked for since the last rest."""
        if not self._asked:
            self.close()
        self._asked = False

    def close(self) -> None:
        """Unsubscribe, and drop what came."""
        if self._topics is not None:
            self._topics.close()
        self._topics = None


def _warn(why: str) -> None:
    rospy.logwarn_throttle(_SECOND_WARNS, f"no second picture: {why}")


def check_topics(camera: CameraSettings) -> None:
    """Check that colour, depth and calibration of a camera use different topics.

    Args:
        camera: settings of the camera.

    Raises:
        ConfigError: if two are the same.
    """
    names = (camera.topics.colour, camera.topics.depth, camera.topics.info)
    if len(set(map(rospy.resolve_name, names))) < len(names):
        raise ConfigError(f"the camera '{camera.name}' has the same topic twice: {', '.join(names)}")
