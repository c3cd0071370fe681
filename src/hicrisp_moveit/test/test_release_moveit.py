"""Looking before letting go, over a move_group that behaves as the real one does."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Iterator, Tuple

import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Command, Pose, RobotState, WorldObject, WorldState
from hicrisp_core.robot.arm_robot import ArmRobot
from hicrisp_core.robot.description import read_body
from hicrisp_core.robot.skills import SkillSettings
from hicrisp_core.robot.testing.release_conformance import ReleaseConformance, ReleaseRig
from hicrisp_core.robot.unsteady import UnsteadyArm
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.relocation import hands
from test_arm import Stack
from waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("ros")
GOAL = Pose((0.45, 0.0, 0.025))
SKILLS = {"pick": SkillUse("pick", "item"), "put_down": SkillUse("place", "item")}
NARROW = WorldObject("block", "box", "box", (0.05, 0.05, 0.05), pose=Pose((0.45, -0.25, 0.025)))
HAND = read_body(config_file("robots", "panda")).gripper
FEW = SkillSettings(approaches=8)
"""The arm moves in wall time here."""


class TestMoveIt(ReleaseConformance):
    """An arm behind MoveIt that misses."""

    @pytest.fixture(autouse=True)
    def _rig(self, ros: None) -> Iterator[None]:
        stack = Stack(thing=NARROW)
        table = load_scene("tabletop", 0).table

        def see() -> WorldState:
            block = hands(stack.server.simulation).things()["block"]
            robot = RobotState("panda", pose=stack.server.tool, opening=stack.server.simulation.opening)
            return WorldState({"table": table, "block": block}, robots={"panda": robot},
                              stamp=stack.server.simulation.time)

        def lies() -> Pose:
            pose = see().objects["block"].pose
            assert pose is not None
            return pose

        def misses(mean: Tuple[float, float], sigma: float) -> None:
            unsteady = UnsteadyArm(stack.arm, sigma, 2, mean)
            unsteady.attach("block")
            self.rig = replace(self.rig, robot=ArmRobot(unsteady, SKILLS, see, FEW, hand=HAND))

        robot = ArmRobot(stack.arm, SKILLS, see, FEW, hand=HAND)
        assert robot.execute(Command("pick", {"item": "block"}, "panda"), Deadline(PATIENCE), Event()).ok
        self.rig = ReleaseRig(
            robot, Command("put_down", {"item": "block"}, "panda", GOAL, GOAL, 0.0), lies,
            lambda: lies().position[2] > 0.04, misses, patience=PATIENCE)
        yield
        stack.close()
