"""Pictures of the scene, one at a time: what the perception's camera sees with what was recognised drawn in,
or else what a simulated world shows.
"""

from __future__ import annotations

import time
from threading import Lock

import rospy
from hicrisp_ros.ports.camera_view import CAMERA_VIEW
from hicrisp_ros.service_client import ServiceClient, offered

from hicrisp_msgs.srv import Snapshot, SnapshotRequest
from hicrisp_web.server.shot import NO_SHOT, Shot

_PATIENCE = 8.0
"""Wall seconds; the first picture of a world takes long."""
_EYE, _SCENE = CAMERA_VIEW, "snapshot"
_PERIODS = {_EYE: 0.5, _SCENE: 1.0}
"""Wall seconds for which a picture counts as new, so that many pages cost no more than one."""


class Snapshots:
    """The latest picture; none where nothing takes any. Nobody draws while no page asks."""

    def __init__(self) -> None:
        self._clients = {name: ServiceClient(name, Snapshot) for name in _PERIODS}
        self._latest = NO_SHOT
        self._until = 0.0
        self._lock = Lock()

    def __call__(self, words: str) -> Shot:
        """A picture; with words the part of the camera's that shows the object that they name."""
        if words:
            return self._take(_EYE, words)
        with self._lock:
            if time.monotonic() >= self._until:
                service = _EYE if offered(_EYE) else _SCENE
                self._latest = self._take(service)
                self._until = time.monotonic() + _PERIODS[service]
            return self._latest

    def _take(self, service: str, words: str = "") -> Shot:
        if not offered(service):
            return NO_SHOT
        taken = self._clients[service].call(SnapshotRequest(caption="dashboard", thing=words), _PATIENCE).response
        if taken is None or not taken.ok:
            return NO_SHOT
        kind = "png" if "png" in taken.image.format else "webp" if "webp" in taken.image.format else "jpeg"
        age = rospy.get_time() - taken.image.header.stamp.to_sec() if service == _EYE else 0.0
        return Shot(bytes(taken.image.data), f"image/{kind}", "camera" if service == _EYE else "scene",
                    max(0.0, age))
