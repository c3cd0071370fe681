"""The topic of a camera's tracks as views: the newest, and none from before the world began again."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import Callable

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.model.track import BLIND, Tracks
from hicrisp_core.ports.perception import CAMERA, POSES

from hicrisp_msgs.msg import TrackArray
from hicrisp_ros.config_files import parameter
from hicrisp_ros.conversions import VIEW
from hicrisp_ros.conversions.world import WORLD_FRAME

TRACKS = "tracks"
NAMED = "named"
"""Whether a model was asked about all objects that are seen, where one names them."""
"""The topic on which the perception says what the camera shows."""
CLOCK_JUMP = 1.0
"""Seconds by which a picture must be older than the newest before the clock was set back."""


def by_camera() -> bool:
    """Check whether a camera observes the objects, by the parameter ``~perception``.

    Returns:
        True for ``camera``, false for ``poses``.

    Raises:
        ConfigError: for any other value.
    """
    chosen = str(parameter("perception", POSES))
    if chosen not in (POSES, CAMERA):
        raise ConfigError(f"perception:={chosen} is not known; there are: {CAMERA}, {POSES}")
    return chosen == CAMERA


class TrackTopic:
    """Holds what the camera showed last.

    Args:
        on_news: called when that is something else, from the thread that takes it.
    """

    def __init__(self, topic: str, on_news: Callable[[], None] = lambda: None) -> None:
        self._lock = Lock()
        self._on_news = on_news
        self._view = BLIND
        self._since = -1.0
        """The moment of the ROS clock before which no picture counts."""
        self._subscriber = rospy.Subscriber(topic, TrackArray, self._on_tracks, queue_size=1,
                                            tcp_nodelay=True)

    @property
    def view(self) -> Tracks:
        """The latest view; empty before the first image."""
        with self._lock:
            return self._view

    def forget(self) -> None:
        """Drop earlier views after the world was reset."""
        with self._lock:
            self._view, self._since = BLIND, rospy.get_time()

    def _on_tracks(self, message: TrackArray) -> None:
        if message.header.frame_id.lstrip("/") not in ("", WORLD_FRAME):
            rospy.logwarn_throttle(10.0, "the tracks on %s are in the frame '%s' and not in '%s'; they are "
                                   "left out", self._subscriber.resolved_name, message.header.frame_id,
                                   WORLD_FRAME)
            return
        view = VIEW.from_msg(message)
        with self._lock:
            newest = max(self._since, self._view.stamp)
            if view.trouble and view.stamp < newest:  # What was seen before stands, and grows old.
                self._view = replace(self._view, trouble=view.trouble)
            elif view.stamp >= newest or view.stamp < newest - CLOCK_JUMP:
                self._view = view
                self._since = min(self._since, view.stamp)
        self._on_news()
