"""Frames that stay where they are in their parents: one latched message holds all of a node's."""

from __future__ import annotations

from typing import Dict, Sequence

from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

from hicrisp_ros.publisher import Publisher


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
