"""The perception's picture, for a model that takes pictures and for pages."""

from __future__ import annotations

from typing import Optional, Sequence

from hicrisp_msgs.srv import Snapshot, SnapshotRequest, SnapshotResponse
from hicrisp_ros.service_client import ServiceClient, offered

CAMERA_VIEW = "camera_view"
_PATIENCE = 3.0
"""Wall seconds for a picture."""


class CameraView:
    """Asks the service ``camera_view``."""

    def __init__(self) -> None:
        self._client = ServiceClient(CAMERA_VIEW, Snapshot)

    def __call__(self, names: Sequence[str]) -> bytes:
        """Return the newest picture with objects by their numbers from 1, as JPEG; empty if there is none."""
        return self._taken(SnapshotRequest(numbered=list(names)))

    def part(self, words: str) -> bytes:
        """Return the part of the newest picture that shows an object, as JPEG; empty if it is not shown.

        Args:
            words: name the object.
        """
        return self._taken(SnapshotRequest(thing=words)) if words else b""

    def _taken(self, request: SnapshotRequest) -> bytes:
        if not offered(CAMERA_VIEW):
            return b""
        said: Optional[SnapshotResponse] = self._client.call(request, _PATIENCE).response
        return bytes(said.image.data) if said is not None and said.ok else b""
