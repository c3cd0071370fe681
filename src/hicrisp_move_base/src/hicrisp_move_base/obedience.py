"""Whether a base goes where it is told to: the velocities that it was sent, compared with where it is seen."""

from __future__ import annotations

import math
from threading import Lock
from typing import Optional

import rospy
from geometry_msgs.msg import Twist
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status
from hicrisp_core.model.geometry import planar_distance

_STIRRED, _TURNED = 0.05, 0.1
"""Metres and radians by which a base must be seen to move before the counting begins again."""
_TOLD, _TOLD_TO_TURN = 1.0, 3.0
"""Metres and radians that it was told to go meanwhile, from which on it does not follow."""
_LONGEST = 0.5
"""Seconds for which one command counts at most: a base stops when it hears no more."""


class Obedience:
    """Listens to the commands of one base, whoever sends them.

    Args:
        cmd_vel: their topic; without one every base obeys.
    """

    def __init__(self, cmd_vel: str) -> None:
        self._topic = cmd_vel
        self._lock = Lock()
        self._twist, self._heard = (0.0, 0.0), 0.0
        self._since: Optional[Pose] = None
        self._way = self._turn = 0.0
        self._subscriber = rospy.Subscriber(cmd_vel, Twist, self._on_twist, queue_size=20, tcp_nodelay=True) \
            if cmd_vel else None

    def begin(self) -> None:
        """Forget what was commanded so far."""
        with self._lock:
            self._since, self._way, self._turn = None, 0.0, 0.0

    def refusal(self, seen: Optional[Pose]) -> Optional[Outcome]:
        """That the base does not follow its commands; ``None`` while it does.

        Args:
            seen: where it is now; ``None`` where nobody knows.
        """
        with self._lock:
            if seen is None:
                return None
            since = self._since or seen
            moved = planar_distance(since.position, seen.position)
            turned = abs(math.remainder(seen.yaw - since.yaw, math.tau))
            if self._since is None or moved > _STIRRED or turned > _TURNED:
                self._since, self._way, self._turn = seen, 0.0, 0.0
            if self._way < _TOLD and self._turn < _TOLD_TO_TURN:
                return None
            said = f"the base does not follow its commands on {self._topic}: it was told to go {self._way:.1f} m and " \
                   f"to turn by {math.degrees(self._turn):.0f} degrees, and was seen to move {moved:.2f} m"
        return Outcome(Status.EXECUTION, said, cause=Cause(CauseKind.HARDWARE, (self._topic,), said=said))

    def _on_twist(self, message: Twist) -> None:
        now = rospy.get_time()
        with self._lock:
            lasted = min(_LONGEST, max(0.0, now - self._heard))
            self._way += abs(self._twist[0]) * lasted
            self._turn += abs(self._twist[1]) * lasted
            self._twist, self._heard = (math.hypot(message.linear.x, message.linear.y), message.angular.z), now
