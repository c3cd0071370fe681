"""Between the world frame, MoveIt's planning frame and the tool, by TF."""

from __future__ import annotations

import time
from typing import Optional

import rospy
from hicrisp_core.model import Pose
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.tf_world import TfWorld

from hicrisp_moveit.settings import MoveItSettings

_POLL = 0.01
_BEHIND = 0.2
"""How far TF may stay behind the joint states, seconds of the ROS clock."""
_LATE = 2.0
"""Longest wait for TF to show where the arm has come to rest, seconds of wall time."""


class Frames:
    """Poses of the skills are of the tool centre point in the world frame; MoveIt's are of a link in its own frame.

    Args:
        frame: the planning frame.
    """

    def __init__(self, settings: MoveItSettings, frame: str) -> None:
        self._settings = settings
        self._frame = frame
        self._tcp = settings.tcp_pose
        self._tf = TfWorld(root=settings.world_frame)

    @property
    def world(self) -> Optional[Pose]:
        """The world frame as seen from the planning frame; ``None`` when TF does not say."""
        if self._frame == self._settings.world_frame:
            return Pose((0.0, 0.0, 0.0))
        found = self._tf.frames([self._frame]).get(self._frame)
        return found[0].inverse() if found is not None else None

    def link_goal(self, tool: Pose) -> Optional[Pose]:
        """Where the tool link must be in the planning frame, for a pose of the tool centre point in the
        world frame.
        """
        world = self.world
        return world.compose(tool).compose(self._tcp.inverse()) if world is not None else None

    def tool(self, since: float) -> Optional[Pose]:
        """The tool centre point in the world frame, not older than a moment of the ROS clock; ``None`` when
        TF has nothing as new as that."""
        deadline = Deadline(_LATE)
        while True:
            found = self._tf.frames([self._settings.tool_link]).get(self._settings.tool_link)
            if found is not None and found[1] >= since:
                return found[0].compose(self._tcp)
            if deadline.passed or rospy.is_shutdown():
                fresh = found is not None and found[1] >= since - _BEHIND
                return found[0].compose(self._tcp) if found is not None and fresh else None
            time.sleep(_POLL)

    def problem(self) -> str:
        """What TF does not tell; empty when it tells everything."""
        if self.world is None:
            return f"TF does not say where '{self._settings.world_frame}' is in '{self._frame}'"
        if self._settings.tool_link not in self._tf.frames([self._settings.tool_link]):
            return f"TF does not say where '{self._settings.tool_link}' is in '{self._settings.world_frame}'"
        return ""
