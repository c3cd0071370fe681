"""Pictures of the scene from whatever serves ``snapshot``, one at a time."""

from __future__ import annotations

import time
from threading import Lock
from typing import Tuple

from hicrisp_ros.service_client import ServiceClient, offered

from hicrisp_msgs.srv import Snapshot, SnapshotRequest

_PATIENCE = 8.0
"""Wall seconds; the first picture of a world takes long."""
_PERIOD = 1.0
"""Wall seconds for which a picture counts as new, so that many pages cost no more than one."""


class Snapshots:
    """The latest picture; empty where nothing takes any."""

    def __init__(self) -> None:
        self._client = ServiceClient("snapshot", Snapshot)
        self._latest: Tuple[bytes, str] = (b"", "")
        self._taken = -_PERIOD
        self._lock = Lock()

    def __call__(self) -> Tuple[bytes, str]:
        """A picture and its media type."""
        with self._lock:
            if time.monotonic() - self._taken >= _PERIOD:
                self._latest = self._take()
                self._taken = time.monotonic()
            return self._latest

    def _take(self) -> Tuple[bytes, str]:
        if not offered("snapshot"):
            return b"", ""
        taken = self._client.call(SnapshotRequest(caption="dashboard"), _PATIENCE).response
        if taken is None or not taken.ok:
            return b"", ""
        kind = "png" if "png" in taken.image.format else "webp" if "webp" in taken.image.format else "jpeg"
        return bytes(taken.image.data), f"image/{kind}"
