"""Whether a subscriber can hear: rospy counts a publisher among its connections as soon as it knows of
one.
"""

from __future__ import annotations

import rospy


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
