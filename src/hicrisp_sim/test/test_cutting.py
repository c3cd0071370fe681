"""Cutting in physics: a blade has to press on what it cuts and to be drawn across it, and then there are two bodies."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Optional

import pytest
from acting import LIMIT
from hicrisp_core.model import Command, Outcome, Pose, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld

SCENE = """
scene: cutting
domain: worktop
robots: [panda]
objects:
  knife: {type: knife, shape: knife, size: [0.05, 0.13, 0.085], mass: 0.2, position: [0.50, 0.22]}
  sausage: {type: box, size: [0.06, 0.04, 0.03], mass: 0.12, position: [0.48, -0.05], yaw: 20}
  sausage_end: {type: box, size: [0.04, 0.04, 0.03], mass: 0.08, position: [0.5345, -0.0302], yaw: 20, part_of: sausage}
"""


class Worktop:
    """A table with a knife and a sausage."""

    def __init__(self, folder: Path) -> None:
        file = folder / "cutting.yaml"
        file.write_text(SCENE)
        self.world = EmbeddedWorld(file, 0)

    def do(self, action: str, goal: Optional[Pose] = None, **arguments: str) -> Outcome:
        command = Command(action, {"robot": "panda", **arguments}, "panda", target=goal)
        return self.world.robot.execute(command, Deadline(LIMIT), Event())

    def whole(self) -> bool:
        return self.world.observe(Deadline(LIMIT)).holds("part_of", "sausage_end", "sausage")

    def height(self, name: str) -> float:
        return self.world.true_frames()[name][0].position[2]


@pytest.fixture
def worktop(tmp_path: Path) -> Worktop:
    return Worktop(tmp_path)


def test_strokes_across_the_sausage_make_two_bodies_of_it(worktop: Worktop) -> None:
    assert worktop.whole()
    assert worktop.do("pick", item="knife").ok
    cut = worktop.do("cut", item="knife", target="sausage")
    assert cut.ok, cut.message
    assert not worktop.whole()
    again = worktop.do("cut", item="knife", target="sausage")
    assert again.status is Status.PRECONDITION
    assert worktop.do("put_down", Pose((0.50, 0.22, 0.0425)), item="knife").ok
    assert worktop.do("pick", item="sausage_end").ok
    assert worktop.height("sausage_end") > 0.1
    assert worktop.height("sausage") < 0.02


def test_before_it_is_cut_one_end_takes_the_other_along(worktop: Worktop) -> None:
    assert worktop.do("pick", item="sausage_end").ok
    assert worktop.height("sausage") > 0.08
    assert worktop.whole()


def test_a_blade_that_only_presses_does_not_cut(worktop: Worktop) -> None:
    simulation = worktop.world.simulation
    sausage = worktop.world.true_frames()["sausage"][0]
    x, y, _ = sausage.apply((0.034, 0.0, 0.0))
    simulation.put("knife", Pose((x, y, 0.03 + 0.0425 + 0.0005), sausage.orientation))
    worktop.world.pass_time(1.0)
    assert worktop.whole()
    assert max(simulation.cuts._drawn.values()) < 0.01


def test_without_the_knife_in_the_hand_nothing_moves(worktop: Worktop) -> None:
    cut = worktop.do("cut", item="knife", target="sausage")
    assert cut.status is Status.PRECONDITION
    assert "not in the hand" in cut.message
