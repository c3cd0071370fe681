"""The perception's picture for a model that takes pictures."""

from __future__ import annotations

from typing import Sequence

from hicrisp_msgs.srv import Snapshot, SnapshotRequest
from hicrisp_ros.service_client import ServiceClient

CAMERA_VIEW = "camera_view"
_PATIENCE = 3.0
"""Wall seconds for a picture."""


class CameraView:
    """Asks the service ``camera_view``."""

    def __init__(self) -> None:
        self._client = ServiceClient(CAMERA_VIEW, Snapshot)

    def __call__(self, names: Sequence[str]) -> bytes:
        """Return the newest picture with objects by their numbers from 1, as JPEG; empty if there is none."""
        said = self._client.call(SnapshotRequest(numbered=list(names)), _PATIENCE).response
        return bytes(said.image.data) if said is not None and said.ok else b""
