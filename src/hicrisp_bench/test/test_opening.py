"""A cabinet that nobody described: its fronts are found by the camera, opened, and said to be fixed where they are."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Iterator

import pytest
from hicrisp_bench.openworld.opening import OpeningTrial
from hicrisp_bench.trial import camera_sight
from hicrisp_core.model import Command, Status
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.undescribed import fittings_of, wares_of, with_undescribed
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.faults import hands

CONFIG = Path(__file__).resolve().parents[3] / "config"


@pytest.fixture
def world() -> Iterator[EmbeddedWorld]:
    scene = load_scene(CONFIG / "scenes" / "cabinet.yaml", 0)
    found = EmbeddedWorld(scene, 0, sight=camera_sight)
    yield found
    found.close()


def test_a_layout_depends_on_its_seed_and_is_told_to_nobody_else() -> None:
    scene = load_scene(CONFIG / "scenes" / "cabinet.yaml", 3)
    assert not scene.unknown
    assert all(item.name == "table" for item in scene.objects.values())
    drawn, again, other = (with_undescribed(scene, seed) for seed in (3, 3, 4))
    assert fittings_of(drawn) == fittings_of(again) != fittings_of(other)
    assert [each.name for each in fittings_of(drawn)][0] == "case"


def test_fronts_and_case_are_measured_and_nothing_else_is_seen_in_their_place(world: EmbeddedWorld) -> None:
    for _ in range(3):
        world.pass_time(0.2)
        state = world.observe(Deadline(1.0))
    fronts = [item for item in state.objects.values() if item.joint is not None]
    assert len(state.objects) == 1 + 3 + len(wares_of(world.scene))  # The table, case, drawer, door and objects.
    for true in fittings_of(world.scene)[1:]:
        front = next(item for item in fronts if item.type == true.name)
        assert front.joint is not None
        assert true.joint is not None
        assert front.joint.guessed
        assert front.size[1:] == pytest.approx(true.size[1:], abs=0.008)
        assert front.joint.bar == pytest.approx(true.joint.bar, abs=0.01)
        own, seen = true.pose.compose(true.joint.handle), front.pose.compose(front.joint.handle)
        assert math.dist(own.position, seen.position) < 0.006
        assert state.objects[front.joint.fixture].joint is None


def test_no_fronts_are_looked_for_where_robots_open_nothing() -> None:
    scene = replace(load_scene(CONFIG / "scenes" / "cabinet.yaml", 0), domain="workbench")
    world = EmbeddedWorld(scene, 0, sight=camera_sight)
    try:
        world.pass_time(0.2)
        assert not [item for item in world.observe(Deadline(1.0)).objects.values() if item.joint is not None]
    finally:
        world.close()


@pytest.mark.parametrize("front", ["drawer", "door"])
def test_a_front_is_opened_and_its_joint_is_measured_while_it_is_pulled(front: str) -> None:
    found = OpeningTrial(CONFIG, "hierarchical", 0, front).run()
    assert found["claimed"], found["message"]
    assert found["opened"]
    assert found["right_kind"]
    assert found.get("axis_deg", 0.0) < 3.0
    assert found.get("hinge_mm", 0.0) < 30.0


def test_a_front_that_does_not_move_is_said_to_be_a_fixed_panel(world: EmbeddedWorld) -> None:
    world.simulation.held["door"] = 300.0
    for _ in range(3):
        world.pass_time(0.2)
        state = world.observe(Deadline(1.0))
    door = next(item for item in state.objects.values() if item.type == "door")
    outcome = world.robot.execute(Command("open", {"item": door.name}), Deadline(120.0), Event())
    assert outcome.status is Status.EXECUTION
    assert "may be a fixed panel" in outcome.message


def test_faults_move_the_objects_beside_a_cabinet_and_nothing_of_it(world: EmbeddedWorld) -> None:
    assert sorted(hands(world.simulation).things()) == sorted(each.name for each in wares_of(world.scene))
