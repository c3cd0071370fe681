"""From picture to picture: hidden, gone, moved, unknown."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from drawn import at, box, cylinder, draw, ground_of, scene_of
from hicrisp_core.model.geometry import facing
from hicrisp_core.model.track import Uncertainty, Visibility
from hicrisp_perception.shapes.findings import Findings
from hicrisp_perception.tracking.tracks import Known, Tracks
from test_by_model import painted

from hicrisp_perception import SceneTracker

RED, CAN = box("red_box"), cylinder("can", "blue")
STRANGE = box("strange", "orange", (0.06, 0.09, 0.08))
HERE, THERE = at(0.40, 0.0, 0.025), at(0.45, 0.2, 0.045)


@pytest.fixture
def sight():
    return SceneTracker(scene_of(RED, CAN))


def look(sight, *placed, seed=0, stamp=0.0):
    return {track.name: track for track in sight.look(draw(placed, seed, stamp=stamp), {})}


def test_what_stands_still_is_known_better_with_every_picture(sight):
    first = look(sight, (RED, HERE))["red_box"]
    for seed in range(1, 6):
        last = look(sight, (RED, HERE), seed=seed)["red_box"]
    assert last.uncertainty.yaw < first.uncertainty.yaw
    assert math.dist(last.pose.position, HERE.position) < 0.002


def test_what_is_behind_something_is_hidden_and_stays_where_it_was(sight):
    look(sight, (RED, HERE), (CAN, THERE))
    wall = box("wall", "green", (0.02, 0.3, 0.3))
    track = look(sight, (RED, HERE), (CAN, THERE), (wall, at(0.47, -0.05, 0.15)), stamp=1.0)["red_box"]
    assert track.visibility is Visibility.HIDDEN
    assert math.dist(track.pose.position, HERE.position) < 0.003
    assert track.stamp == 0.0


def test_what_was_taken_away_is_gone_until_it_is_seen_again(sight):
    look(sight, (RED, HERE), (CAN, THERE))
    assert look(sight, (CAN, THERE))["red_box"].visibility is Visibility.GONE
    back = at(0.5, -0.2, 0.025)
    track = look(sight, (RED, back), (CAN, THERE))["red_box"]
    assert track.visibility is Visibility.VISIBLE
    assert math.dist(track.pose.position, back.position) < 0.003


def test_a_hand_that_moves_a_thing_moves_its_track(sight):
    look(sight, (RED, HERE), (CAN, THERE))
    moved = at(0.5, -0.1, 0.025, 0.3)
    assert math.dist(look(sight, (RED, moved), (CAN, THERE))["red_box"].pose.position, moved.position) < 0.003


def test_those_that_look_the_same_keep_their_names():
    one, other = box("red_1"), box("red_2")
    twins = SceneTracker(scene_of(one, other))
    first = look(twins, (one, at(0.4, -0.1, 0.025)), (other, at(0.4, 0.1, 0.025)))
    left = min(first, key=lambda name: first[name].pose.position[1])
    later = look(twins, (one, at(0.42, -0.06, 0.025)), (other, at(0.45, 0.12, 0.025)), seed=1)
    assert later[left].pose.position[1] < 0.0


def test_an_unknown_thing_has_a_box_around_it_and_keeps_its_name(sight):
    placed = at(0.5, -0.2, 0.04, 0.4)
    track = look(sight, (RED, HERE), (STRANGE, placed))["unknown_1"]
    assert track.unknown is not None
    assert math.dist(track.pose.position[:2], placed.position[:2]) < 0.012
    assert sorted(track.unknown.size) == pytest.approx([0.06, 0.08, 0.09], abs=0.02)
    again = look(sight, (RED, HERE), (STRANGE, at(0.51, -0.21, 0.04, 0.4)), seed=1)
    assert set(again) == {"red_box", "unknown_1"}
    assert look(sight, (RED, HERE), seed=2)["unknown_1"].visibility is Visibility.GONE
    back = look(sight, (RED, HERE), (STRANGE, at(0.4, 0.1, 0.04, 0.2)), seed=3)
    assert set(back) == {"red_box", "unknown_1"}
    assert back["unknown_1"].visibility is Visibility.VISIBLE


def test_what_was_gone_is_known_where_a_part_of_it_shows_near_its_place(sight):
    look(sight, (RED, HERE), (STRANGE, at(0.5, -0.2, 0.04, 0.4)))
    look(sight, (RED, HERE), seed=1)
    sunk = look(sight, (RED, HERE), (STRANGE, at(0.52, -0.21, 0.0, 0.4)), seed=2)
    assert set(sunk) == {"red_box", "unknown_1"}
    assert sunk["unknown_1"].visibility is Visibility.VISIBLE


def test_noise_makes_no_unknown_things(sight):
    for seed in range(4):
        assert set(look(sight, (RED, HERE), (CAN, THERE), seed=seed)) == {"red_box", "can"}


def test_a_world_that_began_again_forgets(sight):
    look(sight, (RED, HERE), (STRANGE, at(0.5, -0.2, 0.04)))
    sight.forget()
    assert look(sight) == {}


def test_what_nothing_speaks_against_is_hidden_and_what_a_hand_holds_is_where_its_fingers_are():
    tracks, empty = Tracks({"red_box": RED}), ground_of(draw([]))
    for there, visibility in ((set(), Visibility.GONE), ({"red_box"}, Visibility.HIDDEN)):
        tracks._known["red_box"] = Known(HERE, Uncertainty(0.1, 0.004, 0.05), 0.0, Visibility.VISIBLE)
        tracks.look(empty, Findings(np.zeros(empty.view.shape, bool), there=there), {}, 1.0)
        assert tracks.all[0].visibility is visibility
    tracks.put("red_box", HERE, 2.0, Visibility.HELD)
    assert tracks.all[0].uncertainty.position < 0.01


@pytest.mark.parametrize(("walled", "high", "hidden"), [
    (True, 0.0, True), (True, 0.01, True), (True, 0.03, False), (False, 0.0, False),
], ids=["behind a wall", "on a board behind a wall", "on a board that shows above the wall", "in view"])
def test_what_was_let_go_above_a_place_that_is_hidden_fell_there_and_is_not_gone(walled, high, hidden):
    """As into a basket: the camera looks over its wall to where the hand was, and not to its bottom."""
    tracks = Tracks({"red_box": RED})
    wall = (box("wall", "green", (0.02, 0.3, 0.14)), at(0.47, 0.0, 0.07))
    ground = ground_of(draw([wall] if walled else []))
    tracks.put("red_box", HERE.shifted((0.0, 0.0, 0.17)), 1.0, Visibility.HIDDEN)
    board = [(box("board", size=(0.1, 0.1, high)), at(*HERE.position[:2], high / 2.0))] if high else []
    tracks.look(ground, Findings(np.zeros(ground.view.shape, bool)), {}, 2.0, board)
    track = tracks.all[0]
    assert track.visibility is (Visibility.HIDDEN if hidden else Visibility.GONE)
    assert not hidden or track.pose.position == pytest.approx(HERE.shifted((0.0, 0.0, high)).position, abs=0.001)


def test_what_is_hidden_from_the_camera_is_seen_by_the_one_in_the_hand():
    bar, lies = box("bar", "blue", (0.24, 0.08, 0.04)), at(0.45, 0.0, 0.02, 0.3)
    sight = SceneTracker(replace(scene_of(bar), looks={"bar": painted()}))
    wall = (box("wall", "green", (0.02, 0.4, 0.3)), at(0.57, 0.0, 0.15))
    look(sight, (bar, lies))
    assert look(sight, (bar, lies), wall, stamp=1.0)["bar"].visibility is Visibility.HIDDEN
    for there, seen in (([], Visibility.HIDDEN), ([(bar, lies)], Visibility.VISIBLE)):
        look(sight, *there, wall, stamp=2.0)
        above = draw([*there, wall], camera=facing((0.42, 0.0, 0.45), (0.45, 0.0, 0.0)), stamp=3.0)
        track = {track.name: track for track in sight.look_closer(above, {})}["bar"]
        assert track.visibility is seen
        assert math.dist(track.pose.position, lies.position) < 0.004
        assert (track.stamp == 3.0) is bool(there)
