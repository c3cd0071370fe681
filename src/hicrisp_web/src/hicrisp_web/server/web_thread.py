"""The server in a thread of its own, on the first port that is free."""

from __future__ import annotations

import logging
import socket
from threading import Event, Thread

import uvicorn
from hicrisp_core.errors import HicrispError
from hicrisp_core.time import Deadline, wait_until

from hicrisp_web.server.app import Desk, make_app

PORT = 8642
"""The port of the page where nobody says another."""
_FURTHER = 20
"""Ports that are tried after the wanted one."""
_START_LIMIT = 20.0
"""Wall seconds."""


class NoPort(HicrispError):
    """No port can be listened at."""


def listen(address: str, port: int) -> socket.socket:
    """Open a listening socket.

    Args:
        address: IP address.
        port: TCP port; 0 takes any. Where it is taken, higher ones are tried.

    Returns:
        The socket.

    Raises:
        NoPort: when none of them is free.
    """
    for each in range(port, port + (_FURTHER if port else 0) + 1):
        found = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((address, each))
            found.listen(64)
        except OSError:
            found.close()
            continue
        return found
    raise NoPort(f"the ports {port} to {port + _FURTHER} of {address} are in use; name another one")


def names_of(port: int) -> "tuple[str, ...]":
    """List the ``Host`` headers of browsers on this machine.

    Args:
        port: TCP port.

    Returns:
        Names with the port.
    """
    return tuple(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


class WebThread:
    """Serves a desk on a socket until it is stopped."""

    def __init__(self, desk: Desk, found: socket.socket) -> None:
        self._over = Event()
        desk.over = self._over.is_set
        config = uvicorn.Config(
            make_app(desk), log_level="warning", access_log=False, lifespan="off", server_header=False,
            timeout_graceful_shutdown=2, limit_concurrency=200, h11_max_incomplete_event_size=16_384)
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, args=([found],), name="dashboard", daemon=True)
        logging.getLogger("uvicorn.error").propagate = True

    def start(self) -> bool:
        """Begin to serve; whether it does within some seconds."""
        self._thread.start()
        return wait_until(lambda: self._server.started, Deadline(_START_LIMIT),
                          in_vain=lambda: not self._thread.is_alive())

    def stop(self) -> None:
        """End it; streams end with it."""
        self._over.set()
        self._server.should_exit = True

    def join(self, seconds: float) -> bool:
        """Wait for the server's end.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether it has ended.
        """
        self._thread.join(seconds)
        return not self._thread.is_alive()
