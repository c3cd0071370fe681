"""The embedded arm does what every ``Arm`` must do, at a clock that lets others stop it on the way."""

from __future__ import annotations

from threading import Event
from typing import Iterator

import numpy as np
import pytest
from acting import Lab, pointing_down, table_with
from hicrisp_core.robot.testing.arm_conformance import ArmConformance, ArmRig
from hicrisp_core.time.deadline import Deadline
from waiting import PATIENCE


class TestEmbeddedArm(ArmConformance):
    """The embedded arm."""

    @pytest.fixture(autouse=True)
    def _rig(self) -> Iterator[None]:
        lab = Lab(table_with(block=("box", (0.10, 0.10, 0.10), (0.45, -0.25))), seed=3, rate=1.0)
        simulation = lab.world.simulation
        self.rig = ArmRig(
            lab.arm, lambda: list(lab.arm.joints.positions),
            lambda: lab.world.frames()[lab.world.description.tool][0],
            lambda: bool(np.abs(lab.arm.joints.velocities).max() > 0.05), lab.see(), "block",
            reachable=pointing_down(0.5, 0.25, 0.25), unreachable=pointing_down(1.2, 0.0, 0.1),
            patience=PATIENCE, soon=PATIENCE)
        self.begin()
        simulation.start_idling()
        yield
        simulation.close()


def test_fingers_that_stand_where_they_were_told_to_take_no_time_again() -> None:
    lab = Lab("tabletop")
    assert lab.arm.move_gripper(0.03, Deadline(PATIENCE), Event()).ok
    began = lab.world.time
    assert lab.arm.move_gripper(0.03, Deadline(PATIENCE), Event()).ok
    assert lab.world.time == began
    assert lab.arm.grasp(20.0, Deadline(PATIENCE), Event()).ok
    assert lab.arm.move_gripper(0.03, Deadline(PATIENCE), Event()).ok
    assert abs(lab.arm.opening() - 0.03) < 0.005


@pytest.mark.parametrize("opening", [0.03, 0.078])
def test_fingers_that_are_readied_move_with_the_arm(opening: float) -> None:
    took = []
    for readied in (None, opening):
        lab = Lab("tabletop")
        assert lab.arm.move_gripper(0.055, Deadline(PATIENCE), Event()).ok
        if readied is not None:
            lab.arm.ready_gripper(readied)
        motion = lab.arm.plan_to(pointing_down(0.5, 0.25, 0.25), Deadline(PATIENCE))
        began = lab.world.time
        assert lab.arm.follow(motion, Deadline(PATIENCE), Event()).ok
        took.append(lab.world.time - began)
    assert abs(lab.arm.opening() - opening) < 0.005
    assert took[1] < took[0] + 0.05
