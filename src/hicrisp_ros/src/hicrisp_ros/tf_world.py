"""TF as the detector wants it: the newest pose of each frame in the world frame, with its stamp."""

from __future__ import annotations

import time
from collections import deque
from threading import Condition, Lock
from typing import Deque, Dict, FrozenSet, Iterable, Mapping, Optional, Set, Tuple

import rospy
import tf2_ros
from geometry_msgs.msg import TransformStamped
from hicrisp_core.model import Pose
from hicrisp_core.time.stamps import lead
from tf2_msgs.msg import TFMessage

from hicrisp_ros.conversions.geometry import pose_from_transform
from hicrisp_ros.conversions.world import WORLD_FRAME

Frames = Dict[str, Tuple[Pose, float]]
"""Frame id to its pose in the root frame and the pose's stamp in seconds of the ROS clock."""

CLOCK_JUMP = 1.0
_KEPT = 5.0
"""Seconds of the ROS clock for which transforms are kept."""
_REMEMBERED = 32
"""Stamps of a frame among which a repetition is known."""


class TfWorld:
    """Listens to ``/tf`` and ``/tf_static``. A leading slash, as in the names of older drivers, makes no other frame.

    Args:
        root: the frame in which poses are wanted.
    """

    def __init__(self, root: str = WORLD_FRAME) -> None:
        self._root = plain(root)
        self._buffer = tf2_ros.Buffer(cache_time=rospy.Duration.from_sec(_KEPT), debug=False)
        self._static: Dict[str, object] = {}
        self._stamps: Dict[str, Deque[float]] = {}
        self._newest = 0.0
        self._refused: Set[str] = set()
        self._ahead: Dict[str, float] = {}
        self._parents: Dict[str, str] = {}
        self._count = 0
        self._lock = Lock()
        self._arrived = Condition(self._lock)
        self._subscribers = [
            rospy.Subscriber("/tf", TFMessage, self._on_tf, queue_size=100, buff_size=2**20,
                             tcp_nodelay=True),
            rospy.Subscriber("/tf_static", TFMessage, self._on_static, queue_size=100),
        ]

    @property
    def count(self) -> int:
        """Number of messages so far; it increases with every new observation."""
        return self._count

    @property
    def names(self) -> FrozenSet[str]:
        """The frames received so far."""
        with self._lock:
            return frozenset((*self._stamps, *self._static))

    def problems(self, names: Iterable[str]) -> Mapping[str, str]:
        """Explain why frames are not available now.

        Args:
            names: the frames to check.

        Returns:
            Ends of sentences by frame; available frames are left out.
        """
        found: Dict[str, str] = {}
        with self._lock:
            for asked in names:
                name = plain(asked)
                if name in self._refused:
                    found[asked] = "its transform holds numbers that are not finite"
                elif self._lead_of(name) > 0.0:
                    found[asked] = f"its transform is stamped {self._lead_of(name):.1f} s ahead of the clock"
                elif name not in self._stamps and name not in self._static:
                    found[asked] = "nobody publishes its frame"
                elif not self._buffer.can_transform_core(self._root, name, rospy.Time())[0]:
                    found[asked] = f"no chain of frames leads from '{self._root}' to it"
        return found

    def ahead(self, names: Iterable[str]) -> Mapping[str, float]:
        """Return the frames whose newest transforms, or those of a parent, were rejected because they are
        stamped in the future.

        Args:
            names: the frames to check.

        Returns:
            The lead in seconds by frame.
        """
        with self._lock:
            led = {name: self._lead_of(plain(name)) for name in names} if self._ahead else {}
        return {name: by for name, by in led.items() if by > 0.0}

    def heard_at(self, name: str, stamp: rospy.Time, within: float) -> bool:
        """Check whether a frame's pose was received near a time, so that TF does not interpolate over a long gap.

        Args:
            name: the frame.
            stamp: the time.
            within: greatest distance to a received stamp, seconds.

        Returns:
            True if it was; always true for static frames.
        """
        moment, name = stamp.to_sec(), plain(name)
        with self._lock:
            return name in self._static or any(abs(each - moment) <= within
                                               for each in self._stamps.get(name, ()))

    def wait_for_news(self, seen: int, seconds: float) -> int:
        """Wait for another message.

        Args:
            seen: number of messages that the caller knows.
            seconds: limit in wall time, seconds.

        Returns:
            The number received so far.
        """
        end = time.monotonic() + seconds
        with self._arrived:
            while self._count <= seen:
                remaining = end - time.monotonic()
                if remaining <= 0.0 or rospy.is_shutdown():
                    break
                self._arrived.wait(remaining)
            return self._count

    def wake(self) -> None:
        """Wake the threads in :meth:`wait_for_news`, because something other than TF is new."""
        with self._arrived:
            self._count += 1
            self._arrived.notify_all()

    def frames(self, names: Iterable[str]) -> Frames:
        """Return the newest poses of frames in the root frame.

        Args:
            names: the frames.

        Returns:
            Pose and stamp (seconds) by frame; unavailable frames are left out.
        """
        found: Frames = {}
        with self._lock:
            for name in names:
                try:
                    placed = self._buffer.lookup_transform_core(self._root, plain(name), rospy.Time())
                except tf2_ros.TransformException:
                    continue
                found[name] = (pose_from_transform(placed), placed.header.stamp.to_sec())
        return found

    def frames_at(self, names: Iterable[str], seconds: float) -> Frames:
        """Return the poses of frames at a time in the past.

        Args:
            names: the frames.
            seconds: ROS time, seconds.

        Returns:
            Pose and stamp by frame; unavailable frames are left out.
        """
        stamp = rospy.Time.from_sec(seconds)
        poses = {name: self.pose_at(name, stamp) for name in names}
        return {name: (pose, seconds) for name, pose in poses.items() if pose is not None}

    def pose_at(self, name: str, stamp: rospy.Time) -> Optional[Pose]:
        """Return the pose of a frame at a time.

        Args:
            name: the frame.
            stamp: ROS time.

        Returns:
            Pose in the root frame; ``None`` if TF does not cover the time.
        """
        with self._lock:
            try:
                placed = self._buffer.lookup_transform_core(self._root, plain(name), stamp)
            except tf2_ros.TransformException:
                return None
        return pose_from_transform(placed)

    def _on_tf(self, message: TFMessage) -> None:
        with self._arrived:
            for transform in filter(self._counts, map(_plain, message.transforms)):
                stamp = transform.header.stamp.to_sec()
                if self._set_back(stamp):
                    self._forget()
                self._newest = max(self._newest, stamp)
                heard = self._stamps.setdefault(transform.child_frame_id, deque(maxlen=_REMEMBERED))
                if stamp not in heard:  # TF warns of every repetition.
                    heard.append(stamp)
                    self._buffer.set_transform(transform, "tf")
            self._count += 1
            self._arrived.notify_all()

    def _counts(self, transform: TransformStamped) -> bool:
        """Check whether a transform may be taken. One from the future would stand for the newest, and for it the
        buffer would refuse or forget all that is sound.
        """
        child, stamp = transform.child_frame_id, transform.header.stamp.to_sec()
        self._parents[child] = transform.header.frame_id
        by = lead(stamp, rospy.get_time())
        if by == 0.0:
            self._ahead.pop(child, None)
            return self._holds_numbers(transform)
        if child not in self._ahead:
            rospy.logwarn("TF: the transform from '%s' to '%s' is stamped %.1f s ahead of the clock and is "
                          "not taken; set the clocks of all hosts by the same time server",
                          transform.header.frame_id, child, by)
        self._ahead[child] = stamp
        return False

    def _lead_of(self, name: str) -> float:
        """Return how far the newest transforms up to a frame are ahead of the clock, seconds; 0 if none is."""
        now, leads, seen = rospy.get_time(), [0.0], {name}
        while True:
            if name in self._ahead:
                leads.append(lead(self._ahead[name], now))
            name = self._parents.get(name, self._root)
            if name in seen:
                return max(leads)
            seen.add(name)

    def _holds_numbers(self, transform: TransformStamped) -> bool:
        """Check whether a transform is valid: finite, and not stamped in the future."""
        child = transform.child_frame_id
        if pose_from_transform(transform).finite:
            self._refused.discard(child)
            return True
        if child not in self._refused:
            rospy.logwarn("TF: the transform from '%s' to '%s' holds numbers that are not finite and is not "
                          "taken; look at who publishes it", transform.header.frame_id, child)
        self._refused.add(child)
        return False

    def _set_back(self, stamp: float) -> bool:
        """Check whether a stamp is from before the newest because the clock was set back, and does not only come
        late: as the frames of a picture's moment do where time passes quickly.
        """
        if stamp >= self._newest - CLOCK_JUMP:
            return False
        now = rospy.get_time()
        return not 0.0 < self._newest - CLOCK_JUMP <= now

    def _on_static(self, message: TFMessage) -> None:
        with self._arrived:
            for transform in filter(self._holds_numbers, map(_plain, message.transforms)):
                self._static[transform.child_frame_id] = transform
                self._buffer.set_transform_static(transform, "tf_static")
            self._count += 1
            self._arrived.notify_all()

    def _forget(self) -> None:
        """The clock was set back: what was heard belongs to another run, and TF would refuse what is older."""
        rospy.logwarn("TF stamps went back by more than %g s; older transforms are forgotten", CLOCK_JUMP)
        self._buffer.clear()
        self._stamps.clear()
        self._refused.clear()
        self._ahead.clear()
        self._newest = 0.0
        for transform in self._static.values():
            self._buffer.set_transform_static(transform, "tf_static")


def plain(name: str) -> str:
    """Return a frame's name as tf2 has it, without the leading slash of tf.

    Args:
        name: the frame.

    Returns:
        The name.
    """
    return name.lstrip("/")


def _plain(transform: TransformStamped) -> TransformStamped:
    """Return the transform between frames with plain names."""
    transform.header.frame_id, transform.child_frame_id = map(plain, (transform.header.frame_id,
                                                                      transform.child_frame_id))
    return transform
