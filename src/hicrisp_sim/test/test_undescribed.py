"""Objects that only the simulator knows of: they stand apart and at rest, and nothing else hears of them."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Dict, Iterator, Set, Tuple

import numpy as np
import pytest
from hicrisp_core.config.files import config_file
from hicrisp_core.detector.state_estimator import StateEstimator
from hicrisp_core.errors import ConfigError
from hicrisp_core.model.geometry import distance
from hicrisp_core.scene import domain_of, load_scene
from hicrisp_core.scene.cameras import DepthSensing, load_camera
from hicrisp_core.scene.forms import FORMS, scaled
from hicrisp_core.scene.sensing import DepthSensor
from hicrisp_core.scene.undescribed import wares_of, with_undescribed
from hicrisp_sim.embedded import EmbeddedWorld

CONFIG = config_file("scenes", "workbench").parents[1]


@pytest.fixture(params=range(4))
def world(request: pytest.FixtureRequest) -> Iterator[EmbeddedWorld]:
    made = EmbeddedWorld("workbench", request.param)
    yield made
    made.close()


def touching(world: EmbeddedWorld) -> Set[Tuple[str, str]]:
    """The pairs of objects that touch each other."""
    model, data = world.simulation.model, world.simulation.data
    bodies = model.geom_bodyid[np.asarray(data.contact.geom).reshape(-1, 2)].tolist()
    names = {model.body(item.name).id: item.name for item in wares_of(world.scene)}
    return {(names[one], names[other]) for one, other in bodies if one in names and other in names}


def test_a_layout_is_free_of_collisions_within_reach_and_at_rest(world: EmbeddedWorld) -> None:
    wares = wares_of(world.scene)
    before = world.true_frames()
    world.pass_time(1.0)
    after = world.true_frames()

    assert 5 <= len(wares) <= 7
    assert not touching(world)
    for item in wares:
        assert distance(before[item.name][0].position, after[item.name][0].position) < 0.001
        assert math.hypot(*after[item.name][0].position[:2]) < 0.68
        assert after[item.name][0].position[2] > 0.0


def test_what_other_nodes_read_has_no_objects_for_any_seed() -> None:
    scenes = [load_scene("workbench", seed) for seed in range(5)]
    for scene in scenes:
        assert list(scene.objects) == ["table"]
        assert scene.objects == scenes[0].objects
        assert not scene.unknown
        assert not scene.masses
        assert list(StateEstimator(scene, domain_of(scene)).known) == ["table"]


def test_a_world_does_not_announce_them(world: EmbeddedWorld) -> None:
    names = {item.name for item in wares_of(world.scene)}
    assert names <= set(world.true_frames())
    assert not names & set(world.frames())
    assert not names & set(world.look().objects)


def test_other_nodes_need_no_file_of_them_and_the_simulator_says_that_it_is_missing(tmp_path: Path) -> None:
    for kind in ("scenes", "domains"):
        shutil.copytree(CONFIG / kind, tmp_path / "config" / kind)
    file = tmp_path / "config" / "scenes" / "workbench.yaml"
    file.write_text(file.read_text().replace("undescribed: workbench", "undescribed: elsewhere"))

    assert load_scene(file).undescribed == "elsewhere"
    with pytest.raises(ConfigError, match="no 'elsewhere' in config/worlds; there are: .*workbench"):
        EmbeddedWorld(load_scene(file))


def test_a_seed_gives_one_layout_and_another_seed_another() -> None:
    def drawn(seed: int) -> Dict[str, object]:
        return {item.name: (item.pose, item.paints) for item in wares_of(
            with_undescribed(load_scene("workbench", seed), seed))}

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)
    assert {name for seed in range(12) for name in drawn(seed)} == set(FORMS)


def test_a_reset_puts_them_where_they_were_and_another_seed_elsewhere() -> None:
    world = EmbeddedWorld("workbench", 1)
    first = {item.name: item.pose for item in wares_of(world.scene)}
    world.reset(seed=2)
    second = {item.name: item.pose for item in wares_of(world.scene)}
    world.reset(world.scene, seed=1)

    assert second != first
    assert {item.name: item.pose for item in wares_of(world.scene)} == first


@pytest.mark.parametrize("name", FORMS)
def test_a_form_fills_its_box(name: str) -> None:
    corners = np.concatenate([piece.corners for piece in scaled(FORMS[name](), (0.1, 0.05, 0.08))])
    assert corners.max(axis=0) == pytest.approx([0.05, 0.025, 0.04])
    assert corners.min(axis=0) == pytest.approx([-0.05, -0.025, -0.04])


def test_most_of_a_glass_is_a_hole_or_what_is_behind_it() -> None:
    lens = load_camera("d435_fixed").intrinsics
    sensor = DepthSensor(DepthSensing(), lens, np.random.default_rng(1))
    distance = np.full((lens.height, lens.width), 1.0, np.float32)
    fronts = distance.copy()
    fronts[200:300, 200:300] = 0.9
    measured = sensor.measure(distance, fronts)
    glass, around = measured[200:300, 200:300], measured[:180]

    assert np.mean(glass == 0.0) > 0.5
    assert 0.02 < np.mean(np.abs(glass - 0.9) < 0.03) < 0.25
    assert np.mean(np.abs(glass - 1.0) < 0.03) > 0.1
    assert np.mean(around == 0.0) < 0.01
