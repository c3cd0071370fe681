"""A picture of a stream is searched by so many steps, and the next one goes on with what is left."""

from __future__ import annotations

import math

import pytest
from drawn import at, box, cylinder, draw, scene_of
from hicrisp_core.model.track import Visibility
from hicrisp_perception.shapes import searching

from hicrisp_perception import SceneTracker

COLOURS = ("red", "green", "yellow", "blue", "purple", "orange")
THINGS = [box(f"{colour}_box", colour, (0.04, 0.055, 0.05)) for colour in COLOURS]
PLACES = [at(0.38 + 0.12 * (number % 2), -0.25 + 0.12 * (number // 2), 0.025) for number in range(6)]
ELSEWHERE = [at(0.60, -0.30 + 0.12 * number, 0.025, 0.4) for number in range(6)]
RATE = 6.0


@pytest.fixture
def steps(monkeypatch):
    """Grows with each shape that a search lays in."""
    laid = []
    settle = searching.settle
    monkeypatch.setattr(searching, "settle", lambda *told: laid.append(told) or settle(*told))
    return laid


def look(sight, number, *placed):
    picture = draw(list(placed), number, stamp=number / RATE)
    return {track.name: track for track in sight.look(picture, {})}


def test_when_all_things_are_elsewhere_at_once_each_picture_finds_some_and_takes_none_for_a_stranger(steps):
    sight = SceneTracker(scene_of(*THINGS))
    for number in range(2):
        look(sight, number, *zip(THINGS, PLACES))
    most, tracks = 0, {}
    for number in range(2, 10):
        steps.clear()
        tracks = look(sight, number, *zip(THINGS, ELSEWHERE))
        most = max(most, len(steps))
        assert set(tracks) == {thing.name for thing in THINGS}
    assert most <= 10
    for thing, pose in zip(THINGS, ELSEWHERE):
        assert tracks[thing.name].visibility is Visibility.VISIBLE
        assert math.dist(tracks[thing.name].pose.position, pose.position) < 0.003


def test_the_first_picture_is_searched_to_the_end():
    tracks = look(SceneTracker(scene_of(*THINGS)), 0, *zip(THINGS, PLACES))
    assert {name for name, track in tracks.items() if track.visibility is Visibility.VISIBLE} == set(tracks)
    assert len(tracks) == len(THINGS)


def test_what_is_searched_in_vain_is_not_searched_again_while_it_looks_the_same(steps):
    red, can, strange = THINGS[0], cylinder("can", "blue"), box("strange", "red", (0.16, 0.03, 0.10))
    sight = SceneTracker(scene_of(red, can))
    look(sight, 0, (red, PLACES[0]), (can, PLACES[3]))
    # Something red that is not the box stands there, and the box is gone.
    others = ((can, PLACES[3]), (strange, at(0.55, 0.1, 0.05)))
    for number in range(1, 12):
        tracks = look(sight, number, *others)
    assert tracks["red_box"].visibility is not Visibility.VISIBLE
    steps.clear()
    for number in range(12, 18):
        look(sight, number, *others)
    assert not steps
