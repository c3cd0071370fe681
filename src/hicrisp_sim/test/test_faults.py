"""Faults happen as often and as far as they are told, and with the same seed in the same way."""

from __future__ import annotations

import numpy as np
import pytest
from acting import Lab
from hicrisp_core.model import CauseKind, Command, Pose, Status
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.scene.fault_schedule import FaultError
from hicrisp_sim.faults import KINDS

GOAL = Pose((0.45, 0.0, 0.025))


def put_down(lab: Lab) -> np.ndarray:
    """Pick the box, put it on the goal; how far beside it is."""
    assert lab.do("pick", item="box").ok
    assert lab.execute(Command("put_down", {"item": "box"}, "panda", GOAL, GOAL)).ok
    return np.array(lab.position("box")[:2]) - np.array(GOAL.position[:2])


def cleared(seed: int = 3) -> Lab:
    """A lab whose cylinder is far from the goal."""
    lab = Lab("tabletop", seed)
    lab.world.inject("unreachable", "cylinder")
    return lab


def test_a_mean_offset_moves_every_placement() -> None:
    lab = cleared()
    lab.world.inject("place_offset", magnitude=[0.02, -0.03])
    for _ in range(2):
        assert put_down(lab) == pytest.approx([0.02, -0.03], abs=0.003)


def test_a_counted_offset_ends() -> None:
    lab = cleared()
    lab.world.inject("place_offset", magnitude=[0.0, 0.03], count=1)
    assert put_down(lab) == pytest.approx([0.0, 0.03], abs=0.003)
    assert put_down(lab) == pytest.approx([0.0, 0.0], abs=0.003)


def test_a_random_offset_is_drawn_anew_and_the_seed_repeats_it() -> None:
    runs = []
    for _ in range(2):
        lab = cleared()
        lab.world.inject("place_offset", magnitude=[0.02])
        runs.append(np.array([put_down(lab), put_down(lab)]))
    assert runs[0] == pytest.approx(runs[1], abs=1e-6)
    assert np.linalg.norm(runs[0][0] - runs[0][1]) > 0.003


def test_an_item_that_slips_is_not_claimed_as_placed(tabletop: Lab) -> None:
    tabletop.world.inject("slip", "box", count=1)
    assert tabletop.do("pick", item="box").ok
    outcome = tabletop.do("place_next_to", item="box", reference="cylinder")
    assert outcome.status is Status.EXECUTION
    assert "slipped" in outcome.message
    assert tabletop.world.faults.happened == {"slip": 1}
    assert tabletop.see().holds("on", "box", "table")
    assert tabletop.do("pick", item="box").ok


def test_an_item_that_is_moved_under_the_hand_is_missed_once(tabletop: Lab) -> None:
    tabletop.world.inject("object_moved", "box", [0.08], count=1)
    outcome = tabletop.do("pick", item="box")
    assert outcome.status is Status.EXECUTION
    assert "closed on nothing" in outcome.message
    assert tabletop.world.faults.happened == {"object_moved": 1}
    assert tabletop.do("pick", item="box").ok


def test_an_item_that_is_moved_now_is_picked_where_it_is(tabletop: Lab) -> None:
    before = tabletop.position("box")
    assert "box was moved" in tabletop.world.inject("object_moved", "box", [0.05])
    assert planar_distance(before, tabletop.position("box")) == pytest.approx(0.05, abs=0.002)
    assert tabletop.do("pick", item="box").ok


def test_an_item_out_of_reach_is_not_tried(tabletop: Lab) -> None:
    tabletop.world.inject("unreachable", "box")
    outcome = tabletop.do("pick", item="box")
    assert outcome.status is Status.PLANNING
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.OUT_OF_REACH


def test_a_goal_that_is_blocked_names_the_obstacle(clutter: Lab) -> None:
    assert clutter.do("pick", item="box").ok
    clutter.world.inject("blocked_goal", "salt", count=1)
    outcome = clutter.do("put_down", item="box")
    assert outcome.status is Status.PLANNING
    assert "salt" in outcome.message


def test_noisy_eyes_scatter_as_told(tabletop: Lab) -> None:
    tabletop.see()
    true = np.array(tabletop.world.frames()["box"][0].position)
    tabletop.world.inject("sensor_noise", magnitude=[0.01])
    seen = np.array([tabletop.world.frames()["box"][0].position for _ in range(400)]) - true
    assert np.abs(seen.mean(axis=0)).max() < 0.003
    assert seen.std() == pytest.approx(0.01, rel=0.15)


@pytest.mark.parametrize(("kind", "target", "magnitude", "told"), [
    ("earthquake", "", [], "place_offset"),
    ("place_offset", "", [], "mean_x"),
    ("place_offset", "", [-0.1], "at least 0"),
    ("sensor_noise", "", [float("nan")], "sigma"),
    ("unreachable", "teapot", [], "box, cylinder"),
    ("object_moved", "", [0.1], "box, cylinder"),
])
def test_a_fault_that_cannot_be_is_refused_with_what_can(
    tabletop: Lab, kind: str, target: str, magnitude: list, told: str
) -> None:
    with pytest.raises(FaultError, match=told):
        tabletop.world.inject(kind, target, magnitude)


def test_every_kind_says_what_its_magnitude_means() -> None:
    assert all(kind.text for kind in KINDS.values())


def test_a_thing_that_vanished_is_seen_no_more_until_the_reset(tabletop: Lab) -> None:
    assert tabletop.world.inject("vanish", "box") == "box is taken away"
    assert tabletop.see().objects["box"].unseen
    assert not [fact for fact in tabletop.see().relations if "box" in fact]
    with pytest.raises(FaultError, match="already"):
        tabletop.world.inject("vanish", "box")
    tabletop.world.reset(seed=0)
    assert tabletop.see().holds("on", "box", "table")
