"""Threads that end with their node: told to end while topics are still open, and waited for.

A thread that goes on while ROS goes down publishes to closed topics, and one that is inside a native library
while Python is torn down crashes the process.
"""

from __future__ import annotations

import threading
from threading import Event, Thread
from typing import Callable, List, Optional

from hicrisp_core.time.deadline import Deadline


class NodeThread(Thread):
    """A daemon thread that the end of its node ends too.

    Args:
        name: what it is called in the log.
        work: runs in the thread; it returns soon after ``ended`` is set, which is handed to it.
        tell: called when the thread shall end, for work that waits for something else than ``ended``.
    """

    def __init__(self, name: str, work: Callable[[Event], None],
                 tell: Optional[Callable[[], None]] = None) -> None:
        super().__init__(name=name, daemon=True)
        self.ended = Event()
        self._work = work
        self._tell = tell

    def run(self) -> None:
        """Run the thread's work."""
        self._work(self.ended)

    def end(self) -> None:
        """Ask the thread to end; does not wait."""
        self.ended.set()
        if self._tell is not None:
            self._tell()


def ending() -> bool:
    """Check whether this thread was asked to end with its node: until all such threads have ended, ROS counts as
    running.
    """
    thread = threading.current_thread()
    return isinstance(thread, NodeThread) and thread.ended.is_set()


def end_threads(seconds: float) -> List[str]:
    """Ask every :class:`NodeThread` of this process to end, and wait for all of them together.

    Args:
        seconds: limit in wall time, seconds.

    Returns:
        Names of the threads that still run after that time.
    """
    running = [each for each in threading.enumerate()
               if isinstance(each, NodeThread) and each is not threading.current_thread()]
    for thread in running:
        thread.end()
    deadline = Deadline(seconds)
    for thread in running:
        thread.join(deadline.remaining)
    return [thread.name for thread in running if thread.is_alive()]
