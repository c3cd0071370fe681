#!/usr/bin/env python3
"""Zones over the real nodes: what closes every way is told before anything moves, what leaves a gap is driven
around, and no part of the true footprint ever comes over one."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Dict, List

import rospy
import rostest
from hicrisp_core.model import CauseKind, Pose
from hicrisp_core.model.keep_out import space_to
from hicrisp_core.scene import load_scene
from hicrisp_ros.conversions import KEEP_OUTS
from nav_msgs.msg import OccupancyGrid
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.msg import Command, ExecuteCommandAction, ExecuteCommandGoal, Outcome, TaskStatus
from hicrisp_msgs.srv import ResetWorld

HERE = Path(__file__).parent / "support"
sys.path.insert(0, str(HERE))
from harness import NAMESPACE, Workspace  # noqa: E402
from stock_client import StockClient  # noqa: E402
from waiting import PATIENCE  # noqa: E402


class Zones(unittest.TestCase):
    """The base in an arena with zones, its driver and every node; the embedded world's odometry frames are
    true.
    """

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_zones")
        cls.workspace = Workspace()
        cls.scene = load_scene(HERE / "zones.yaml")
        cls.driver = StockClient(f"{NAMESPACE}/robots/agv/execute", ExecuteCommandAction)
        cls.frames: Dict[str, Pose] = {}
        cls.least: List[float] = []
        cls.way: List[float] = []
        cls.subscriber = rospy.Subscriber("/tf", TFMessage, cls.saw, queue_size=500)

    def setUp(self) -> None:
        assert rospy.ServiceProxy(f"{NAMESPACE}/reset_world", ResetWorld)("", 0).ok
        start = self.scene.arena.starts["agv"].pose.position[0]
        self.workspace.until(lambda: self.way and abs(self.way[-1] - start) < 0.01, "the base at its start")
        self.least.clear()
        self.way.clear()

    def tearDown(self) -> None:
        self.workspace.until(lambda: self.least, "sight of the base")
        assert min(self.least) >= 0.0, f"the footprint was {-min(self.least):.3f} m over a zone"

    @classmethod
    def saw(cls, message: TFMessage) -> None:
        for transform in message.transforms:
            at, turned = transform.transform.translation, transform.transform.rotation
            cls.frames[transform.child_frame_id] = Pose((at.x, at.y, at.z),
                                                        (turned.x, turned.y, turned.z, turned.w))
        if {"odom", "agv/base_link"} <= set(cls.frames):
            pose = cls.frames["odom"].compose(cls.frames["agv/base_link"])
            radius = cls.scene.arena.starts["agv"].radius
            cls.least.append(min(space_to(zone, pose.position, radius) for zone in cls.scene.zones))
            cls.way.append(pose.position[0])

    def test_a_zone_that_leaves_a_gap_is_driven_around(self) -> None:
        status = self.workspace.run("visit area 3")
        assert status.state == TaskStatus.SUCCEEDED, status.message
        self.workspace.until(lambda: self.workspace.holds("agv", "at", "area_3"), "sight of what was done")
        robot = next(robot for robot in self.workspace.world.robots if robot.name == "agv")
        assert robot.has_motion
        assert robot.motion.path > 1.0, "the detector has followed the base"
        assert not robot.motion.zones, "and has seen it in no zone"
        folder = Path(status.run_folder)
        assert (folder / "overview.webp").is_file(), "the run is shown as it went"
        assert list((folder / "pictures").glob("*-before.jpg")), "and as it began"

    def test_an_area_that_zones_close_is_told_before_anything_moves(self) -> None:
        status = self.workspace.run("visit area 4")
        assert status.state in (TaskStatus.FAILED, TaskStatus.REFUSED)
        assert "hedge" in status.message
        assert max(self.way) - min(self.way) < 0.01

    def test_what_can_be_reached_is_visited_all_the_same(self) -> None:
        status = self.workspace.run("visit area 4 and area 3")
        assert status.state == TaskStatus.FAILED
        self.workspace.until(lambda: self.workspace.holds("agv", "at", "area_3"), "sight of what was done")

    def test_the_driver_itself_refuses_a_goal_beyond_a_zone_or_in_it(self) -> None:
        for x, y in ((3.70, 0.80), (2.2, 1.0)):
            outcome = self.command(x, y)
            assert outcome.status in (Outcome.PRECONDITION, Outcome.PLANNING), outcome
            assert outcome.cause.kind in (CauseKind.FORBIDDEN.value, CauseKind.NO_PATH.value), outcome
        assert max(self.way) - min(self.way) < 0.01

    def test_the_map_and_the_layer_show_the_zones(self) -> None:
        grid = rospy.wait_for_message("/map", OccupancyGrid, PATIENCE)
        corner, size = grid.info.origin.position, grid.info.resolution
        column, row = int((2.2 - corner.x) / size), int((1.0 - corner.y) / size)
        assert grid.data[row * grid.info.width + column] == 100

    def command(self, x: float, y: float) -> Outcome:
        """A command for the driver, which carries the zones."""
        command = Command(action="go_to", robot="agv", has_target=True, time_limit=60.0,
                          keep_out=KEEP_OUTS.to_msg(self.scene.zones))
        command.target.position.x, command.target.position.y, command.target.orientation.w = x, y, 1.0
        return self.driver.call(ExecuteCommandGoal(command, 60.0)).get_result().outcome


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "zones", Zones)
