"""Work at a period of wall time: rospy's timers stand still with a simulated clock and die when it jumps
back.
"""

from __future__ import annotations

from threading import Event
from typing import Callable, Optional

import rospy

from hicrisp_ros.node_threads import NodeThread


class WallTimer:
    """Calls a function every ``period`` seconds of wall time, in a thread of its own, until shut down.

    Args:
        period: seconds between the end of one call and the start of the next, more than 0.
        work: what to call; where it returns a number, that many seconds pass before the next call. An
            exception is logged and the timer goes on.
        name: the thread's name.
    """

    def __init__(self, period: float, work: Callable[[], Optional[float]], name: str = "wall_timer") -> None:
        if not period > 0.0:
            raise ValueError(f"a timer needs a period of more than 0 s, got {period}")
        self._period = period
        self._work = work
        self._thread = NodeThread(name, self._loop)
        self._thread.start()

    def _loop(self, ended: Event) -> None:
        pause: Optional[float] = None
        while not ended.wait(self._period if pause is None else pause) and not rospy.is_shutdown():
            try:
                pause = self._work()
            except Exception as error:  # noqa: BLE001  Whatever goes wrong in one call is said, and the next one comes.
                pause = None
                rospy.logerr("%s: %s", self._thread.name, error, exc_info=not isinstance(error, rospy.ROSException))

    def shutdown(self, seconds: float = 0.0) -> None:
        """Stop the timer.

        Args:
            seconds: greatest wall time to wait for a call in progress.
        """
        self._thread.end()
        if seconds > 0.0:
            self._thread.join(seconds)
