"""Whether the lidar that move_base sees with still scans: without it the base would drive blind."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Callable, Optional

import rospy
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_ros.silence import Silence
from hicrisp_ros.stamps import StampCheck
from hicrisp_ros.tf_world import TfWorld
from sensor_msgs.msg import LaserScan

from hicrisp_move_base.settings import MoveBaseSettings

_BLIND = "the base does not drive blind and stands still"


class ScanWatch:
    """Listens to the scans where the settings name their topic.

    A scan is current when it arrives with a stamp that is at most ``scan_lag`` behind the odometry's: an
    older one says nothing of now, and a move_base does not move by it. Nor does one that is stamped ahead of
    the clock, whose frame TF does not know, or that holds no number: a lidar that sees far and free says
    infinity (REP 117).
    """

    def __init__(self, settings: MoveBaseSettings, newest: Callable[[], float], tf: TfWorld) -> None:
        self._settings = settings
        self._newest = newest
        self._tf = tf
        self._fault = ""
        self._current = Silence(heard=False)
        self._stamps = StampCheck(f"the scans on {settings.scan} are", settings.scan, math.inf)
        self._lag = 0.0
        self._subscriber = rospy.Subscriber(settings.scan, LaserScan, self._on_scan, queue_size=1) \
            if settings.scan else None

    def alarm(self) -> Optional[Outcome]:
        """Why nothing may drive; ``None`` while scans arrive, or where nobody named their topic."""
        silence = self._current.seconds
        if self._subscriber is None or silence <= self._settings.scan_age:
            return None
        topic, complaint = self._settings.scan, self._stamps.complaint(Status.SAFETY)
        if complaint is not None:
            return replace(complaint, message=f"{complaint.message}; {_BLIND}")
        if self._fault:
            said, age = f"the scans on {topic} cannot be used, for {self._fault}", silence
        elif self._lag > self._settings.scan_lag:
            said, age = f"the scans on {topic} are {self._lag:.1f} s old when they arrive", self._lag
        else:
            since = f"for {silence:.1f} s" if math.isfinite(silence) else "yet"
            said, age = f"no scan has arrived on {topic} {since}", silence
        cause = Cause(CauseKind.STALE_SENSOR, (topic,), age if math.isfinite(age) else None, said)
        return Outcome(Status.SAFETY, f"{said}; {_BLIND}", cause=cause)

    def _on_scan(self, scan: LaserScan) -> None:
        self._lag = self._newest() - scan.header.stamp.to_sec()
        self._fault = self._fault_of(scan)
        sound = self._stamps.sound(scan.header.stamp.to_sec())
        if sound and self._lag <= self._settings.scan_lag and not self._fault:
            self._current.heard()

    def _fault_of(self, scan: LaserScan) -> str:
        """Why nobody can see by a scan, whenever it was taken; empty where one can."""
        if all(map(math.isnan, scan.ranges)):
            return "none of their ranges is a number"
        frame = scan.header.frame_id.lstrip("/")
        return "" if self._tf.frames([frame]) else f"TF does not know their frame '{frame}'"
