"""Whether the lidar that move_base sees with still scans: without it the base would drive blind."""

from __future__ import annotations

import time
from typing import Optional

import rospy
from hicrisp_core.model import Outcome, Status
from sensor_msgs.msg import LaserScan

from hicrisp_move_base.settings import MoveBaseSettings


class ScanWatch:
    """Listens to the scans where the settings name their topic; ages are in wall time."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._settings = settings
        self._seen_at = time.monotonic()
        self._subscriber = rospy.Subscriber(settings.scan, LaserScan, self._on_scan, queue_size=1) \
            if settings.scan else None

    def alarm(self) -> Optional[Outcome]:
        """Why nothing may drive; ``None`` while scans arrive, or where nobody named their topic."""
        silence = time.monotonic() - self._seen_at
        if self._subscriber is None or silence <= self._settings.scan_age:
            return None
        return Outcome(Status.SAFETY, f"no scan has arrived on {self._settings.scan} for {silence:.1f} s; the base "
                                      "does not drive blind and stands still")

    def _on_scan(self, _: LaserScan) -> None:
        self._seen_at = time.monotonic()
