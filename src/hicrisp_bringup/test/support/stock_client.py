"""Goals sent as any ROS program sends them: with actionlib's own client."""

from __future__ import annotations

from typing import Any

import actionlib
import rospy
from actionlib.action_client import ClientGoalHandle
from waiting import until


class StockClient:
    """A client of one action; it waits in wall time.

    It isn't actionlib's ``SimpleActionClient``: that one forgets the end of a goal that is answered before
    ``send_goal`` has returned, as a refused one may be, and then waits for it for ever.
    """

    def __init__(self, name: str, specification: Any) -> None:
        self._client = actionlib.ActionClient(name, specification)
        until(lambda: self._client.wait_for_server(rospy.Duration(1.0)), f"server of {name}")

    def call(self, goal: Any) -> ClientGoalHandle:
        """Send a goal; what is known of it at its end."""
        handle = self._client.send_goal(goal)
        until(lambda: handle.get_comm_state() == actionlib.CommState.DONE, "end of the goal",
              besides=lambda: f"; its status is {handle.get_goal_status()}")
        return handle
