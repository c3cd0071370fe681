"""The arm over a move_group that behaves as the real one does, also when that is badly."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Event
from typing import Any, Iterator

import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.robot.arm_conformance import ArmConformance, ArmRig
from hicrisp_core.robot.deadline import Deadline
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.ports import MotionFailure, Trajectory
from hicrisp_core.scene import load_scene
from hicrisp_moveit.arm import MoveItArm
from hicrisp_moveit.assembly import make_arm
from hicrisp_moveit.settings import ArmFile, GripperSettings, MoveItSettings
from reference_commander import MoveGroupCommander
from reference_moveit import MODES, ReferenceMoveIt

pytestmark = pytest.mark.usefixtures("ros")
REACHABLE, FAR = Pose((0.5, 0.25, 0.25), DOWN), Pose((1.2, 0.0, 0.1), DOWN)
FILE = ArmFile("panda", MoveItSettings(velocity=0.5, acceleration=0.35, planning_time=1.0),
               GripperSettings(action="/franka_gripper/gripper_action"))


class Stack:
    """A robot, its move_group and the arm under test."""

    def __init__(self, file: ArmFile = FILE) -> None:
        table = load_scene("tabletop", 0).table
        block = WorldObject("block", "box", "box", (0.10, 0.10, 0.10), pose=Pose((0.45, -0.25, 0.05)))
        self.world = WorldState({"table": table, "block": block})
        scene = replace(load_scene("tabletop", 0), objects=dict(self.world.objects), masses={"block": 0.2})
        self.server = ReferenceMoveIt(scene)
        self.arm: MoveItArm = make_arm(file, MoveGroupCommander, 10.0)
        assert self.arm._joints.wait_until_known(Deadline(5.0))
        assert self.arm._execution._client.wait_for_server(5.0)

    def misbehaves(self, mode: str) -> None:
        assert mode in MODES
        self.server.mode = lambda: mode

    def plan(self, pose: Pose = REACHABLE, seconds: float = 20.0) -> Any:
        return self.arm.plan_to(pose, Deadline(seconds))

    def go(self, seconds: float = 30.0) -> Outcome:
        motion = self.plan()
        assert isinstance(motion, Trajectory), motion
        return self.arm.follow(motion, Deadline(seconds), Event())

    def close(self) -> None:
        self.server.stop()


@pytest.fixture
def stack(ros: None) -> Iterator[Stack]:
    stack = Stack()
    stack.arm.sync(stack.world)
    yield stack
    stack.close()


class TestConformance(ArmConformance):
    """What every arm must do."""

    @pytest.fixture(autouse=True)
    def _rig(self, ros: None) -> Iterator[None]:
        stack = Stack()
        server = stack.server
        self.rig = ArmRig(
            stack.arm, lambda: list(server.simulation.arm_positions), lambda: server.tool, lambda: server.moving,
            stack.world, "block", REACHABLE, FAR, lose=server.die)
        self.begin()
        yield
        stack.close()
