"""The embedded camera's own pictures, with its noise, holes and the arm."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hicrisp_core.errors import ConfigError
from hicrisp_core.model.track import Visibility
from hicrisp_core.scene import load_scene
from hicrisp_core.scene.tags import tags_of

from hicrisp_perception import SceneSight, SightSettings

pytest.importorskip("mujoco")

from hicrisp_sim.embedded import EmbeddedWorld  # noqa: E402 - only where MuJoCo is


@pytest.fixture(scope="module")
def worn():
    """A picture of a cluttered table whose things wear tags, with the truth."""
    world = EmbeddedWorld(replace(load_scene("clutter", 3), tags=True), 3)
    return world.scene, world.camera.take(), world.robot_frames(), world.true_frames()


def worst(tracks, truth):
    return max(math.dist(track.pose.position, truth[track.name][0].position) for track in tracks)


def test_a_cluttered_table_without_tags_is_seen_within_two_millimetres():
    world = EmbeddedWorld("clutter", 3)
    tracks = SceneSight(world.scene).look(world.camera.take(), world.robot_frames())
    assert {track.name for track in tracks} == {thing.name for thing in world.scene.things}
    assert all(track.visibility is Visibility.VISIBLE for track in tracks)
    assert worst(tracks, world.true_frames()) < 0.002


def test_things_that_no_file_gives_a_colour_are_seen_on_a_wooden_table():
    scene = load_scene("tabletop", 2)
    plain = {name: replace(thing, attributes={}) for name, thing in scene.objects.items()}
    world = EmbeddedWorld(replace(scene, objects=plain), 2)
    tracks = SceneSight(world.scene).look(world.camera.take(), world.robot_frames())
    assert {track.name for track in tracks if track.visibility is Visibility.VISIBLE} == {"box", "cylinder"}
    assert worst(tracks, world.true_frames()) < 0.003


@pytest.mark.parametrize("shapes", [True, False])
def test_tags_alone_and_with_shapes_say_where_things_are(worn, shapes):
    scene, picture, robots, truth = worn
    sight = SceneSight(scene, SightSettings(shapes=shapes))
    tracks = [track for track in sight.look(picture, robots) if track.unknown is None]
    assert {track.name for track in tracks} == {thing.name for thing in scene.things}
    assert worst(tracks, truth) < 0.003
    assert not sight.warnings


def test_a_tag_that_is_in_no_file_is_told(worn):
    scene, picture, robots, _ = worn
    known = [tag for tag in tags_of(scene) if tag.thing != "milk"]
    sight = SceneSight(scene, tags=known)
    sight.look(picture, robots)
    assert any("in no file" in warning for warning in sight.warnings)


def test_the_same_tag_at_two_places_is_told(worn):
    scene, picture, robots, _ = worn
    sight = SceneSight(scene, SightSettings(shapes=False))
    colour = picture.colour.copy()
    rows, columns = np.s_[80:230], np.s_[440:520]
    colour[300:450, 60:140] = picture.colour[rows, columns]
    sight.look(replace(picture, colour=colour), robots)
    assert any("milk" in warning and "two places" in warning for warning in sight.warnings)


def test_things_that_are_too_small_to_see_are_named():
    scene = load_scene("tabletop", 0)
    pin = replace(scene.objects["box"], name="pin", size=(0.004, 0.05, 0.05))
    with pytest.raises(ConfigError, match="pin"):
        SceneSight(replace(scene, objects={**scene.objects, "pin": pin}))
