"""Calls that know no time limit, made in a thread of their own, so that nobody waits longer than he wants to."""

from __future__ import annotations

from queue import Queue
from threading import Event, Lock, Thread
from typing import Any, Callable, Optional

from hicrisp_core.time.deadline import Deadline


class TooLong(Exception):
    """A call did not return in time; it may still be under way."""


class _Call:
    """One call on its way through the worker."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.finished = Event()
        self.answer: Any = None
        self.error: Optional[Exception] = None


class BlockingCalls:
    """One thread that makes the calls one after another, as a library that is not thread-safe wants them.

    A call that nobody waits for any more keeps the thread busy until it returns; later ones then fail at once.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: "Queue[_Call]" = Queue()
        self._lock = Lock()
        self._late: Optional[_Call] = None
        Thread(target=self._loop, name=name, daemon=True).start()

    def call(self, work: Callable[[], Any], deadline: Deadline) -> Any:
        """What ``work`` returns.

        Raises:
            TooLong: when it did not return in time, or an earlier one has not yet.
            Exception: whatever ``work`` raises.
        """
        if not self._lock.acquire(timeout=deadline.remaining):
            raise TooLong(f"{self._name} is busy with another call")
        try:
            if self._late is not None and not self._late.finished.wait(min(0.5, deadline.remaining)):
                raise TooLong(f"{self._name} has not returned from an earlier call")
            call = _Call(work)
            self._calls.put(call)
            if not call.finished.wait(deadline.remaining):
                self._late = call
                raise TooLong(f"{self._name} did not return in time")
            self._late = None
        finally:
            self._lock.release()
        if call.error is not None:
            raise call.error
        return call.answer

    def _loop(self) -> None:
        while True:
            call = self._calls.get()
            try:
                call.answer = call.work()
            except Exception as error:  # noqa: BLE001 - it is raised again where the caller waits
                call.error = error
            call.finished.set()
