"""A lidar's topic as scans in the world frame, each with where the sensor was when it was taken."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import Deque, List, Tuple

import numpy as np
import rospy
from hicrisp_core.model import Pose
from hicrisp_core.model.scan import Scan
from sensor_msgs.msg import LaserScan

from hicrisp_ros.tf_world import TfWorld

_KEPT = 20
"""Scans that wait for TF, at most."""
_STALE = 2.0
"""Seconds of the ROS clock after which TF will say no more where a sensor was."""


class ScanTopic:
    """Collects the scans of one topic until they are taken."""

    def __init__(self, topic: str) -> None:
        self._waiting: Deque[LaserScan] = deque(maxlen=_KEPT)
        self._lock = Lock()
        self._subscriber = rospy.Subscriber(topic, LaserScan, self._on_scan, queue_size=_KEPT,
                                            tcp_nodelay=True)

    def take(self, tf: TfWorld) -> List[Scan]:
        """Return the scans since the last call, oldest first; scans newer than TF are kept for the next call.

        Args:
            tf: gives the pose of the sensor.

        Returns:
            The scans in the root frame.
        """
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
        taken: List[Scan] = []
        later: List[LaserScan] = []
        for message in waiting:
            stamp = message.header.stamp.to_sec()
            pose = tf.pose_at(message.header.frame_id, message.header.stamp)
            if pose is not None:
                taken.append(scan_from_msg(message, pose))
            elif abs(rospy.get_time() - stamp) < _STALE:
                later.append(message)
        with self._lock:
            self._waiting.extendleft(reversed(later))
        return taken

    def _on_scan(self, message: LaserScan) -> None:
        with self._lock:
            self._waiting.append(message)


def scan_from_msg(message: LaserScan, pose: Pose) -> Scan:
    """Convert a scan.

    Args:
        message: the ROS message.
        pose: of the sensor in the root frame.

    Returns:
        The scan; invalid and out-of-range measurements are infinite.
    """
    angles, ranges = _polar(message)
    met = np.isfinite(ranges) & (ranges >= message.range_min) & (ranges <= message.range_max)
    return Scan(message.header.stamp.to_sec(), pose, angles, np.where(met, ranges, np.inf))


def _polar(message: LaserScan) -> Tuple[np.ndarray, np.ndarray]:
    ranges = np.asarray(message.ranges, dtype=float)
    return message.angle_min + message.angle_increment * np.arange(len(ranges)), ranges
