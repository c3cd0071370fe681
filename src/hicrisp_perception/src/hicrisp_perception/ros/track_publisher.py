"""What the camera shows as messages: tracks, frames of the objects' names, and detections for other tools."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, List, Mapping, Optional

import rospy
from geometry_msgs.msg import Vector3
from hicrisp_core.model import WorldObject
from hicrisp_core.model.track import Track, View, Visibility
from hicrisp_ros.conversions import pose_to_msg, view_to_msg
from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.conversions.world import WORLD_FRAME
from hicrisp_ros.frames import MovingFrames
from hicrisp_ros.publisher import Publisher
from hicrisp_ros.tracks import TRACKS

from hicrisp_msgs.msg import TrackArray

DETECTIONS = "detections"
NOTHING = View(0.0)
"""What is published before the first image."""
_SEEN = (Visibility.VISIBLE, Visibility.HELD)


class TrackPublisher:
    """Publishes views: ``tracks`` for the detector, TF for people and tools, and where that package is
    installed ``detections`` as ``vision_msgs/Detection3DArray``.
    """

    def __init__(self) -> None:
        self._last = NOTHING
        self._tracks = Publisher(TRACKS, TrackArray, queue_size=1, latch=True, tcp_nodelay=True)
        self._tf = MovingFrames()
        self._vision: Optional[Any] = import_module("vision_msgs.msg") if find_spec("vision_msgs") else None
        self._detections = None if self._vision is None else Publisher(
            DETECTIONS, self._vision.Detection3DArray, queue_size=1)

    def publish_trouble(self, why: str) -> None:
        """Publish the last view with the reason why no image can be used.

        Args:
            why: the reason, as a sentence.
        """
        self._tracks.publish(view_to_msg(replace(self._last, trouble=why)))

    def forget(self) -> None:
        """Drop the last view after the world was reset."""
        self._last = NOTHING

    def publish(self, view: View, objects: Mapping[str, WorldObject]) -> None:
        """Tell what is to be seen.

        Args:
            objects: what the scene holds, for their sizes.
        """
        self._last = view
        self._tracks.publish(view_to_msg(view))
        seen = [track for track in view.tracks if track.visibility in _SEEN and track.stamp == view.stamp]
        stamp = rospy.Time.from_sec(view.stamp)
        self._tf.tell([transform_to_msg(WORLD_FRAME, track.name, track.pose, stamp) for track in seen])
        if self._detections is not None and self._vision is not None:
            self._detections.publish(_detections(self._vision, seen, stamp, objects))


def _detections(
    vision: Any, seen: List[Track], stamp: rospy.Time, objects: Mapping[str, WorldObject]
) -> Any:
    """Return the objects that are seen as boxes; the number of each is its place among the scene's names, and what
    is unknown comes after them.
    """
    names = sorted(objects)
    found = vision.Detection3DArray()
    found.header.frame_id, found.header.stamp = WORLD_FRAME, stamp
    for track in seen:
        item = track.unknown or objects.get(track.name)
        detection = vision.Detection3D(header=found.header)
        detection.bbox.center = pose_to_msg(track.pose)
        detection.bbox.size = Vector3(*(item.size if item is not None else (0.0, 0.0, 0.0)))
        known = vision.ObjectHypothesisWithPose()
        known.id = names.index(track.name) if track.name in names else len(names)
        known.score = 1.0
        known.pose.pose = pose_to_msg(track.pose)
        sure = track.uncertainty
        for index, sigma in zip((0, 7, 14, 35), (sure.position, sure.position, sure.height, sure.yaw)):
            known.pose.covariance[index] = sigma ** 2
        detection.results.append(known)
        found.detections.append(detection)
    return found
