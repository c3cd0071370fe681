"""Ports for ROS masters of tests that run side by side."""

from __future__ import annotations

import random
import socket

_FIRST, _LAST = 15000, 30000
"""Below the ports that the system itself hands out: one that was free a moment ago still is."""


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    while True:
        port = random.randint(_FIRST, _LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
