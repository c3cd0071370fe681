"""Whether ROS time runs: with ``/use_sim_time`` and without a ``/clock`` it stands at 0."""

from __future__ import annotations

import time

import rospy

GRACE = 3.0
"""Wall seconds that a simulation gets to publish its first clock."""
_REMEDY = ("/use_sim_time is true and nothing publishes /clock, so ROS time stands still. Start the simulation; "
           "without one, run 'rosparam set /use_sim_time false' and start the launch file again")


class ClockWatch:
    """Looks for the first clock of a simulation, from its construction on."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def objection(self) -> str:
        """Return why nothing can be done yet, with the remedy; empty while ROS time runs, or may still begin."""
        waits = not rospy.rostime.is_wallclock() and rospy.get_time() == 0.0
        return _REMEDY if waits and time.monotonic() - self._began > GRACE else ""
