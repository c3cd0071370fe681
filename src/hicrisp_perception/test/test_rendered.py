"""The embedded camera's own pictures, with its noise, holes and the arm."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Pose
from hicrisp_core.model.track import Visibility
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.tags import tags_of

from hicrisp_perception import SceneTracker, TrackerSettings

pytest.importorskip("mujoco")

from hicrisp_sim.embedded import EmbeddedWorld  # noqa: E402 - only where MuJoCo is
from hicrisp_sim.tracker import Tracker  # noqa: E402


@pytest.fixture(scope="module")
def worn():
    """A picture of a cluttered table whose things wear tags, with the truth."""
    world = EmbeddedWorld(replace(load_scene("clutter", 3), tags=True), 3)
    return world.scene, world.camera.take(), world.robot_frames(), world.true_frames()


def worst(tracks, truth):
    return max(math.dist(track.pose.position, truth[track.name][0].position) for track in tracks)


def test_a_cluttered_table_without_tags_is_seen_within_two_millimetres():
    world = EmbeddedWorld("clutter", 3)
    tracks = SceneTracker(world.scene).look(world.camera.take(), world.robot_frames())
    assert {track.name for track in tracks} == {thing.name for thing in world.scene.things}
    assert all(track.visibility is Visibility.VISIBLE for track in tracks)
    assert worst(tracks, world.true_frames()) < 0.002


def test_things_that_no_file_gives_a_colour_are_seen_on_a_wooden_table():
    scene = load_scene("tabletop", 2)
    plain = {name: replace(thing, attributes={}) for name, thing in scene.objects.items()}
    world = EmbeddedWorld(replace(scene, objects=plain), 2)
    tracks = SceneTracker(world.scene).look(world.camera.take(), world.robot_frames())
    assert {track.name for track in tracks if track.visibility is Visibility.VISIBLE} == {"box", "cylinder"}
    assert worst(tracks, world.true_frames()) < 0.003


@pytest.mark.parametrize("shapes", [True, False])
def test_tags_alone_and_with_shapes_say_where_things_are(worn, shapes):
    scene, picture, robots, truth = worn
    sight = SceneTracker(scene, TrackerSettings(shapes=shapes))
    tracks = [track for track in sight.look(picture, robots) if track.unknown is None]
    assert {track.name for track in tracks} == {thing.name for thing in scene.things}
    assert worst(tracks, truth) < 0.003
    assert not sight.warnings


def test_a_tag_that_is_in_no_file_is_told(worn):
    scene, picture, robots, _ = worn
    known = [tag for tag in tags_of(scene) if tag.thing != "milk"]
    sight = SceneTracker(scene, tags=known)
    sight.look(picture, robots)
    assert any("in no file" in warning for warning in sight.warnings)


def test_the_same_tag_at_two_places_is_told(worn):
    scene, picture, robots, _ = worn
    sight = SceneTracker(scene, TrackerSettings(shapes=False))
    colour = picture.colour.copy()
    rows, columns = np.s_[80:230], np.s_[440:520]
    colour[300:450, 60:140] = picture.colour[rows, columns]
    sight.look(replace(picture, colour=colour), robots)
    assert any("milk" in warning and "two places" in warning for warning in sight.warnings)


def test_things_that_are_too_small_to_see_are_named():
    scene = load_scene("tabletop", 0)
    pin = replace(scene.objects["box"], name="pin", size=(0.004, 0.05, 0.05))
    with pytest.raises(ConfigError, match="pin"):
        SceneTracker(replace(scene, objects={**scene.objects, "pin": pin}))


HERE, BESIDE, ASIDE, FAR = (0.42, -0.05), (0.42, 0.10), (0.60, 0.36), (-3.0, 3.0)


@pytest.fixture(scope="module")
def cutlery():
    """A fork and a knife that look alike, and a mug that may stand before them."""
    breakfast = load_scene("breakfast", 1)
    objects = {name: replace(breakfast.objects[name], pose=Pose((*place, 0.05)))
               for name, place in (("fork", BESIDE), ("knife", HERE), ("mug", ASIDE))}
    world = EmbeddedWorld(replace(breakfast, objects={"table": breakfast.table, **objects},
                                  masses={name: 0.1 for name in objects}), 1)
    yield world
    world.close()


def shown(world, stamp, arm=(), **places):
    """A picture of the world with its arm and its things elsewhere, upright or as seven numbers say, and the arm's
    frames then.
    """
    snapshot = world.simulation.snapshot
    positions = np.array(snapshot.positions)
    positions[:len(arm)] = arm
    for name, place in places.items():
        start = snapshot.model.joint(name).qposadr[0]
        height = world.scene.objects[name].size[2] / 2.0
        positions[start:start + 7] = place if len(place) == 7 else (*place, height, 1.0, 0.0, 0.0, 0.0)
    moment = replace(snapshot, positions=positions, time=stamp)
    robots = Tracker(world.description.links()).read(moment)[0]
    return world.camera.take(moment), {name: (pose, stamp) for name, pose in robots.items()}


@pytest.mark.parametrize("before_it", [(0.50, -0.02), (0.48, -0.05), (0.47, -0.10), (0.47, 0.0)])
def test_what_looks_like_another_takes_neither_its_name_nor_its_place(cutlery, before_it):
    sight = SceneTracker(cutlery.scene)
    for stamp, fork, mug in ((1.0, BESIDE, ASIDE), (6.0, FAR, ASIDE), (11.0, FAR, before_it), (16.0, BESIDE, ASIDE)):
        tracks = {track.name: track for track in sight.look(*shown(cutlery, stamp, fork=fork, knife=HERE, mug=mug))}
        assert tracks["knife"].visibility is not Visibility.GONE
        assert math.dist(tracks["knife"].pose.position[:2], HERE) < 0.01
        assert (tracks["fork"].visibility is Visibility.GONE) == (fork is FAR)
        assert not any(track.unknown for track in tracks.values())
    assert math.dist(tracks["fork"].pose.position[:2], BESIDE) < 0.01


def test_a_plate_over_which_a_hand_carries_a_fork_stays_where_it_is():
    world = EmbeddedWorld("breakfast", 5)
    sight, truth = SceneTracker(world.scene), world.true_frames()["plate"][0]
    sight.look(*shown(world, 1.0))
    for stamp, arm, fork in (
        (1.2, (-0.2341, 0.2201, 0.1123, -2.3889, -0.041, 2.5996, 0.8049, 0.0099, 0.0099),
         (0.4984, -0.0586, 0.117, 0.7445, 0.004, 0.0013, 0.6676)),
        (1.4, (-0.2125, 0.2167, 0.1641, -2.3965, -0.0616, 2.6018, 0.5856, 0.0099, 0.0099),
         (0.4992, -0.0207, 0.117, 0.6327, 0.0041, 0.0009, 0.7744)),
    ):
        tracks = {track.name: track for track in sight.look(*shown(world, stamp, arm, fork=fork))}
        assert tracks["fork"].visibility is Visibility.HELD
        assert math.dist(tracks["plate"].pose.position, truth.position) < 0.005
        assert not any(track.unknown for track in tracks.values())
    world.close()
