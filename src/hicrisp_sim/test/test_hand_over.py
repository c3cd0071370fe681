"""Handing over in physics: both hands are at the bottle before the first one lets go, and nothing is spilt."""

from __future__ import annotations

from threading import Event
from typing import Set

import pytest
from acting import LIMIT
from hicrisp_core.model import Command, Outcome, Pose, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

LEFT, RIGHT, BOTTLE = "left_arm", "right_arm", "gin_bottle"
BETWEEN = Pose((0.50, 0.0, 0.30))


class Bar:
    """The bar with both its arms."""

    def __init__(self, seed: int = 1) -> None:
        self.world = EmbeddedWorld("bar", seed)

    def do(self, robot: str, action: str, item: str, target: Pose = None) -> Outcome:
        command = Command(action, {"robot": robot, "item": item}, robot, target=target)
        return self.world.robots[robot].execute(command, Deadline(LIMIT), Event())

    def hands(self, item: str) -> Set[str]:
        """The arms whose fingers touch a body, and what else does."""
        model, data = self.world.simulation.model, self.world.simulation.data
        pairs = [[model.body(model.geom_bodyid[geom]).name for geom in (contact.geom1, contact.geom2)]
                 for contact in data.contact]
        return {name.split("/")[0] for pair in pairs if item in pair for name in pair if name != item}

    def height(self) -> float:
        return self.world.true_frames()[BOTTLE][0].position[2]


@pytest.fixture
def offered() -> Bar:
    """The bar with the bottle held up between the arms."""
    bar = Bar()
    assert bar.do(LEFT, "pick", BOTTLE).ok
    assert bar.do(LEFT, "offer", BOTTLE, BETWEEN).ok
    return bar


def test_both_hands_hold_the_bottle_before_the_first_lets_go(offered: Bar) -> None:
    heights, tilts = [], []
    offered.world.simulation.listeners.append(lambda: heights.append(offered.height()))
    offered.world.simulation.listeners.append(
        lambda: tilts.append(offered.world.true_frames()[BOTTLE][0].tilt))
    assert offered.hands(BOTTLE) == {LEFT}
    assert offered.do(RIGHT, "take", BOTTLE).ok
    assert offered.hands(BOTTLE) == {LEFT, RIGHT}
    assert offered.do(LEFT, "release", BOTTLE).ok
    assert offered.hands(BOTTLE) == {RIGHT}
    assert min(heights) > BETWEEN.position[2] - 0.02
    assert max(tilts) < 0.1
    assert offered.world.simulation.liquids.volume(BOTTLE) == 400.0
    seen = offered.world.observe(Deadline(LIMIT))
    assert seen.holds("holding", RIGHT, BOTTLE)
    assert not seen.holds("holding", LEFT, BOTTLE)


def test_a_bottle_that_is_let_go_too_early_falls_and_taking_it_says_so(offered: Bar) -> None:
    assert offered.do(LEFT, "release", BOTTLE).ok
    offered.world.settle(1.0)
    assert offered.height() < 0.15
    assert not offered.world.observe(Deadline(LIMIT)).holds("holding", RIGHT, BOTTLE)


def test_what_is_too_small_for_two_hands_is_not_taken() -> None:
    bar = Bar()
    assert bar.do(RIGHT, "pick", "lime").ok
    assert bar.do(RIGHT, "offer", "lime", BETWEEN).ok
    taken = bar.do(LEFT, "take", "lime")
    assert taken.status is Status.PLANNING
    assert bar.hands("lime") == {RIGHT}
