"""Calls a service over a persistent connection with a deadline in wall time, and connects again when it was lost."""

from __future__ import annotations

import time
from dataclasses import dataclass
from queue import Queue
from threading import Event, Lock, Thread
from typing import Any, Optional

import rospy
from hicrisp_core.time.deadline import Deadline

RETRY_AFTER = 0.1
_HANDLER_FAILED = "responded with an error"


@dataclass(frozen=True)
class ServiceReply:
    """The response, or ``None`` and a message that says why there is none."""

    response: Optional[Any] = None
    message: str = ""


class _Call:
    """One request on its way through the worker."""

    def __init__(self, request: Any) -> None:
        self.request = request
        self.finished = Event()
        self.reply = ServiceReply()


class _Worker:
    """A thread that owns one connection: rospy's call blocks without limit, so nobody else waits inside it."""

    def __init__(self, name: str, service: Any) -> None:
        self._proxy = rospy.ServiceProxy(name, service, persistent=True)
        self._calls: "Queue[Optional[_Call]]" = Queue()
        Thread(target=self._loop, name=f"{name} caller", daemon=True).start()

    def ask(self, request: Any, seconds: float) -> Optional[ServiceReply]:
        """The reply, or ``None`` when there was none in time."""
        call = _Call(request)
        self._calls.put(call)
        return call.reply if call.finished.wait(seconds) else None

    def abandon(self) -> None:
        """Close the connection, which ends a blocked call, and let the thread end."""
        self._calls.put(None)
        self._proxy.close()

    def _loop(self) -> None:
        while True:
            call = self._calls.get()
            if call is None:
                return
            try:
                call.reply = ServiceReply(self._proxy.call(call.request))
            except (rospy.ServiceException, rospy.ROSException, OSError, AttributeError) as error:
                call.reply = ServiceReply(None, str(error) or type(error).__name__)
            call.finished.set()


def offered(name: str) -> bool:
    """Whether the master knows a service of that name; calling one that is not there would wait for it."""
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
        self._worker: Optional[_Worker] = None

    def call(self, request: Any, seconds: float) -> ServiceReply:
        """The service's answer. A server that is not there is tried again until the time is over."""
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
            if self._worker is not None:
                self._worker.abandon()
                self._worker = None

    def _call(self, request: Any, deadline: Deadline, seconds: float) -> ServiceReply:
        message = f"'{self.name}' did not answer within {seconds:g} s"
        while not deadline.passed and not rospy.is_shutdown():
            if self._worker is None:
                self._worker = _Worker(self.name, self._service)
            reply = self._worker.ask(request, deadline.remaining)
            if reply is not None and (reply.response is not None or _HANDLER_FAILED in reply.message):
                return reply
            self._worker.abandon()
            self._worker = None
            if reply is None:
                break
            message = reply.message
            time.sleep(min(RETRY_AFTER, deadline.remaining))
        return ServiceReply(None, message)
