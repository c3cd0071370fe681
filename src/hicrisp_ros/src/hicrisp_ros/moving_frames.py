"""Moving frames: each is published once per stamp, as TF warns about repetitions."""

from __future__ import annotations

from collections import deque
from typing import Deque, Dict, List, Sequence

from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

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
