"""Topics whose publishers end with their node without a word, and whether a subscriber hears."""

from __future__ import annotations

from typing import Any

import rospy


class Publisher(rospy.Publisher):
    """rospy's publisher; rospy closes the topics first and lets callbacks that are under way fail at them."""

    def publish(self, *args: Any, **fields: Any) -> None:
        """Publish a message, or its fields.

        Args:
            *args: the message, or its fields in order.
            **fields: the fields by name.

        Raises:
            rospy.ROSException: when the topic was closed while ROS goes on.
        """
        try:
            super().publish(*args, **fields)
        except rospy.ROSException:
            if not rospy.core.is_shutdown_requested():  # ``is_shutdown`` comes true after topics were closed.
                raise


def hears(subscriber: rospy.Subscriber) -> bool:
    """Check whether messages of a publisher reach a subscriber.

    ``get_num_connections`` also counts connections before their handshake, and broken ones that wait for the
    next attempt, possibly for seconds; messages published in that time are lost.

    Args:
        subscriber: the subscriber of this node.

    Returns:
        True if at least one connection has completed its handshake.
    """
    topic = subscriber.impl
    links = () if topic is None else topic.connections or ()
    return any(link.socket is not None and link.local_endpoint[0] is not None for link in links)
