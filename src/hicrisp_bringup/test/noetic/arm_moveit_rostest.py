#!/usr/bin/env python3
"""The arm suite against a running move_group; how the arm truly is comes from joint states and TF, not from the driver.

``~kill`` names a node: then only the loss of the arm is tried, by killing it on the way.
"""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Event
from typing import List
from unittest import TestCase

import moveit_commander
import rosnode
import rospy
import rostest
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.robot.arm_conformance import ArmConformance, ArmRig
from hicrisp_core.robot.deadline import Deadline
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.ports import Trajectory
from hicrisp_core.scene import load_scene
from hicrisp_moveit.arm import MoveItArm
from hicrisp_moveit.assembly import make_arm
from hicrisp_moveit.settings import load_arm_file
from hicrisp_nodes.config_files import config_file
from hicrisp_nodes.tf_world import TfWorld
from sensor_msgs.msg import JointState

REACHABLE, FAR = Pose((0.5, 0.25, 0.25), DOWN), Pose((1.2, 0.0, 0.1), DOWN)
MOVES = 0.02
"""Speed of a joint from which on the arm counts as moving, rad/s."""


class Witness:
    """Listens to the robot on its own."""

    def __init__(self, joints: List[str], tool: str) -> None:
        self._joints, self._tool = joints, tool
        self._history: "list[tuple[float, list[float]]]" = []
        self._tf = TfWorld()
        self._subscriber = rospy.Subscriber("/joint_states", JointState, self._on_joints, queue_size=20)

    def joints(self) -> List[float]:
        return self._history[-1][1]

    def tool(self) -> Pose:
        return self._tf.frames([self._tool])[self._tool][0]

    def moving(self) -> bool:
        """Whether a joint has moved in the last quarter of a second that was told of, by what comes from now on."""
        began, end = time.monotonic(), Deadline(1.0)
        while not end.passed and (not self._history or self._history[-1][0] < began + 0.25):
            time.sleep(0.02)
        recent = [row for at, row in self._history if at >= began]
        if len(recent) < 2:
            return False
        spread = max(max(column) - min(column) for column in zip(*recent))
        return spread / 0.25 > MOVES

    def _on_joints(self, message: JointState) -> None:
        found = dict(zip(message.name, message.position))
        if all(joint in found for joint in self._joints):
            self._history.append((time.monotonic(), [found[joint] for joint in self._joints]))


class ArmOverMoveIt(ArmConformance, TestCase):
    """MoveIt's real move_group."""

    arm: MoveItArm

    @classmethod
    def setUpClass(cls) -> None:
        rospy.init_node("test_arm_moveit")
        moveit_commander.roscpp_initialize(["test_arm_moveit_cpp", "__ns:=/"])
        file = load_arm_file(config_file("robots", str(rospy.get_param("~robot"))))
        file = replace(
            file, moveit=replace(file.moveit, velocity=0.5, acceleration=0.5),
            gripper=replace(file.gripper, kind=str(rospy.get_param("~gripper", file.gripper.kind))))
        cls.arm = make_arm(file, moveit_commander.MoveGroupCommander, 60.0)
        cls.witness = Witness([f"panda_joint{number}" for number in range(1, 8)], file.moveit.tool_link)
        table = load_scene(config_file("scenes", "tabletop"), 0).table
        block = WorldObject("block", "box", "box", (0.10, 0.10, 0.10), pose=Pose((0.45, -0.25, 0.05)))
        cls.world = WorldState({"table": table, "block": block})

    def setUp(self) -> None:
        killed = str(rospy.get_param("~kill", ""))
        if bool(killed) != ("lost" in self._testMethodName):
            self.skipTest("not tried in this run")
        self.rig = ArmRig(
            self.arm, self.witness.joints, self.witness.tool, self.witness.moving, self.world, "block", REACHABLE, FAR,
            lose=(lambda: rosnode.kill_nodes([killed])) if killed else None)
        self.arm.detach()
        self.begin()
        home = self.arm.plan_home(Deadline(10.0))
        assert isinstance(home, Trajectory), home
        outcome = self.arm.follow(home, Deadline(30.0), Event())
        assert outcome.ok, outcome
        opened = self.arm.move_gripper(self.arm.max_opening, Deadline(10.0), Event())
        assert opened.ok, opened


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "arm_moveit", ArmOverMoveIt)
