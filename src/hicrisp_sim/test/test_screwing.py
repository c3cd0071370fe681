"""Screwing with both hands in physics: one arm holds the bottle, the other turns its cap stroke by stroke."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Optional

import pytest
from acting import LIMIT
from hicrisp_core.domain.checker import check
from hicrisp_core.domain.wording import words_of
from hicrisp_core.model import Command, Outcome, Pose, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

LEFT, RIGHT = "left_arm", "right_arm"
SCENE = """
scene: capped
domain: counter
table: {size: [0.8, 1.8, 0.04], position: [0.5, 0.0]}
robots:
  left_arm: {kind: arm, type: panda, position: [0.0, 0.38]}
  right_arm: {kind: arm, type: panda, position: [0.0, -0.38]}
objects:
  gin_bottle:
    {type: bottle, shape: vessel, size: [0.06, 0.06, 0.18], volume: 500, contains: gin, level: 400,
     position: [0.48, 0.3]}
  cap: {type: cap, shape: cylinder, size: [0.036, 0.036, 0.03], mass: 0.02, on: gin_bottle, screwed_on: gin_bottle}
  glass: {type: glass, shape: vessel, size: [0.065, 0.065, 0.10], volume: 250, level: 0, position: [0.50, 0.06]}
"""
BETWEEN = Pose((0.48, 0.0, 0.25))


class Bar:
    """Two arms and a bottle with a cap."""

    def __init__(self, folder: Path) -> None:
        file = folder / "capped.yaml"
        file.write_text(SCENE)
        self.world = EmbeddedWorld(file, 1)

    def do(self, robot: str, action: str, goal: Optional[Pose] = None, **arguments: object) -> Outcome:
        command = Command(action, {"robot": robot, **arguments}, robot, target=goal, time_limit=120.0)
        return self.world.robots[robot].execute(command, Deadline(LIMIT), Event())

    def capped(self) -> bool:
        return self.world.observe(Deadline(LIMIT)).holds("screwed_on", "cap", "gin_bottle")


@pytest.fixture
def bar(tmp_path: Path) -> Bar:
    return Bar(tmp_path)


def test_a_held_bottle_is_opened_and_closed_again(bar: Bar) -> None:
    assert bar.do(LEFT, "pick", item="gin_bottle").ok
    assert bar.do(LEFT, "offer", BETWEEN, item="gin_bottle").ok
    opened = bar.do(RIGHT, "unscrew", item="cap")
    assert opened.ok, opened.message
    assert not bar.capped()
    assert bar.world.observe(Deadline(LIMIT)).holds("holding", RIGHT, "cap")
    closed = bar.do(RIGHT, "screw", item="cap", target="gin_bottle")
    assert closed.ok, closed.message
    assert bar.capped()
    assert bar.do(RIGHT, "home").ok
    assert bar.do(LEFT, "home").ok
    assert bar.capped()
    assert bar.world.simulation.liquids.volume("gin_bottle") == 400.0


def test_a_bottle_that_nobody_holds_turns_with_its_cap(bar: Bar) -> None:
    outcome = bar.do(LEFT, "unscrew", item="cap")
    assert outcome.status is Status.EXECUTION
    assert outcome.message == "Cannot unscrew the cap: it does not turn against the bottle."
    assert bar.capped()


def test_a_cap_that_is_pulled_takes_the_bottle_along(bar: Bar) -> None:
    bar.do(LEFT, "pick", item="cap")
    assert bar.capped()
    assert bar.world.true_frames()["gin_bottle"][0].position[2] > 0.15


def test_nothing_runs_out_of_a_capped_bottle_and_pouring_from_it_is_refused(bar: Bar) -> None:
    world, liquids = bar.world, bar.world.simulation.liquids
    pour = Command("pour", {"robot": LEFT, "item": "gin_bottle", "target": "glass", "amount": 50.0}, LEFT)
    assert bar.do(LEFT, "pick", item="gin_bottle").ok
    refused = check(world.domain, pour, world.observe(Deadline(LIMIT)))
    assert refused is not None
    assert words_of(refused, world.domain).reason == "Cap is screwed onto gin bottle."
    assert not bar.do(LEFT, "pour", item="gin_bottle", target="glass", amount=50.0).ok
    assert liquids.volume("gin_bottle") == 400.0
    assert liquids.lost == 0.0
