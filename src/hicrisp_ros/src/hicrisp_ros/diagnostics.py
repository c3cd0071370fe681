"""How a part of a node is, on ``/diagnostics`` once a second: what works, and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Mapping

import rospy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from hicrisp_ros.publisher import Publisher
from hicrisp_ros.wall_clock import WallTimer

TOPIC = "/diagnostics"
_PERIOD = 1.0
"""Wall seconds between two reports."""
OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


@dataclass(frozen=True)
class Health:
    """How something is.

    Args:
        message: what it does or waits for, in a few words.
        level: ``OK``, ``WARN`` or ``ERROR``.
        values: figures beside the message; never keys or tokens.
    """

    message: str
    level: int = OK
    values: Mapping[str, object] = field(default_factory=dict)


class Diagnostics:
    """Reports on one part of this node.

    Args:
        part: what is reported on; it stands behind the node's name.
        look: says how it is; called about once a second in a thread of its own.
    """

    def __init__(self, part: str, look: Callable[[], Health], hardware: str = "") -> None:
        publisher = Publisher(TOPIC, DiagnosticArray, queue_size=5)
        self._timer = WallTimer(_PERIOD, lambda: publisher.publish(report(part, look(), hardware)),
                                f"{part} diagnostics")

    def stop(self) -> None:
        """Stop reporting."""
        self._timer.shutdown()


def report(part: str, health: Health, hardware: str = "") -> DiagnosticArray:
    """Create a diagnostics message.

    Args:
        part: the component of this node.
        health: its level, message and values.
        hardware: id of the hardware; may be empty.

    Returns:
        The message.
    """
    values = [KeyValue(name, str(value)) for name, value in health.values.items()]
    status = DiagnosticStatus(health.level, f"{rospy.get_name().lstrip('/')}: {part}", health.message,
                              hardware, values)
    message = DiagnosticArray(status=[status])
    message.header.stamp = rospy.Time.now()
    return message
