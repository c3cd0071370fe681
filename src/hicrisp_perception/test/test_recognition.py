"""Drawn pictures: which thing is where, also in towers, bowls and beside its like."""

from __future__ import annotations

import math
import random

import pytest
from drawn import at, bowl, box, cylinder, draw, scene_of
from hicrisp_core.model.track import Visibility

from hicrisp_perception import SceneTracker

RED, BLUE, CAN = box("red_box"), box("blue_box", "blue"), cylinder("can", "yellow")


def look(*placed, light=1.0, seed=0):
    """The tracks of things at poses, by name."""
    sight = SceneTracker(scene_of(*(thing for thing, _ in placed)))
    return {track.name: track for track in sight.look(draw(placed, seed, light), {})}


def off(track, pose):
    return math.dist(track.pose.position, pose.position)


@pytest.mark.parametrize("brighter", [1.0, 1.15, 1.3, 1.5])
def test_a_black_thing_is_one_thing_however_much_light_its_top_has(brighter):
    placed = [(box("black_box", "black"), at(0.35, -0.25, 0.025, 0.2)),
              (box("white_box", "white"), at(0.50, 0.20, 0.025, 0.4))]
    picture = draw(placed)
    dark = picture.colour.max(axis=2) < 60
    picture.colour[dark] = picture.colour[dark] * brighter
    tracks = SceneTracker(scene_of(*(thing for thing, _ in placed))).look(picture, {})
    assert {track.name for track in tracks} == {"black_box", "white_box"}


@pytest.mark.parametrize("light", [0.5, 1.0, 1.2])
def test_things_are_known_and_measured_in_any_light(light):
    placed = [(RED, at(0.45, -0.1, 0.025, 0.5)), (BLUE, at(0.5, 0.1, 0.025, 1.0)), (CAN, at(0.4, 0.2, 0.045)),
              (box("white_box", "white"), at(0.55, -0.2, 0.025)),
              (box("black_box", "black"), at(0.35, -0.25, 0.025, 0.2))]
    tracks = look(*placed, light=light)
    assert set(tracks) == {thing.name for thing, _ in placed}
    for thing, pose in placed:
        assert off(tracks[thing.name], pose) < 0.003
        if not thing.form.round:
            turn = math.degrees(tracks[thing.name].pose.yaw - pose.yaw) % 90.0
            assert min(turn, 90.0 - turn) < 2.0


def test_a_tower_stands_on_its_feet():
    green = box("green_box", "green")
    placed = [(RED, at(0.45, 0.0, 0.025)), (BLUE, at(0.452, 0.003, 0.075, 0.3)),
              (green, at(0.449, 0.001, 0.125, 0.1))]
    tracks = look(*placed)
    for thing, pose in placed:
        assert off(tracks[thing.name], pose) < 0.004
        assert abs(tracks[thing.name].pose.position[2] - pose.position[2]) < 0.001


@pytest.mark.parametrize("seed", [1, 2, 13, 25, 31, 32, 38])
def test_the_lower_blocks_of_a_tower_that_are_turned_anyhow_are_seen_where_they_are(seed):
    dice = random.Random(seed)
    x, y = dice.uniform(0.35, 0.6), dice.uniform(-0.3, 0.3)
    colours = dice.sample(["black", "white", "yellow", "brown", "green", "purple"], 3)
    placed = [(box(colour, colour, (0.045, 0.045, 0.045)), at(
        x + dice.uniform(-0.006, 0.006), y + dice.uniform(-0.006, 0.006), 0.0225 + 0.045 * level,
        dice.uniform(-1.5, 1.5))) for level, colour in enumerate(colours)]
    tracks = look(*placed, seed=seed)
    assert set(tracks) == set(colours)
    for thing, pose in placed:
        assert off(tracks[thing.name], pose) < 0.006


def test_what_hides_a_thing_from_where_a_hand_let_it_go_does_not_move_it():
    sight = SceneTracker(scene_of(RED, BLUE))
    below, above = (BLUE, at(0.45, 0.0, 0.025, 0.2)), (RED, at(0.452, 0.003, 0.075, 0.3))
    sight.look(draw([below]), {})
    sight._tracks.put("red_box", above[1], 0.0, Visibility.HIDDEN)
    cover = (box("unknown", "white", (0.01, 0.05, 0.06)), at(0.50, -0.005, 0.09))
    tracks = {track.name: track for track in sight.look(draw([below, above, cover], stamp=0.2), {})}
    assert off(tracks["red_box"], above[1]) < 0.008


def test_a_box_in_a_bowl_stands_on_its_floor():
    placed = [(bowl(), at(0.5, 0.1, 0.0275)), (RED, at(0.51, 0.09, 0.031, 0.4))]
    tracks = look(*placed)
    assert off(tracks["red_box"], placed[1][1]) < 0.004
    assert off(tracks["bowl"], placed[0][1]) < 0.004


def test_two_that_touch_and_look_the_same_are_both_there():
    one, other = box("red_1"), box("red_2")
    tracks = look((one, at(0.45, 0.0, 0.025)), (other, at(0.45, 0.051, 0.025)))
    found = sorted(track.pose.position[1] for track in tracks.values())
    assert found == pytest.approx([0.0, 0.051], abs=0.004)


def test_a_can_that_lies_is_known_to_lie():
    from hicrisp_core.model import Pose
    from hicrisp_core.model.geometry import from_euler

    lying = Pose((0.45, 0.1, 0.03), from_euler(0.0, math.pi / 2.0, 0.0))
    track = look((CAN, lying))["can"]
    assert track.pose.tilt == pytest.approx(math.pi / 2.0, abs=0.05)
    assert off(track, lying) < 0.005


def test_the_table_alone_shows_nothing():
    sight = SceneTracker(scene_of(RED, BLUE))
    assert sight.look(draw([]), {}) == ()


def test_what_hides_most_of_a_thing_makes_it_less_sure():
    alone = look((RED, at(0.40, 0.0, 0.025)))["red_box"]
    tall = box("tall", "green", (0.06, 0.06, 0.16))
    behind = look((RED, at(0.40, 0.03, 0.025)), (tall, at(0.50, 0.0, 0.08)))["red_box"]
    assert behind.visibility is Visibility.VISIBLE
    assert behind.uncertainty.position > alone.uncertainty.position
