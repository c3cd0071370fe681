"""Calls that know no time limit: nobody waits longer for one than they want to, and late ones can't pile
up.
"""

from __future__ import annotations

from threading import Condition, Event, Thread
from typing import Any, Callable, List

from hicrisp_core.time.deadline import Deadline

_GRACE = 0.5
"""Seconds that a new call gives the late ones to end, where those hold every thread."""


class Overdue(Exception):
    """A call did not return in time; it may still be under way, and its result will be dropped."""


class _Call:
    """One call in its thread."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.finished = Event()
        self.late = False
        """Whether its caller has left."""
        self.answers: List[Any] = []
        self.errors: List[BaseException] = []


class BoundedCalls:
    """Makes each call in a thread of its own and leaves it there when it takes too long.

    Args:
        name: what is called; names the threads and stands in messages.
        most: calls that may be under way at once, late ones included. 1 makes calls one after another, as a
            library that is not thread-safe needs it.
    """

    def __init__(self, name: str, most: int = 1) -> None:
        if most < 1:
            raise ValueError(f"at least 1 call must be allowed at a time, got {most}")
        self._name = name
        self._most = most
        self._changed = Condition()
        self._running = 0
        self._late = 0

    def call(self, work: Callable[[], Any], deadline: Deadline) -> Any:
        """Call a function in its own thread and wait for it until a deadline.

        Args:
            work: the function; it keeps running after the deadline, and its late result is dropped.
            deadline: wall time at which waiting ends.

        Returns:
            What ``work`` returns; an exception of ``work`` is raised again here.

        Raises:
            Overdue: if the call did not return in time, or earlier calls that have not returned occupy all threads.
        """
        grace = Deadline(min(_GRACE, deadline.remaining))
        with self._changed:
            while self._running >= self._most:
                stuck = self._late >= self._most
                patience = grace if stuck else deadline
                if patience.passed:
                    raise Overdue(f"{self._name} has not returned from an earlier call" if stuck
                                  else f"{self._name} is busy with another call")
                self._changed.wait(patience.remaining)
            self._running += 1
        call = _Call(work)
        Thread(target=self._run, args=(call,), name=self._name, daemon=True).start()
        if not call.finished.wait(deadline.remaining):
            with self._changed:
                if not call.finished.is_set():
                    call.late = True
                    self._late += 1
                    raise Overdue(f"{self._name} did not return in time")
        if call.errors:
            raise call.errors[0]
        return call.answers[0]

    def _run(self, call: _Call) -> None:
        try:
            call.answers.append(call.work())
        except BaseException as error:  # noqa: BLE001 - raised again where the caller waits
            call.errors.append(error)
        with self._changed:
            call.finished.set()
            self._running -= 1
            self._late -= call.late
            self._changed.notify_all()
