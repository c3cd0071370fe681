"""Calls a service over a persistent connection with a deadline in wall time, and connects again when it
was lost.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Optional

import rospy
from hicrisp_core.time import BoundedCalls, Deadline, Overdue
from rospy.exceptions import ROSInternalException

from hicrisp_ros.node_threads import ending

RETRY_AFTER = 0.1
_MOST_CALLS = 4
"""Calls that may be under way at once: one that is waited for, and late ones whose connection is being closed."""
_HANDLER_FAILED = "responded with an error"


@dataclass(frozen=True)
class ServiceReply:
    """The response, or ``None`` and a message with the reason."""

    response: Optional[Any] = None
    message: str = ""


def offered(name: str) -> bool:
    """Check whether the master knows a service; a call to an unknown one would block.

    Args:
        name: of the service.

    Returns:
        True if it is registered; false also if the master cannot be reached.
    """
    try:
        return bool(rospy.get_master().lookupService(rospy.resolve_name(name))[0] == 1)
    except (OSError, rospy.ROSException):
        return False


class ServiceClient:
    """A client of one service; calls from several threads run one after another.

    Args:
        name: the service's name, relative to the node's namespace.
        service: the service's type, for example ``CheckCommand``.
    """

    def __init__(self, name: str, service: Any) -> None:
        self.name = name
        self._service = service
        self._lock = Lock()
        self._proxy: Optional[Any] = None
        self._calls = BoundedCalls(f"'{name}'", _MOST_CALLS)

    @property
    def offered(self) -> bool:
        """Whether a server exists; the master is asked only without a connection."""
        return self._proxy is not None or offered(self.name)

    def call(self, request: Any, seconds: float) -> ServiceReply:
        """Call the service; an unavailable server is retried until the time limit.

        Args:
            request: the request message.
            seconds: limit in wall time, seconds.

        Returns:
            The response, or the reason why it is missing.
        """
        deadline = Deadline(seconds)
        if not self._lock.acquire(timeout=seconds):
            return ServiceReply(None, f"'{self.name}' was busy with another call for {seconds:g} s")
        try:
            return self._call(request, deadline, seconds)
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the connection; another call makes a new one."""
        with self._lock:
            self._disconnect()

    def _call(self, request: Any, deadline: Deadline, seconds: float) -> ServiceReply:
        message = f"'{self.name}' did not answer within {seconds:g} s"
        while not (deadline.passed or ending() or rospy.is_shutdown()):
            if self._proxy is None and not offered(self.name):
                message = f"nobody serves '{self.name}'"
                time.sleep(min(RETRY_AFTER, deadline.remaining))
                continue
            if self._proxy is None:
                self._proxy = rospy.ServiceProxy(self.name, self._service, persistent=True)
            try:
                return ServiceReply(self._calls.call(partial(self._proxy.call, request), deadline))
            except Overdue:
                self._disconnect()
                break
            except (rospy.ServiceException, rospy.ROSException, ROSInternalException, OSError,
                    AttributeError) as error:
                if _HANDLER_FAILED in str(error):
                    return ServiceReply(None, str(error))
                message = f"the node that serves '{self.name}' went away"
            self._disconnect()
            time.sleep(min(RETRY_AFTER, deadline.remaining))
        return ServiceReply(None, message)

    def _disconnect(self) -> None:
        """Close the connection, which also ends a call that still waits for its answer."""
        if self._proxy is not None:
            self._proxy.close()
        self._proxy = None
