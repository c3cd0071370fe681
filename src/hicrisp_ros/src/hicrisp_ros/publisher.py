"""A publisher that ends with its node: what is published while ROS goes down is dropped without a word."""

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
