#!/usr/bin/env python3
"""The base suite against move_base and the AGV in Gazebo, which says where the base truly is."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from threading import Event
from typing import Any
from unittest import TestCase

import rosnode
import rospy
import rostest
from gazebo_msgs.msg import ModelStates
from hicrisp_core.model import Pose
from hicrisp_core.model.geometry import from_yaw, planar_distance
from hicrisp_core.robot.testing.base_conformance import BaseConformance, BaseRig
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_gazebo.client import GazeboClient
from hicrisp_move_base.move_base import MoveBase
from hicrisp_move_base.settings import load_move_base_settings
from hicrisp_ros.config_files import config_file
from hicrisp_ros.conversions.geometry import pose_from_msg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from waiting import PATIENCE, until  # noqa: E402

REACHABLE, OUTSIDE = Pose((2.604, 1.266, 0.0), from_yaw(0.0)), Pose((4.6, 1.0, 0.0))
_MOVES = 0.02
"""Speed from which on the base counts as moving, m/s."""
_NEAR = 0.02
"""Metres from its start at which the base is seen there."""


class Witness:
    """Looks at the world on its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._subscriber = rospy.Subscriber("/gazebo/model_states", ModelStates, self._on_states,
                                            queue_size=1,
                                            buff_size=2**22)
        self.pose = Pose((math.nan, math.nan, 0.0))
        self.moving = False

    def _on_states(self, message: Any) -> None:
        number = message.name.index(self._name)
        found, speed = pose_from_msg(message.pose[number]), message.twist[number].linear
        assert found is not None
        self.pose, self.moving = found, math.hypot(speed.x, speed.y) > _MOVES


class BaseInGazebo(BaseConformance, TestCase):
    """The AGV of the arena."""

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_base_gazebo")
        cls.gazebo = GazeboClient()
        cls.driver = MoveBase("agv", load_move_base_settings(config_file("robots", "agv_move_base")))
        cls.witness = Witness("agv")
        cls.start = load_scene(config_file("scenes", "agv"), 19).arena.starts["agv"].pose

    def setUp(self) -> None:
        """Put the base where it starts: a drive there would depend on where the test before has left it, and when."""
        rospy.wait_for_service("/move_base/make_plan", PATIENCE)
        assert self.driver._client.wait_for_server(PATIENCE), "no move_base"
        self.driver.stop(Deadline(PATIENCE))
        placed = self.gazebo.place("agv", self.start)
        assert placed.ok, placed
        until(lambda: self._seen_at_start() and self.driver._odometry.standing(), "base at its start")
        until(lambda: self.driver._services.clear_costmaps(Event()), "clear costmaps")
        self.rig = BaseRig(
            self.driver, lambda: self.witness.pose, lambda: self.witness.moving, REACHABLE, OUTSIDE,
            patience=PATIENCE, soon=PATIENCE, lose=lambda: rosnode.kill_nodes(["/move_base"]))

    def _seen_at_start(self) -> bool:
        at = self.driver.where()
        return at is not None and planar_distance(at.position, self.start.position) < _NEAR


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "base_gazebo", BaseInGazebo)
