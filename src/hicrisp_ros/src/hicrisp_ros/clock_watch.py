"""Whether ROS time runs: with ``/use_sim_time`` and without a ``/clock`` it stands at 0."""

from __future__ import annotations

import time
from typing import Callable

import rosgraph
import rospy

GRACE = 4.0
"""Wall seconds that a simulation gets to announce its clock."""
_REMEDY = ("/use_sim_time is true and nothing publishes /clock, so ROS time stands still. Start the simulation; "
           "without one, run 'rosparam set /use_sim_time false' and start the launch file again")


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
