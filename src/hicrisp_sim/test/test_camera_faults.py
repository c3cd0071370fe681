"""Faults for eyes: light, a knock, lost pictures, silence, and things that nobody tells the scene of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from acting import Lab
from hicrisp_core.model.geometry import planar_distance
from hicrisp_core.scene.fault_schedule import FaultError
from hicrisp_core.scene.layout import overlapping
from hicrisp_sim.embedded import EmbeddedWorld


@pytest.fixture(scope="module")
def shared() -> EmbeddedWorld:
    return EmbeddedWorld("tabletop", seed=1)


@pytest.fixture
def world(shared: EmbeddedWorld) -> EmbeddedWorld:
    shared.reset(seed=1)
    return shared


def brightness(world: EmbeddedWorld) -> float:
    picture = world.camera.take()
    assert picture is not None
    return float(picture.colour.mean())


def test_light_can_be_halved_and_doubled_and_a_reset_ends_it(world: EmbeddedWorld) -> None:
    usual = brightness(world)
    world.inject("light", magnitude=[0.5])
    assert brightness(world) < 0.8 * usual
    world.inject("light", magnitude=[2.0])
    assert brightness(world) > 1.1 * usual
    world.reset(seed=1)
    assert brightness(world) == pytest.approx(usual, rel=0.01)


def test_a_calibration_without_numbers_comes_with_every_picture_until_a_reset(world: EmbeddedWorld) -> None:
    world.inject("lens_nan")
    assert math.isnan(world.camera.take().lens.cx)
    world.reset(seed=1)
    assert not math.isnan(world.camera.take().lens.cx)


@pytest.mark.parametrize("magnitude", [[0.02, 2.0], [0.02, 0.0, 0.0, 0.0, 2.0, 0.0]])
def test_a_knock_moves_the_camera_by_what_was_told_and_not_what_it_says_of_itself(
        world: EmbeddedWorld, magnitude: list) -> None:
    before = world.camera.take()
    said = world.inject("camera_moved", magnitude=magnitude)
    after = world.camera.take()
    assert said == "the camera is 0.020 m and 2.0 degrees off its mounting"
    assert before is not None
    assert after is not None
    assert before.camera == after.camera
    assert np.abs(after.colour.astype(int) - before.colour).mean() > 2.0


def test_as_many_pictures_are_lost_as_were_told(world: EmbeddedWorld) -> None:
    world.inject("frame_lost", count=2)
    assert [world.camera.take() is None for _ in range(4)] == [True, True, False, False]


def test_a_share_of_the_pictures_is_lost(world: EmbeddedWorld) -> None:
    world.inject("frame_lost", magnitude=[0.5])
    lost = sum(not world.camera.faults.delivers(world.time) for _ in range(400))
    assert 160 < lost < 240


def test_a_silent_camera_speaks_again(world: EmbeddedWorld) -> None:
    world.inject("camera_silent", magnitude=[5.0])
    assert world.camera.take() is None
    world.simulation.advance(4.9)
    assert world.camera.take() is None
    world.simulation.advance(0.2)
    assert world.camera.take() is not None


def test_an_intruder_stands_on_the_table_and_only_judges_and_pictures_know(world: EmbeddedWorld) -> None:
    before, seen = world.true_frames(), world.camera.take()
    held = world.arm.joints.positions
    said = world.inject("intruder")
    assert said.startswith("intruder_1, a ")
    assert said.endswith("and nobody is told")
    world.settle(1.0)
    thing = world.scene.unknown[0]
    pose = world.true_frames()["intruder_1"][0]
    assert pose.position == pytest.approx(thing.pose.position, abs=0.003)
    assert "intruder_1" not in world.frames()
    assert "intruder_1" not in world.scene.objects
    assert not overlapping(thing, world.scene.objects)
    assert world.arm.joints.positions == pytest.approx(held, abs=1e-3)
    for name in ("box", "cylinder"):
        assert world.true_frames()[name][0].position == pytest.approx(before[name][0].position, abs=1e-4)
    after = world.camera.take()
    assert seen is not None
    assert after is not None
    assert (np.abs(after.colour.astype(int) - seen.colour).max(axis=2) > 40).sum() > 200


def test_an_intruder_comes_where_and_as_large_as_it_is_told_and_can_be_taken_away(
        world: EmbeddedWorld) -> None:
    world.inject("intruder", magnitude=[0.5, 0.0, 0.05, 0.08, 0.1])
    thing = world.scene.unknown[0]
    assert thing.size == (0.05, 0.08, 0.1)
    assert thing.pose.position == (0.5, 0.0, 0.05)
    world.inject("object_moved", "intruder_1", [0.0, 0.1])
    assert world.true_frames()["intruder_1"][0].position[1] == pytest.approx(0.1, abs=0.002)
    world.inject("vanish", "intruder_1")
    assert math.dist(world.true_frames()["intruder_1"][0].position, (0.5, 0.1, 0.05)) > 5.0


def test_as_many_intruders_come_as_were_told_and_the_seed_repeats_them() -> None:
    places = []
    for _ in range(2):
        world = EmbeddedWorld("clutter", seed=4)
        world.inject("intruder", count=3)
        places.append([(thing.name, thing.size, thing.pose) for thing in world.scene.unknown])
    assert places[0] == places[1]
    assert [name for name, _, _ in places[0]] == ["intruder_1", "intruder_2", "intruder_3"]
    taken = {thing.name: thing for thing in (*world.scene.things, *world.scene.unknown)}
    assert not any(overlapping(thing, taken, 0.02) for thing in world.scene.unknown)


def test_an_intruder_comes_while_the_arm_moves_and_the_motion_goes_on(world: EmbeddedWorld) -> None:
    world.simulation.at(world.time + 0.5, lambda: world.inject("intruder") and None)
    start = world.arm.joints.positions
    world.simulation.advance(1.0)
    assert world.scene.unknown
    assert world.arm.joints.positions == pytest.approx(start, abs=1e-3)


def test_what_vanished_is_put_back(world: EmbeddedWorld) -> None:
    world.inject("vanish", "box")
    assert "box" not in world.frames()
    assert "box was moved to" in world.inject("return", "box")
    assert planar_distance(world.frames()["box"][0].position, (0.46, 0.0, 0.0)) < 0.4
    with pytest.raises(FaultError, match="box is there; gone is: nothing"):
        world.inject("return", "box")


@pytest.mark.parametrize(("kind", "magnitude", "said"), [
    ("light", [0.0], "above 0 and at most 16, not 0"),
    ("light", [], "many times the usual one"),
    ("camera_moved", [0.02], "metres, degrees"),
    ("frame_lost", [1.5], "from 0 to 1, not 1.5"),
    ("camera_silent", [-1.0], "at least 0 s, not -1"),
    ("intruder", [0.5, 0.0, 0.0, 0.1, 0.1], "larger than 0 m each way"),
    ("intruder", [3.0, 0.0], r"no free spot at \[3.0, 0.0\]"),
    ("intruder", [0.5], "a free spot by chance"),
])
def test_a_fault_that_cannot_be_is_refused_with_what_can(
        world: EmbeddedWorld, kind: str, magnitude: list, said: str) -> None:
    with pytest.raises(FaultError, match=said):
        world.inject(kind, "", magnitude)


def test_what_is_in_the_hand_stays_in_it_when_an_intruder_comes() -> None:
    lab = Lab("tabletop", 1)
    assert lab.do("pick", item="box").ok
    simulation = lab.world.simulation
    simulation.at(simulation.time + 0.8, lambda: lab.world.inject("intruder") and None)
    assert lab.do("place_next_to", item="box", reference="cylinder").ok
    assert lab.world.scene.unknown
    assert lab.see().holds("next_to", "box", "cylinder")
