"""The embedded depth camera: it sees things where they are, as well as a D435, and the same for a seed."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event, Thread
from typing import Iterator, List, Tuple

import numpy as np
import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.model.picture import Lens, Picture
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.cameras import DepthSensing, Mounting, load_camera
from hicrisp_core.scene.sensing import DepthSensor
from hicrisp_sim.depth_camera import EmbeddedCamera
from hicrisp_sim.draughtsman import Draughtsman
from hicrisp_sim.embedded import EmbeddedWorld
from hicrisp_sim.render import RenderError

SETTINGS = load_camera("d435_fixed")


@pytest.fixture(scope="module")
def world() -> EmbeddedWorld:
    return EmbeddedWorld("clutter", seed=3)


@pytest.fixture
def camera(world: EmbeddedWorld) -> Iterator[EmbeddedCamera]:
    camera = EmbeddedCamera(world.simulation, SETTINGS, seed=1)
    yield camera
    camera.close()


def pixel(picture: Picture, point: Tuple[float, float, float]) -> Tuple[int, int, float]:
    """Row and column of a point of the world, and its distance along the optical axis."""
    x, y, z = picture.camera.inverse().apply(point)
    lens = picture.lens
    return round(lens.cy + lens.fy * y / z), round(lens.cx + lens.fx * x / z), z


def taken(camera: EmbeddedCamera) -> Picture:
    picture = camera.take()
    assert picture is not None
    return picture


def test_the_middle_of_every_top_is_seen_at_its_distance_and_in_its_colour(
        world: EmbeddedWorld, camera: EmbeddedCamera) -> None:
    picture = taken(camera)
    assert picture.stamp == world.time
    for name, thing in world.scene.objects.items():
        if not thing.movable:
            continue
        pose = world.true_frames()[name][0]
        row, column, distance = pixel(picture, pose.apply((0.0, 0.0, thing.size[2] / 2.0)))
        assert picture.depth[row, column] == pytest.approx(distance, abs=0.012), name
        if thing.attributes["colour"] == "red":
            red, green, blue = picture.colour[row, column]
            assert red > 2 * green
            assert red > 2 * blue


@pytest.mark.parametrize("scene", ["tabletop", "blocks", "clutter"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_whole_workspace_is_in_the_picture_and_is_measured(scene: str, seed: int) -> None:
    lens, mounted = SETTINGS.intrinsics, SETTINGS.mounting.pose
    picture = Picture(0.0, lens, np.zeros(1), np.zeros(1), mounted)
    for thing in load_scene(scene, seed).things:
        x, y, _ = thing.pose.position
        for height in (0.0, thing.size[2], 0.25):
            row, column, distance = pixel(picture, (x, y, height))
            assert 15 < column < lens.width - 15
            assert 15 < row < lens.height - 15
            assert SETTINGS.depth.near < distance < SETTINGS.depth.far


def test_the_same_seed_gives_the_same_pictures_and_another_one_another_noise(world: EmbeddedWorld) -> None:
    pictures: List[Picture] = []
    for seed in (5, 5, 6):
        camera = EmbeddedCamera(world.simulation, SETTINGS, seed)
        pictures.append(taken(camera))
        camera.close()
    first, again, other = pictures
    assert np.array_equal(first.depth, again.depth)
    assert np.array_equal(first.colour, again.colour)
    assert not np.array_equal(first.depth, other.depth)


def test_any_thread_may_take_pictures_and_a_reset_shows_the_other_layout(world: EmbeddedWorld) -> None:
    own = EmbeddedWorld("tabletop", seed=1)
    camera = EmbeddedCamera(own.simulation, SETTINGS, seed=1)
    before = taken(camera)
    own.reset(seed=2)
    found: List[Picture] = []
    thread = Thread(target=lambda: found.append(taken(camera)))
    thread.start()
    thread.join(60.0)
    assert found[0].stamp > before.stamp
    assert np.abs(found[0].colour.astype(int) - before.colour).max() > 100
    camera.close()


def test_a_camera_in_the_hand_looks_where_the_hand_points(world: EmbeddedWorld) -> None:
    settings = load_camera("d435_hand")
    assert settings.mounting.in_hand
    camera = EmbeddedCamera(world.simulation, settings, seed=1)
    hand = world.true_frames()["panda_hand"][0]
    picture = taken(camera)
    camera.close()
    assert picture.camera.position == pytest.approx(hand.apply(settings.mounting.position))
    assert picture.camera.axes[2] == pytest.approx(hand.axes[2], abs=1e-6)
    height = picture.camera.position[2]
    assert np.percentile(picture.depth, 90) == pytest.approx(height, abs=0.005)


def test_a_camera_on_a_link_that_is_not_there_is_refused_with_the_links(world: EmbeddedWorld) -> None:
    mounting = Mounting((0.0, 0.0, 0.0), "panda_foot", orientation=(0.0, 0.0, 0.0, 1.0))
    with pytest.raises(ConfigError, match="'panda_foot', which is not there; there are: .*panda_hand"):
        EmbeddedCamera(world.simulation, replace(SETTINGS, mounting=mounting))


LENS = Lens(640, 480, 615.0, 615.0, 319.5, 239.5)


def wall(distance: float) -> np.ndarray:
    return np.full((480, 640), distance, np.float32)


def sensor(**told: float) -> DepthSensor:
    return DepthSensor(replace(DepthSensing(), **told), LENS, np.random.default_rng(1))


def test_depth_scatters_by_two_millimetres_at_one_metre_and_with_the_square_of_the_distance() -> None:
    near, far = (sensor().measure(wall(distance)) for distance in (1.0, 2.0))
    assert near.std() == pytest.approx(0.002, rel=0.15)
    assert near.mean() == pytest.approx(1.0, abs=0.0005)
    assert far.std() == pytest.approx(0.008, rel=0.15)


def test_disparity_comes_in_steps() -> None:
    measured = sensor(noise=0.06, step=0.5).measure(wall(1.0))
    assert len(np.unique(measured[measured > 0.0])) < 6


def test_what_is_too_near_and_too_far_has_no_depth() -> None:
    assert not sensor().measure(wall(0.2)).any()
    assert not sensor().measure(wall(3.5)).any()


def test_what_only_one_eye_sees_has_no_depth() -> None:
    """A board at 0.8 m before a wall at 1 m throws a shadow of the difference of their disparities, to its
    left.
    """
    scene = wall(1.0)
    scene[:, 300:400] = 0.8
    measured = sensor(noise=0.0, edge_holes=0.0).measure(scene)
    shadow = 615.0 * 0.05 * (1.0 / 0.8 - 1.0)
    left = np.flatnonzero(measured[240] == 0.0)
    assert len(left) == pytest.approx(shadow, abs=1.5)
    assert left.max() == 299


def test_edges_have_holes_on_both_sides() -> None:
    scene = wall(1.0)
    scene[200:300, :] = 0.8
    measured = sensor(edge_holes=0.6).measure(scene)
    assert (measured[199:201] == 0.0).mean() == pytest.approx(0.6, abs=0.1)
    assert not (measured[250] == 0.0).any()


def test_a_surface_under_a_grazing_angle_has_no_depth() -> None:
    """The ground below a level camera is seen the flatter the farther it is."""
    sensed = sensor(far=50.0)
    rows = (np.arange(480, dtype=np.float32) - 239.5) / 615.0
    ground = np.where(rows > 0.0, 0.5 / np.maximum(rows, 1e-3), 40.0)[:, None] * np.ones((1, 640))
    measured = sensed.measure(ground.astype(np.float32))
    angles = np.degrees(np.arctan(rows))
    assert not (measured[angles > 17.0] == 0.0).any()
    assert (measured[(angles > 3.0) & (angles < 7.0)] == 0.0).all()


def test_half_and_double_light_make_the_picture_darker_and_brighter(world: EmbeddedWorld) -> None:
    camera = EmbeddedCamera(world.simulation, SETTINGS, seed=1)
    means = []
    for light in (0.5, 1.0, 2.0):
        camera.faults.light = light
        means.append(taken(camera).colour.mean())
    camera.close()
    assert means[0] == pytest.approx(means[1] * math.pow(0.5, 1 / 2.2), rel=0.03)
    assert means[2] > 1.15 * means[1]


def test_a_knocked_camera_still_tells_its_old_place(world: EmbeddedWorld) -> None:
    camera = EmbeddedCamera(world.simulation, SETTINGS, seed=1)
    before = taken(camera)
    camera.faults.moved = Pose((0.02, 0.0, 0.0))
    after = taken(camera)
    camera.close()
    assert after.camera == before.camera
    assert np.abs(after.colour.astype(int) - before.colour).mean() > 1.0


def test_a_world_has_the_camera_that_its_scene_names_and_a_new_one_after_a_reset() -> None:
    own = EmbeddedWorld("tabletop", seed=1)
    before = own.camera.take()
    assert own.camera is own.camera
    own.reset(seed=2)
    after = own.camera.take()
    assert before is not None
    assert after is not None
    assert after.stamp > before.stamp


def test_a_thread_that_draws_hands_on_what_went_wrong_and_ends_with_a_last_thing():
    drawn, thread = [], Draughtsman("test")

    def fails():
        raise ValueError("no canvas")

    with pytest.raises(ValueError, match="no canvas"):
        thread.do(fails).result(10.0)
    assert thread.do(lambda: 7).result(10.0) == 7
    ended = Event()
    thread.end(lambda: (drawn.append("last"), ended.set()))
    assert ended.wait(10.0)
    assert drawn == ["last"]


def test_the_first_picture_has_the_time_that_its_context_takes(
        camera: EmbeddedCamera, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hicrisp_sim.depth_camera._LIMIT", 0.0)
    taken(camera)
    with pytest.raises(RenderError, match="more than 0 s"):
        camera.take()
