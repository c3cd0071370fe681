"""A base, a move_base that behaves as the real one does, and the driver under test between them."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from threading import Event

import reference_move_base as reference
from hicrisp_core.model import Outcome, Pose
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.time.deadline import Deadline
from hicrisp_move_base.move_base import MoveBase
from hicrisp_move_base.settings import MoveBaseSettings
from reference_move_base import KinematicBase, ReferenceMoveBase
from waiting import PATIENCE

GOAL, FAR = Pose((1.5, 0.5, 0.0), from_yaw(1.0)), Pose((9.0, 0.0, 0.0))
SETTINGS = MoveBaseSettings(cmd_vel="/cmd_vel", server_wait=20.0, refill=0.8, service_wait=20.0, pose_age=4.0,
                            odometry_age=4.0, status_age=10.0, stop_limit=20.0)
"""Patient, as on a busy machine."""
_SERVERS = count(1)


class Stack:
    """A base, a move_base with a name of its own, and the driver under test.

    A name is not used twice: rospy takes seconds to notice that a topic of its own process ended and came
    back.
    """

    def __init__(self, services: bool = True) -> None:
        self.settings = replace(SETTINGS, action=f"/move_base_{next(_SERVERS)}")
        self.base, self.driver = KinematicBase(), MoveBase("agv", self.settings)
        self.server = ReferenceMoveBase(self.base, services, name=self.settings.action)
        assert self.driver._client.wait_for_server(PATIENCE)

    def stop(self) -> None:
        self.server.stop()
        self.base.stop()

    def misbehaves(self, mode: str, text: str = "") -> None:
        assert mode in reference.MODES
        self.server.mode, self.server.text = (lambda: mode), text

    def go(self, pose: Pose = GOAL, seconds: float = PATIENCE) -> Outcome:
        return self.driver.go_to(pose, Deadline(seconds), Event(), lambda phase, part: None)

    def where(self) -> Pose:
        x, y, yaw = self.base.pose
        return Pose((x, y, 0.0), from_yaw(yaw))


