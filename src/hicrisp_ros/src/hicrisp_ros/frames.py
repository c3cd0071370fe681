"""Frames on TF: moving ones, each once per stamp, as TF warns of repetitions; static ones, all in one message."""

from __future__ import annotations

from collections import deque
from typing import Deque, Dict, List, Sequence, Tuple

import rospy
from geometry_msgs.msg import TransformStamped
from hicrisp_core.model import Pose
from tf2_msgs.msg import TFMessage

from hicrisp_ros.conversions.geometry import transform_to_msg
from hicrisp_ros.publisher import Publisher

_REMEMBERED = 64
"""Moments of a frame among which a repetition is known."""


class MovingFrames:
    """Publishes on ``/tf``. Listeners, including RViz, drop a second transform of a frame with a stamp
    that it has already and warns of it (``TF_REPEATED_DATA``). Older moments may follow newer ones.

    Args:
        queue: messages that may wait to be sent.
    """

    def __init__(self, queue: int = 5) -> None:
        self._publisher = Publisher("/tf", TFMessage, queue_size=queue, tcp_nodelay=True)
        self._told: Dict[str, Deque[int]] = {}

    def tell(self, transforms: Sequence[TransformStamped]) -> None:
        """Publish transforms, except those whose stamp was published already.

        Args:
            transforms: stamped transforms, in any order.
        """
        new = self.news(transforms)
        if new:
            self._publisher.publish(TFMessage(new))

    def news(self, transforms: Sequence[TransformStamped]) -> List[TransformStamped]:
        """Select the transforms whose stamp was not published yet, and register them as published.

        Args:
            transforms: stamped transforms, in any order.

        Returns:
            The new ones.
        """
        found: List[TransformStamped] = []
        for transform in transforms:
            told = self._told.setdefault(transform.child_frame_id, deque(maxlen=_REMEMBERED))
            moment = transform.header.stamp.to_nsec()
            if moment not in told:
                told.append(moment)
                found.append(transform)
        return found


def name_frames(names: Sequence[Tuple[str, str, Pose]]) -> None:
    """Publish frames under further names, as ``/tf_static``.

    Args:
        names: parent, child, and the child's pose in its parent; a frame that has its name already is left out.
    """
    StaticFrames().put([transform_to_msg(parent, child, pose, rospy.Time.now())
                        for parent, child, pose in names if parent != child])


class StaticFrames:
    """Publishes on ``/tf_static``. A latched topic remembers one message, so a node needs one of these."""

    def __init__(self) -> None:
        self._frames: Dict[str, TransformStamped] = {}
        self._publisher = Publisher("/tf_static", TFMessage, queue_size=1, latch=True)

    def put(self, transforms: Sequence[TransformStamped]) -> None:
        """Publish static transforms; each replaces the earlier one of its child frame.

        Args:
            transforms: stamped transforms, in any order.
        """
        self._frames.update({each.child_frame_id: each for each in transforms})
        self._publisher.publish(TFMessage(list(self._frames.values())))
