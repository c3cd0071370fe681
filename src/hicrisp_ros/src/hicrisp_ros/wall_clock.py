"""Work at a period of wall time, and whether ROS time runs.

rospy's timers stand still with a simulated clock, and die when it jumps back.
"""

from __future__ import annotations

import time
from threading import Event
from typing import Callable, Optional

import rosgraph
import rospy

from hicrisp_ros.node_threads import NodeThread

GRACE = 4.0
"""Wall seconds that a simulation gets to announce its clock."""
_REMEDY = ("/use_sim_time is true and nothing publishes /clock, so ROS time stands still. Start the simulation; "
           "without one, run 'rosparam set /use_sim_time false' and start the launch file again")


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


def clock_published() -> bool:
    """Check whether the master knows who publishes ``/clock``, or does not answer."""
    try:
        return any(topic == "/clock" for topic, _ in rosgraph.Master(rospy.get_name()).getPublishedTopics(""))
    except (OSError, rosgraph.MasterException):
        return True


class ClockWatch:
    """Looks for the first clock of a simulation, from its construction on.

    Args:
        published: whether the clock has a publisher, or that is unknown.
    """

    def __init__(self, published: Callable[[], bool] = clock_published) -> None:
        self._began, self._published = time.monotonic(), published

    def objection(self) -> str:
        """Return why nothing can be done yet, with the remedy; empty while ROS time runs, or may still begin."""
        late = bool(self.waits) and time.monotonic() - self._began > GRACE
        return _REMEDY if late and not self._published() else ""

    @property
    def waits(self) -> str:
        """What the node waits for, as a clause; empty while ROS time runs."""
        stands = not rospy.rostime.is_wallclock() and rospy.get_time() == 0.0
        return "/use_sim_time is true, and no time has come on /clock" if stands else ""
