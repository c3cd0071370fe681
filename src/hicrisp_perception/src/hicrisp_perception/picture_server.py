"""The camera's newest image with what was recognised in it, drawn on request only."""

from __future__ import annotations

from threading import Lock
from typing import Mapping, Optional, Tuple

import rospy
from hicrisp_core.model import WorldObject
from hicrisp_core.model.picture import Picture
from hicrisp_core.model.track import Track
from sensor_msgs.msg import CompressedImage

from hicrisp_msgs.srv import Snapshot, SnapshotResponse
from hicrisp_perception.annotating import annotated, as_jpeg

SERVICE = "camera_view"
_Looked = Tuple[Picture, Tuple[Track, ...], Mapping[str, WorldObject]]


class PictureServer:
    """Serves ``camera_view``."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._looked: Optional[_Looked] = None
        self._drawn: Optional[Tuple[float, bytes]] = None
        self._service = rospy.Service(SERVICE, Snapshot, lambda _: self._answer())

    @property
    def stamp(self) -> Optional[float]:
        """Stamp of the newest image; ``None`` before the first."""
        looked = self._looked
        return None if looked is None else looked[0].stamp

    def show(self, picture: Picture, tracks: Tuple[Track, ...], things: Mapping[str, WorldObject]) -> None:
        """Set the image to serve.

        Args:
            picture: colour and depth with stamp, lens and camera pose.
            tracks: tracks of the image; empty if it could not be evaluated.
            things: shapes and sizes of the scene's objects by name.
        """
        with self._lock:
            self._looked = picture, tracks, things

    def close(self) -> None:
        """Stop serving."""
        self._service.shutdown()

    def _answer(self) -> SnapshotResponse:
        with self._lock:
            if self._looked is None:
                return SnapshotResponse(False, "no picture has come yet", CompressedImage())
            picture, tracks, things = self._looked
            if self._drawn is None or self._drawn[0] != picture.stamp:
                self._drawn = picture.stamp, as_jpeg(annotated(picture, tracks, things))
            image = CompressedImage(format="jpeg", data=self._drawn[1])
        image.header.stamp = rospy.Time.from_sec(max(0.0, picture.stamp))
        return SnapshotResponse(True, "", image)
