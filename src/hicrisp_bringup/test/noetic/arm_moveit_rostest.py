#!/usr/bin/env python3
"""The arm suite against a running move_group; how the arm truly is comes from joint states and TF, not from
the driver.

``~kill`` names a node: then only the loss of the arm is tried, by killing it on the way.
"""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import replace
from threading import Event, Timer
from typing import Any, Callable, Dict, List
from unittest import TestCase
from xmlrpc.client import ServerProxy

import moveit_commander
import rosgraph
import rosnode
import rospy
import rostest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose, Status, WorldObject, WorldState
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.testing.arm_conformance import ArmConformance, ArmRig
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.arm import MoveItArm, make_arm
from hicrisp_moveit.settings import load_arm_file
from hicrisp_ros.config_files import config_file
from hicrisp_ros.tf_world import TfWorld
from sensor_msgs.msg import JointState
from std_msgs.msg import String

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
        """Whether a joint has moved in the last quarter of a second that was told of, by what comes from
        now on.
        """
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
        cls.file = file
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
            self.arm, self.witness.joints, self.witness.tool, self.witness.moving, self.world, "block",
            REACHABLE, FAR,
            lose=(lambda: rosnode.kill_nodes([killed])) if killed else None)
        self.arm.detach()
        self.begin()
        home = self.arm.plan_home(Deadline(10.0))
        assert isinstance(home, Trajectory), home
        outcome = self.arm.follow(home, Deadline(30.0), Event())
        assert outcome.ok, outcome
        opened = self.arm.move_gripper(self.arm.max_opening, Deadline(10.0), Event())
        assert opened.ok, opened

    def test_an_unknown_planner_is_refused_with_the_known_ones(self) -> None:
        wrong = replace(self.file, moveit=replace(self.file.moveit, planner="RRTConect"))
        said = ""
        try:
            make_arm(wrong, moveit_commander.MoveGroupCommander, 20.0)
        except ConfigError as error:
            said = str(error)
        assert "RRTConect" in said
        assert "RRTConnect" in said

    def test_a_frozen_move_group_keeps_nobody_waiting(self) -> None:
        """It neither answers nor goes away."""
        process = _process("/move_group")
        os.kill(process, signal.SIGSTOP)
        try:
            began = time.monotonic()
            failure = self.arm.plan_to(REACHABLE, Deadline(10.0))
            assert isinstance(failure, MotionFailure)
            assert failure.outcome().status is Status.LOST, failure
            assert time.monotonic() - began < 10.0
        finally:
            os.kill(process, signal.SIGCONT)
        assert isinstance(self.arm.plan_to(REACHABLE, Deadline(30.0)), Trajectory)

    def test_somebody_elses_stop_is_told(self) -> None:
        motion = self.arm.plan_to(REACHABLE, Deadline(10.0))
        assert isinstance(motion, Trajectory)
        stop = rospy.Publisher("/trajectory_execution_event", String, queue_size=1)
        Timer(0.5, lambda: stop.publish(String("stop"))).start()
        outcome = self.arm.follow(motion, Deadline(30.0), Event())
        assert outcome.status is Status.EXECUTION, outcome
        assert "somebody else" in outcome.message

    def test_how_long_it_all_takes(self) -> None:
        """Figures for the record; nothing is asserted but that it works."""
        things = {f"box{number}": WorldObject(
            f"box{number}", "box", "box", (0.05, 0.05, 0.10), pose=Pose((0.45, 0.12 * number - 0.3, 0.05)))
            for number in range(5)}
        world = replace(self.world, objects={"table": self.world.objects["table"], **things})
        figures: Dict[str, List[float]] = {"sync": [], "sync again": [], "plan": [], "line": [],
                                           "unreachable": []}
        dice = random.Random(1)
        for _ in range(20):
            self._time(figures["sync"], lambda: self.arm.sync(self.world))
            self._time(figures["sync"], lambda: self.arm.sync(world))
            self._time(figures["sync again"], lambda: self.arm.sync(world))
            pose = Pose((dice.uniform(0.35, 0.6), dice.uniform(-0.35, 0.35), dice.uniform(0.25, 0.45)), DOWN)
            found = self._time(figures["plan"], lambda pose=pose: self.arm.plan_to(pose, Deadline(10.0)))
            assert isinstance(found, Trajectory), found
            down = self.arm.tool_pose().shifted((0.0, 0.0, -0.1))
            self._time(figures["line"], lambda down=down: self.arm.plan_line(down, Deadline(10.0), 0.1))
            self._time(figures["unreachable"], lambda: self.arm.plan_to(FAR, Deadline(10.0)))
        for name, values in figures.items():
            values.sort()
            rospy.loginfo("FIGURES %s: median %.3f s, 95th percentile %.3f s of %d", name,
                          values[len(values) // 2],
                          values[int(0.95 * len(values))], len(values))

    @staticmethod
    def _time(figures: List[float], work: Callable[[], Any]) -> Any:
        began = time.monotonic()
        answer = work()
        figures.append(time.monotonic() - began)
        return answer


def _process(node: str) -> int:
    """The process of a node."""
    return int(ServerProxy(rosgraph.Master("/test").lookupNode(node)).getPid("/test")[2])


if __name__ == "__main__":
    rostest.rosrun("hicrisp_bringup", "arm_moveit", ArmOverMoveIt)
