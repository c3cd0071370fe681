"""Pouring by tilting: what leaves a vessel, who catches it, and what an arm makes of the levels that are seen."""

from __future__ import annotations

import math
from threading import Event

import numpy as np
import pytest
from acting import LIMIT
from hicrisp_core.model import Command, Outcome, Pose, Status
from hicrisp_core.model.geometry import multiply
from hicrisp_core.model.liquids import level_of, retained
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.liquids import MARK

LEFT = "left_arm"


class Bar:
    """The bar, with its left arm."""

    def __init__(self, seed: int = 1) -> None:
        self.world = EmbeddedWorld("bar", seed)
        self.liquids = self.world.simulation.liquids

    def do(self, action: str, progress: object = None, **arguments: object) -> Outcome:
        command = Command(action, {"robot": LEFT, **arguments}, LEFT)
        return self.world.robots[LEFT].execute(command, Deadline(LIMIT), Event(), progress)

    def pour(self, amount: float, progress: object = None) -> Outcome:
        return self.do("pour", progress, item="gin_bottle", target="shaker", amount=amount)


@pytest.fixture
def holding() -> Bar:
    """The bar with the gin bottle in the left hand."""
    bar = Bar()
    assert bar.do("pick", item="gin_bottle").ok
    return bar


def test_a_tilted_cylinder_keeps_what_its_lip_holds_back() -> None:
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (200_000, 3))
    inside = points[np.hypot(points[:, 0], points[:, 1]) < 1.0] * (1.0, 1.0, 3.0)  # Radius 1, height 6.
    for degrees in (5, 30, 60, 71, 75, 82, 88):
        tilt = math.radians(degrees)
        up = np.array((math.sin(tilt), 0.0, math.cos(tilt)))
        lip = np.array((-1.0, 0.0, 3.0))
        assert retained(tilt, 6.0) == pytest.approx(float((inside @ up < lip @ up).mean()), abs=0.01)
    assert retained(0.0, 6.0) == 1.0
    assert retained(math.pi / 2.0, 6.0) == 0.0


@pytest.mark.parametrize("amount", [20.0, 50.0, 120.0])
def test_what_is_asked_for_is_poured_and_nothing_beside(holding: Bar, amount: float) -> None:
    assert holding.pour(amount).ok
    assert holding.liquids.volume("shaker") == pytest.approx(amount, abs=MARK)
    assert holding.liquids.volume("gin_bottle") + holding.liquids.volume("shaker") == pytest.approx(400.0)
    assert holding.liquids.lost == 0.0
    seen = holding.world.observe(Deadline(LIMIT))
    assert level_of(seen, "shaker") == pytest.approx(amount, abs=MARK)
    assert seen.holds("contains", "shaker", "gin")
    assert seen.holds("holding", LEFT, "gin_bottle")
    assert holding.world.frames()["gin_bottle"][0].tilt < 0.1


def test_a_vessel_is_taken_from_the_side_and_carried_upright(holding: Bar) -> None:
    tilts = []
    holding.world.simulation.listeners.append(
        lambda: tilts.append(holding.world.frames()["gin_bottle"][0].tilt))
    assert abs(holding.world.arm.tool_pose().axes[2][2]) < 0.1
    assert holding.do("home").ok
    assert max(tilts) < 0.6
    assert holding.liquids.volume("gin_bottle") == 400.0


def test_what_misses_the_other_vessel_is_lost_and_told(holding: Bar) -> None:
    def away(phase: str, fraction: float) -> None:
        if phase == "pour":
            holding.world.simulation.put("shaker", Pose((0.5, -0.5, 0.07)))

    outcome = holding.pour(50.0, away)
    assert outcome.status is Status.EXECUTION
    assert outcome.message == "Cannot pour from the gin_bottle into the shaker: 0 ml of 50 ml came into the shaker."
    assert holding.liquids.lost == pytest.approx(50.0, abs=MARK)
    assert holding.liquids.volume("shaker") == 0.0


def test_a_bottle_that_is_tipped_over_runs_out_and_is_seen_to() -> None:
    bar = Bar()
    pose = bar.world.frames()["rum_bottle"][0]
    lying = multiply(pose.orientation, (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)))
    bar.world.simulation.put("rum_bottle", Pose((*pose.position[:2], 0.031), lying))
    bar.world.pass_time(2.0)
    assert level_of(bar.world.observe(Deadline(LIMIT)), "rum_bottle") == 0.0
    assert bar.liquids.lost == pytest.approx(400.0, abs=MARK)


def test_a_full_vessel_runs_over_and_a_reset_fills_as_the_scene_says(holding: Bar) -> None:
    holding.liquids._volume[holding.liquids.names.index("shaker")] = 440.0
    assert holding.pour(50.0).status is Status.EXECUTION
    assert holding.liquids.volume("shaker") == pytest.approx(450.0)
    assert holding.liquids.lost > 30.0
    holding.world.reset()
    assert level_of(holding.world.observe(Deadline(LIMIT)), "shaker") == 0.0


def test_nothing_is_poured_by_a_hand_that_holds_nothing() -> None:
    assert Bar().pour(50.0).status is Status.PRECONDITION
