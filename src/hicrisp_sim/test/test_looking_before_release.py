"""Looking before letting go, in physics."""

from __future__ import annotations

from typing import Tuple

import pytest
from acting import Lab, table_with
from hicrisp_core.model import Command, Pose
from hicrisp_core.robot.testing.release_conformance import ReleaseConformance, ReleaseRig
from lasting import LONG
from waiting import PATIENCE

GOAL = Pose((0.5, -0.1, 0.025))


class TestEmbeddedArm(ReleaseConformance):
    """The embedded arm with the fault ``place_offset``."""

    @pytest.fixture(autouse=True)
    def _rig(self) -> None:
        lab = Lab(table_with(box=("box", (0.05, 0.05, 0.05), (0.45, 0.2))), seed=5)
        assert lab.do("pick", item="box").ok

        def misses(mean: Tuple[float, float], sigma: float) -> None:
            lab.world.inject("place_offset", "", (*mean, sigma))

        place = Command("put_down", {"robot": "panda", "item": "box"}, "panda", GOAL, GOAL, 60.0)
        self.rig = ReleaseRig(
            lab.world.robot, place,
            lambda: lab.see().objects["box"].pose, lambda: lab.see().holds("holding", "panda", "box"), misses,
            patience=PATIENCE)


@LONG
def test_a_tower_grows_under_an_arm_that_misses_and_nothing_is_knocked_over() -> None:
    lab = Lab("blocks", seed=12)
    lab.world.inject("place_offset", magnitude=[0.02])
    result, events = lab.run("the green box is on the red box, and the red box is on the blue box")
    assert result.success, result.message
    placed = [event["action"] for event in events if event["kind"] == "command"]
    assert placed.count("pick") == 2
    state = lab.see()
    assert state.holds("on", "green_box", "red_box")
    assert state.holds("on", "red_box", "blue_box")


@LONG
def test_the_papers_policy_lets_go_where_the_arm_ends_and_corrects_afterwards() -> None:
    lab = Lab("tabletop", seed=3)
    lab.world.inject("place_offset", "", [0.09, 0.0], 1)
    _, events = lab.run("put the box next to the cylinder", "hicrisp")
    first = next(event for event in events if event["kind"] == "verdict" and event["deviation"])
    assert first["deviation"][0] ** 2 + first["deviation"][1] ** 2 > 0.06 ** 2


@LONG
def test_a_hand_does_not_close_where_the_thing_was_but_where_it_is() -> None:
    lab = Lab("tabletop", seed=3)
    lab.world.inject("object_moved", "box", [0.0, 0.08], 1)
    result, events = lab.run("pick up the box")
    assert result.success, result.message
    assert [event["action"] for event in events if event["kind"] == "command"] == ["pick"]
