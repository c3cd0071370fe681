"""The world itself: its clock, its frames, its reset, its speed and its pictures."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Event, Thread

import numpy as np
import pytest
from acting import Lab
from hicrisp_core.config.files import config_file
from hicrisp_core.model.geometry import multiply
from hicrisp_core.scene import load_scene
from hicrisp_sim.arm_model import load_description
from hicrisp_sim.models import physics_model
from hicrisp_sim.simulation import CONTROL_PERIOD
from waiting import PATIENCE, until

PANDA = {*(f"panda_link{number}" for number in range(9)), "panda_hand", "panda_leftfinger",
         "panda_rightfinger", "panda_hand_tcp"}


@pytest.mark.parametrize("scene", ["tabletop", "blocks", "bowl", "sorting", "plus_sign", "clutter"])
def test_every_scene_stands_still(scene: str) -> None:
    lab = Lab(scene, seed=1)
    lab.world.simulation.advance(1.0)
    for name, thing in lab.world.look().objects.items():
        assert thing.pose.position == pytest.approx(lab.world.scene.objects[name].pose.position, abs=0.002)


def test_every_frame_is_there_with_the_clocks_time(tabletop: Lab) -> None:
    frames = tabletop.world.frames()
    assert set(frames) == {*PANDA, "box", "cylinder"}
    assert {stamp for _, stamp in frames.values()} == {tabletop.world.time}
    left, right = frames["panda_leftfinger"][0].position, frames["panda_rightfinger"][0].position
    assert np.linalg.norm(np.subtract(left, right)) == pytest.approx(tabletop.arm.opening(), abs=1e-6)


def test_what_creeps_in_a_hand_can_be_judged_and_what_slides_on_the_table_cannot(
    tabletop: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, took = tabletop.world, []
    settings = replace(world.description.settings, creep=0.02)
    monkeypatch.setattr(world, "descriptions", (replace(world.description, settings=settings),))
    monkeypatch.setattr(world.simulation, "moved", lambda name, _: 0.001 if name == "box" else 0.0)  # In 0.1 s.
    world.arm.sync(world.look())
    for hold in (False, True):
        if hold:
            world.arm.attach("box")
        began = world.time
        world.settle(1.0)
        took.append(world.time - began)
    assert took == [pytest.approx(1.0, abs=0.03), pytest.approx(0.1, abs=0.03)]


def test_a_reset_puts_everything_back_and_the_clock_goes_on(tabletop: Lab) -> None:
    assert tabletop.do("pick", item="box").ok
    before = tabletop.world.time
    tabletop.world.reset(seed=3)
    assert tabletop.world.time > before
    assert tabletop.position("box") == pytest.approx(load_scene("tabletop", 3).objects["box"].pose.position,
                                                     abs=0.002)
    assert tabletop.do("pick", item="box").ok


def test_a_reset_can_change_the_scene(tabletop: Lab) -> None:
    tabletop.world.reset("blocks", seed=0)
    assert "red_box" in tabletop.world.frames()
    assert tabletop.do("pick", item="red_box").ok


def test_a_world_that_follows_another_clock_is_never_ahead_of_it_and_goes_back_with_it(tabletop: Lab) -> None:
    simulation, clock = tabletop.world.simulation, [100.0]
    simulation.follow(lambda: clock[0])
    assert simulation.time == 100.0
    simulation.start_idling()
    for now in (100.3, 500.0, 20.0):
        clock[0] = now
        until(lambda now=now: abs(simulation.time - now) < 0.01, f"{now} s")
        assert simulation.time < now + 0.005
    simulation.close()


def test_an_idle_world_goes_on_at_the_pace_of_the_wall_clock(tabletop: Lab) -> None:
    simulation = tabletop.world.simulation
    began, wall = simulation.time, time.monotonic()
    simulation.start_idling()
    until(lambda: simulation.time > began + 0.5, "half a second of the world")
    passed, wall = simulation.time - began, time.monotonic() - wall
    simulation.close()
    assert passed < wall + 0.01  # A busy machine may lag behind; running ahead would burn it.


def test_frames_can_be_read_while_the_arm_moves_and_the_world_is_reset(tabletop: Lab) -> None:
    wrong, done = [], Event()

    def read() -> None:
        # As often as anything reads; a loop without a pause takes the interpreter.
        while not done.wait(0.002):
            if not all(pose.finite for pose, _ in tabletop.world.frames().values()):
                wrong.append(1)

    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        assert tabletop.do("pick", item="box").ok
        tabletop.world.reset("blocks", seed=0)
    finally:
        done.set()
        reader.join(PATIENCE)
    assert not wrong


def test_many_hands_at_once_do_not_stop_the_world(tabletop: Lab) -> None:
    simulation = tabletop.world.simulation
    simulation.start_idling()

    def change() -> None:
        for _ in range(100):
            with simulation.edit():
                pass

    def wait() -> None:
        for _ in range(20):
            simulation.advance(0.01)

    hands = [Thread(target=act, daemon=True) for act in (change, wait) * 3]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join(PATIENCE)
    assert not any(hand.is_alive() for hand in hands)
    began = simulation.time
    until(lambda: simulation.time > began, "further step")
    simulation.close()


def test_the_models_mass_is_the_scenes() -> None:
    scene = load_scene("tabletop", 0)
    model = physics_model(scene, (load_description(config_file("robots", "panda_embedded")),))
    assert model.body("box").mass[0] == pytest.approx(scene.masses["box"])


def test_a_picture_shows_the_table(tabletop: Lab, tmp_path) -> None:
    from hicrisp_sim.render import RenderError
    from PIL import Image

    before = tabletop.world.simulation.snapshot.positions.copy()
    try:
        file = tabletop.world.snapshot(tmp_path / "overview.png")
    except RenderError as error:
        pytest.skip(str(error))
    picture = np.asarray(Image.open(file).convert("RGB"))
    assert picture.shape == (720, 960, 3)
    assert picture.std() > 20.0
    assert (tabletop.world.simulation.snapshot.positions == before).all()


def test_a_slow_turn_on_the_spot_counts_as_standing_and_a_slide_does_not(tabletop: Lab) -> None:
    simulation = tabletop.world.simulation
    before = simulation.place_of("box")
    turned = np.concatenate([before[:3], -before[3:]])  # The same turn with the other sign.
    assert simulation.moved("box", turned) == pytest.approx(0.0, abs=1e-12)
    assert simulation.moved("box", before + [0.004, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]) == pytest.approx(0.004)
    half = 0.01 / 2.0
    rolled = multiply((math.sin(half), 0.0, 0.0, math.cos(half)), tuple(before[[4, 5, 6, 3]]))
    place = np.concatenate([before[:3], [rolled[3], *rolled[:3]]])
    assert simulation.moved("box", place) == pytest.approx(0.001, rel=1e-2)  # 10 mrad, felt 10 cm away.


def test_what_rests_is_not_waited_for_again_until_something_happens(tabletop: Lab) -> None:
    tabletop.see()
    at = tabletop.world.time
    tabletop.see()
    assert tabletop.world.time - at == pytest.approx(CONTROL_PERIOD)
    box = tabletop.world.look().objects["box"].pose
    tabletop.world.simulation.put("box", box.shifted((0.0, 0.0, 0.05)))
    fallen = tabletop.see().objects["box"].pose.position
    assert fallen == pytest.approx(box.position, abs=0.002)
