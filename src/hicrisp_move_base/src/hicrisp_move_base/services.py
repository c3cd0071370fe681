"""What a move_base may offer besides its action: a path beforehand, and costmaps that forget what they
saw.
"""

from __future__ import annotations

from threading import Event
from typing import Optional, Sequence

import rospy
from geometry_msgs.msg import PoseStamped
from hicrisp_core.model import Pose
from hicrisp_core.model.keep_out import Spot
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import wait_until
from hicrisp_ros.conversions.geometry import pose_to_msg
from hicrisp_ros.service_client import ServiceClient
from nav_msgs.srv import GetPlan, GetPlanRequest
from std_srvs.srv import Empty, EmptyRequest

from hicrisp_move_base.settings import MoveBaseSettings

_SLOW = 5.0
"""A simulated clock may run this much slower than the wall's before it is no longer waited for."""


class Services:
    """``make_plan`` and ``clear_costmaps``, each used where it is offered."""

    def __init__(self, settings: MoveBaseSettings) -> None:
        self._settings = settings
        self._plan = ServiceClient(f"{settings.action}/make_plan", GetPlan)
        self._clear = ServiceClient(f"{settings.action}/clear_costmaps", Empty)

    def path(self, start: Pose, goal: Pose) -> Optional[Sequence[Spot]]:
        """The path to a goal, empty where there is none; ``None`` where nobody answers that (move_base
        refuses while it drives)."""
        if not self._plan.offered:
            return None
        request = GetPlanRequest(self.stamped(start), self.stamped(goal), self._settings.plan_tolerance)
        reply = self._plan.call(request, self._settings.service_wait)
        if reply.response is None:
            return None
        return [(at.pose.position.x, at.pose.position.y) for at in reply.response.plan.poses]

    def clear_costmaps(self, cancel: Event) -> bool:
        """Make the costmaps forget, and wait until they are filled again; whether that was done.

        A cleared costmap lacks even the walls of the map until its next update, and ``make_plan`` then leads
        through them (seen of move_base 1.17: up to one period of ``update_frequency``).
        """
        if not self._clear.offered:
            return False
        if self._clear.call(EmptyRequest(), self._settings.service_wait).response is None:
            return False
        return self.wait_for_update(cancel)

    def wait_for_update(self, cancel: Event) -> bool:
        """Wait until the costmaps have taken in what is known by now; whether nobody canceled that."""
        filled, patience = rospy.get_time() + self._settings.refill, Deadline(_SLOW * self._settings.refill)
        wait_until(lambda: rospy.get_time() >= filled, patience, cancel)
        return not cancel.is_set()

    def stamped(self, pose: Pose) -> PoseStamped:
        """A pose in the map frame, for the newest transforms there are."""
        message = PoseStamped(pose=pose_to_msg(pose))
        message.header.frame_id = self._settings.map_frame
        return message
