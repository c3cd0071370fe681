"""Whether a subscriber can hear: rospy counts a publisher among its connections as soon as it knows of
one.
"""

from __future__ import annotations

import rospy


def hears(subscriber: rospy.Subscriber) -> bool:
    """Whether what a publisher sends reaches this subscriber.

    ``get_num_connections`` also counts connections whose handshake is still to come, and those that broke and
    wait for their next attempt, which may take seconds; what is published meanwhile is lost.
    """
    topic = subscriber.impl
    links = () if topic is None else topic.connections or ()
    return any(link.socket is not None and link.local_endpoint[0] is not None for link in links)
