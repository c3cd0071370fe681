"""What looks as it did is not measured again; what changed is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn import at, box, cylinder, draw, scene_of
from hicrisp_core.model.track import Visibility
from hicrisp_perception.tracking.change_detection import Steady
from hicrisp_perception.view import Rays, View

from hicrisp_perception import SceneTracker

THINGS = [box("red_box"), cylinder("can", "blue"), box("green_box", "green"), box("yellow_box", "yellow")]
PLACES = [at(0.40, -0.2, 0.025), at(0.45, 0.2, 0.045), at(0.55, 0.0, 0.025, 0.3), at(0.38, 0.0, 0.025)]
RATE = 6.0


@pytest.fixture
def sight():
    seen = SceneTracker(scene_of(*THINGS))
    for number in range(2):
        look(seen, number, PLACES)
    return seen


def look(sight, number, places, extra=()):
    picture = draw([*zip(THINGS, places), *extra], number, stamp=number / RATE)
    return {track.name: track for track in sight.look(picture, {})}


def test_a_thing_that_moves_by_two_millimetres_is_followed_at_once(sight):
    moved = at(0.402, -0.2, 0.025)
    track = look(sight, 2, [moved, *PLACES[1:]])["red_box"]
    # As little as that may still be averaged with where it seemed to be before.
    assert abs(track.pose.position[0] - 0.402) < 0.0016
    track = look(sight, 3, [at(0.42, -0.18, 0.025), *PLACES[1:]])["red_box"]
    assert math.dist(track.pose.position, (0.42, -0.18, 0.025)) < 0.002


def test_what_is_taken_away_is_gone_in_the_next_picture(sight):
    picture = draw([*zip(THINGS[1:], PLACES[1:])], 2, stamp=2 / RATE)
    tracks = {track.name: track for track in sight.look(picture, {})}
    assert tracks["red_box"].visibility is Visibility.GONE
    assert all(tracks[thing.name].visibility is Visibility.VISIBLE for thing in THINGS[1:])


def test_what_is_put_there_is_told_while_all_else_stands_still(sight):
    strange = box("strange", "orange", (0.06, 0.09, 0.08))
    tracks = look(sight, 2, PLACES, [(strange, at(0.5, -0.3, 0.04))])
    assert set(tracks) == {*(thing.name for thing in THINGS), "unknown_1"}


def test_what_stands_still_is_seen_in_every_picture(sight):
    for number in range(2, 8):
        tracks = look(sight, number, PLACES)
        assert all(track.stamp == number / RATE for track in tracks.values())
    assert all(math.dist(tracks[thing.name].pose.position, place.position) < 0.002
               for thing, place in zip(THINGS, PLACES))


def test_all_is_measured_anew_after_a_while_and_when_the_camera_moves():
    picture, names = draw([*zip(THINGS, PLACES)]), [thing.name for thing in THINGS]
    here = Rays(picture.lens, picture.camera)
    moved = Rays(picture.lens, picture.camera.shifted((0.01, 0.0, 0.0)))
    part = (slice(100, 140), slice(200, 240))
    steady = Steady()

    def unchanged(stamp, rays=here):
        view = View(stamp, picture.colour, picture.depth, rays)
        return set(steady.unchanged(view, np.zeros(view.shape, bool), names))

    assert not unchanged(1.0)
    steady.remember({name: (part, np.ones((40, 40), bool)) for name in names})
    assert 0 < len(unchanged(1.1)) < len(names)
    assert not unchanged(9.0)
    assert not unchanged(9.1, moved)


@pytest.mark.parametrize(("covered", "pushed", "kept"),
                         [(16, False, True), (16, True, False), (24, False, False)])
def test_what_a_robot_covers_by_less_than_half_is_measured_again_only_where_the_rest_changed(
    covered: int, pushed: bool, kept: bool
) -> None:
    picture = draw([*zip(THINGS, PLACES)])
    rays, part = Rays(picture.lens, picture.camera), (slice(100, 140), slice(200, 240))
    aside = (slice(300, 340), slice(200, 240))
    others = {"other": (aside, np.ones((40, 40), bool))}  # One is measured in turn.
    steady = Steady()
    steady.unchanged(View(1.0, picture.colour, picture.depth, rays), np.zeros(picture.depth.shape, bool), ())
    steady.remember({"thing": (part, np.ones((40, 40), bool)), **others})
    robot, colour = np.zeros(picture.depth.shape, bool), picture.colour.copy()
    robot[90:150, 200:200 + covered] = True
    colour[robot] = 255
    if pushed:
        colour[130:140, 230:240] = (0, 0, 250)
    found = steady.unchanged(View(1.1, colour, picture.depth, rays), robot, ("thing", *others))
    assert ("thing" in found) is kept
