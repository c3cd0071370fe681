"""Shows the frames of one of several instances on a master: under its prefix, on the topics that all share.

The nodes of such an instance hear of frames on topics of their own, where the names are free. This node alone publishes
on the shared ones.
"""

from __future__ import annotations

from typing import Dict

import rospy
from geometry_msgs.msg import TransformStamped
from hicrisp_ros.config_files import parameter
from hicrisp_ros.node import run
from hicrisp_ros.publisher import Publisher
from tf2_msgs.msg import TFMessage


class TfRelay:
    """Repeats the ``tf`` and ``tf_static`` of its namespace on ``/tf`` and ``/tf_static``.

    Args:
        prefix: put before every name of a frame, with a slash.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._static: Dict[str, TransformStamped] = {}
        self._moving = Publisher("/tf", TFMessage, queue_size=20, tcp_nodelay=True)
        self._still = Publisher("/tf_static", TFMessage, queue_size=1, latch=True)
        self._subscribers = (
            rospy.Subscriber("tf", TFMessage, lambda message: self._moving.publish(self._named(message)),
                             queue_size=100),
            rospy.Subscriber("tf_static", TFMessage, self._on_static, queue_size=100))

    def _on_static(self, message: TFMessage) -> None:
        """A latched topic keeps one message, and the frames come from several nodes."""
        self._static.update({each.child_frame_id: each for each in self._named(message).transforms})
        self._still.publish(TFMessage(list(self._static.values())))

    def _named(self, message: TFMessage) -> TFMessage:
        for each in message.transforms:
            each.header.frame_id = f"{self._prefix}/{each.header.frame_id.lstrip('/')}"
            each.child_frame_id = f"{self._prefix}/{each.child_frame_id.lstrip('/')}"
        return message


def main() -> None:
    """Run the node."""
    run("tf_relay", lambda: TfRelay(str(parameter("prefix")).strip("/")))
