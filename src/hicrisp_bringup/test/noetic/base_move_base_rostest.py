#!/usr/bin/env python3
"""The base suite against a running move_base, for a base without physics in an empty hall with a closed
room, and zones that it must keep out of.
"""

from __future__ import annotations

import sys
from math import dist, inf
from pathlib import Path
from threading import Event
from typing import List, Tuple
from unittest import TestCase

import rosnode
import rospkg
import rospy
import rostest
from dynamic_reconfigure.client import Client
from hicrisp_core.model import Cause, CauseKind, KeepOut, Outcome, Pose, Status
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.ports.robot import USUAL, Constraints
from hicrisp_core.robot.testing.base_conformance import BaseConformance, BaseRig
from hicrisp_core.time.deadline import Deadline
from hicrisp_move_base.move_base import MoveBase
from hicrisp_move_base.settings import MoveBaseSettings
from nav_msgs.msg import OccupancyGrid
from shapely.geometry import Point

sys.path.insert(0, str(Path(rospkg.RosPack().get_path("hicrisp_move_base")) / "test"))
from reference_move_base import KinematicBase  # noqa: E402

REACHABLE, WALLED_IN = Pose((1.8, 0.6, 0.0), from_yaw(1.0)), Pose((3.7, 3.7, 0.0))
_CELL, _HALL = 0.05, 10.0
_RADIUS = 0.2
BEHIND = Pose((2.4, 0.0, 0.0))
LAWN = KeepOut(((0.9, -0.5), (1.5, -0.5), (1.5, 0.5), (0.9, 0.5)), name="lawn")
"""Between the start and the place behind it; there is room on both sides."""
BAND = KeepOut(((1.0, -4.9), (1.4, -4.9), (1.4, 4.9), (1.0, 4.9)), name="band")
"""From wall to wall."""
GATE = (KeepOut(((1.0, -4.9), (1.4, -4.9), (1.4, -0.32), (1.0, -0.32)), name="hedge"),
        KeepOut(((1.0, 0.32), (1.4, 0.32), (1.4, 4.9), (1.0, 4.9)), name="fence"))
"""From wall to wall with a gap of 64 cm: room for the base, but not for 20 cm more on both of its sides."""
CLEARANCE = 0.2


def hall() -> OccupancyGrid:
    """Walls around, and a closed room in a corner."""
    side = round(_HALL / _CELL)
    walls: List[Tuple[float, float, float, float]] = [
        (-5.0, 5.0, -5.0, -4.85), (-5.0, 5.0, 4.85, 5.0), (-5.0, -4.85, -5.0, 5.0), (4.85, 5.0, -5.0, 5.0),
        (2.4, 2.5, 2.4, 5.0), (2.4, 5.0, 2.4, 2.5)]
    grid = OccupancyGrid(data=[0] * side * side)
    grid.header.frame_id = "map"
    grid.info.resolution, grid.info.width, grid.info.height = _CELL, side, side
    grid.info.origin.position.x = grid.info.origin.position.y = -_HALL / 2.0
    grid.info.origin.orientation.w = 1.0
    for left, right, low, high in walls:
        for row in range(round((low + 5.0) / _CELL), round((high + 5.0) / _CELL)):
            for column in range(round((left + 5.0) / _CELL), round((right + 5.0) / _CELL)):
                grid.data[row * side + column] = 100
    return grid


class BaseOverMoveBase(BaseConformance, TestCase):
    """The real move_base."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_base_move_base")
        cls.map = rospy.Publisher("/map", OccupancyGrid, queue_size=1, latch=True)
        cls.map.publish(hall())
        cls.base = KinematicBase()
        cls.driver = MoveBase("agv", MoveBaseSettings(cmd_vel="/cmd_vel", server_wait=20.0))

    def setUp(self) -> None:
        assert self.driver._client.wait_for_server(60.0), "no move_base"
        rospy.wait_for_service("/move_base/make_plan", 60.0)
        base = self.base
        back = self.go(Pose((0.0, 0.0, 0.0)))
        assert back.ok, back
        self.rig = BaseRig(
            self.driver, lambda: Pose((base.pose[0], base.pose[1], 0.0), from_yaw(base.pose[2])),
            lambda: base.moving,
            REACHABLE, WALLED_IN, tolerance=0.2, lose=lambda: rosnode.kill_nodes(["/move_base"]))

    def go(self, pose: Pose, *ground: KeepOut, clearance: float = 0.0) -> Outcome:
        """Drive, and note the least distance of the base's middle to the ground meanwhile."""
        self.nearest = inf

        def near(phase: str, part: float) -> None:
            here = Point(*self.base.pose[:2])
            self.nearest = min([self.nearest, *(zone.ground.distance(here) for zone in ground)])

        return self.driver.go_to(pose, Deadline(90.0), Event(), near, USUAL,
                                 Constraints(ground, clearance))

    def test_a_zone_on_the_straight_way_is_driven_around(self) -> None:
        outcome = self.go(BEHIND, LAWN)
        assert outcome.ok, outcome
        assert dist(self.base.pose[:2], BEHIND.position[:2]) < 0.2
        assert _RADIUS - 0.01 < self.nearest < inf, self.nearest

    def test_behind_a_zone_from_wall_to_wall_no_path_leads_and_nothing_moves(self) -> None:
        outcome = self.go(BEHIND, BAND)
        assert outcome.status in (Status.PLANNING, Status.PRECONDITION), outcome
        assert dist(self.base.pose[:2], (0.0, 0.0)) < 0.2
        assert not self.base.moving

    def test_a_goal_in_a_zone_is_refused_by_its_name(self) -> None:
        outcome = self.go(Pose((1.2, 0.0, 0.0)), LAWN)
        assert (outcome.status, outcome.cause) == (Status.PRECONDITION, Cause(CauseKind.FORBIDDEN, ("lawn",)))

    def test_more_clearance_is_kept_for_one_drive(self) -> None:
        outcome = self.go(BEHIND, LAWN, clearance=CLEARANCE)
        assert outcome.ok, outcome
        assert _RADIUS + CLEARANCE - 0.05 < self.nearest < inf, self.nearest
        for costmap in ("global_costmap", "local_costmap"):
            padding = Client(f"/move_base/{costmap}", timeout=20.0).get_configuration()["footprint_padding"]
            assert padding < 0.05, f"{costmap} keeps {padding}"

    def test_a_gap_that_is_wide_enough_is_too_narrow_with_more_clearance(self) -> None:
        outcome = self.go(BEHIND, *GATE, clearance=CLEARANCE)
        assert outcome.status in (Status.PLANNING, Status.PRECONDITION), outcome
        assert dist(self.base.pose[:2], (0.0, 0.0)) < 0.2
        assert not self.base.moving
        outcome = self.go(BEHIND, *GATE)
        assert outcome.ok, outcome
        assert dist(self.base.pose[:2], BEHIND.position[:2]) < 0.2


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "base_move_base", BaseOverMoveBase)
