"""What a camera makes of objects that nobody described: their shapes, and which piece belongs to which."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from drawn import at, bowl, box, cylinder, draw, scene_of
from hicrisp_core.model import Pose, WorldObject
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.model.shapes import SHAPES, Handling, Solid, measured, rectangle
from hicrisp_core.model.track import DOUBT, Visibility
from hicrisp_perception.shapes.evidence import Evidence
from hicrisp_perception.tracking import unknown_objects

from hicrisp_perception import SceneTracker

HIGH = 0.09


def seen(*pictures):
    """The tracks after pictures of things at places, a tenth of a second apart, each looked at four times."""
    sight, tracks = SceneTracker(scene_of()), ()
    for number, things in enumerate(pictures):
        for turn in range(4):
            stamp = number + 0.1 * turn
            tracks = sight.look(draw(things, seed=4 * number + turn, stamp=stamp), {})
    return {track.name: track for track in tracks}


def pan():
    """A tray of walls with a handle that is narrower than a hand."""
    walls = [Solid("box", (0.12, 0.006, 0.05), Pose((-0.05, side * 0.057, 0.0))) for side in (-1.0, 1.0)]
    walls += [Solid("box", (0.006, 0.12, 0.05), Pose((-0.05 + side * 0.057, 0.0, 0.0))) for side in (-1.0, 1.0)]
    floor = Solid("box", (0.12, 0.12, 0.006), Pose((-0.05, 0.0, -0.022)))
    handle = Solid("box", (0.1, 0.025, 0.02), Pose((0.06, 0.0, 0.015)))
    form = replace(SHAPES["box"], solids=measured((*walls, floor, handle)), outline=rectangle, handling=Handling.NONE)
    return WorldObject("pan", "box", "box", (0.22, 0.12, 0.05), {"colour": "red"}, own_form=form)


def test_a_box_is_as_large_as_it_is():
    size = (0.06, 0.08, HIGH)
    track = seen([(box("a", size=size), at(0.5, -0.2, HIGH / 2.0, 0.4))])["unknown_1"]
    assert sorted(track.unknown.size) == pytest.approx(sorted(size), abs=0.006)
    assert math.dist(track.pose.position, (0.5, -0.2, HIGH / 2.0)) < 0.006


def test_what_is_round_is_measured_with_the_side_that_it_hides():
    track = seen([(cylinder("a", size=(0.07, 0.07, 0.12)), at(0.45, 0.2, 0.06))])["unknown_1"]
    assert track.unknown.form.rod
    assert track.unknown.size[0] == pytest.approx(0.07, abs=0.008)
    assert math.dist(track.pose.position, (0.45, 0.2, 0.06)) < 0.006


def test_a_bowl_is_hollow_and_taken_by_its_rim():
    track = seen([(bowl("a", "red"), at(0.5, 0.1, 0.0275))])["unknown_1"]
    assert track.unknown.form.hollow
    assert track.unknown.form.rim
    assert track.unknown.size[0] == pytest.approx(0.15, abs=0.012)


def test_a_pan_is_taken_by_its_handle_or_its_walls():
    track = seen([(pan(), at(0.5, -0.1, 0.025, 0.3))])["unknown_1"]
    assert len(track.unknown.form.walls) > 4
    assert all(grip.width < 0.05 for grip in track.unknown.form.walls)


def test_what_stands_behind_a_higher_object_is_one_of_its_own():
    tracks = seen([(box("a", size=(0.06, 0.15, 0.2)), at(0.57, 0.0, 0.1)),
                   (box("b", "blue", (0.08, 0.08, 0.08)), at(0.4, 0.0, 0.04))])
    assert set(tracks) == {"unknown_1", "unknown_2"}
    assert min(math.dist(track.pose.position[:2], (0.57, 0.0)) for track in tracks.values()) < 0.01
    behind = min(tracks.values(), key=lambda track: track.pose.position[0])
    assert behind.pose.position[2] - behind.unknown.size[2] / 2.0 == pytest.approx(0.0, abs=0.005)


def test_an_object_that_was_put_into_an_undescribed_bowl_is_seen_there():
    lime, dish = box("lime", "green", (0.04, 0.04, 0.04)), (bowl("a", "red"), at(0.5, 0.1, 0.0275))
    tracks = seen([(lime, at(0.45, -0.2, 0.02)), dish], [(lime, at(0.5, 0.1, 0.027)), dish])
    there = [track for track in tracks.values() if track.visibility is Visibility.VISIBLE]
    inside, around = sorted(there, key=lambda track: track.unknown.size[0])
    assert math.dist(inside.pose.position[:2], (0.5, 0.1)) < 0.015
    assert around.unknown.form.hollow


def test_an_object_keeps_its_name_where_somebody_puts_it():
    tall, small = box("a", size=(0.05, 0.05, 0.12)), box("b", "blue", (0.05, 0.05, 0.05))
    before = seen([(tall, at(0.4, 0.2, 0.06)), (small, at(0.5, -0.2, 0.025))])
    after = seen([(tall, at(0.4, 0.2, 0.06)), (small, at(0.5, -0.2, 0.025))], [],
                 [(tall, at(0.55, -0.1, 0.06)), (small, at(0.4, 0.1, 0.025))])
    assert set(after) == set(before)
    for name, track in after.items():
        assert track.visibility is Visibility.VISIBLE
        assert track.unknown.size[2] == pytest.approx(before[name].unknown.size[2], abs=0.01)


def test_what_was_pushed_and_is_half_hidden_now_is_where_the_rest_of_it_shows():
    cube, wall = box("a", "blue", (0.08, 0.08, 0.08)), box("b", size=(0.06, 0.15, 0.2))
    pushed = at(0.48, -0.025, 0.04)
    tracks = seen([(cube, at(0.48, 0.0, 0.04)), (wall, at(0.57, -0.3, 0.1))],
                  [(cube, pushed), (wall, at(0.57, -0.03, 0.1))])
    assert set(tracks) == {"unknown_1", "unknown_2"}
    again = min(tracks.values(), key=lambda track: math.dist(track.pose.position, pushed.position))
    assert again.visibility is Visibility.VISIBLE
    assert math.dist(again.pose.position, pushed.position) < 0.008


@pytest.mark.parametrize("beyond", [(28, 16), (65, 45)], ids=["hidden there", "hardly better"])
def test_what_shows_no_more_of_an_object_is_no_place_for_it(monkeypatch, beyond):
    sight = SceneTracker(scene_of())
    sight.look(draw([(box("a"), at(0.5, 0.0, 0.025))]), {})
    (known,) = sight._unknown._named.values()
    monkeypatch.setattr(unknown_objects, "evidence_at", lambda item, pose, *_: Evidence(
        *((60, 700, 50) if pose == known.pose else (beyond[0], 700, beyond[1])), 0.0, 900))
    assert unknown_objects._best_place(known, None, None) == known.pose


def test_a_bowl_of_which_only_the_far_edge_shows_stands_where_it_was():
    dish, spot = bowl("a", "red"), at(0.5, 0.1, 0.0275)
    before = seen([(dish, spot)])["unknown_1"]
    after = seen([(dish, spot)], [(dish, spot), (box("b", "blue", (0.03, 0.16, 0.2)), at(0.58, 0.1, 0.1))])["unknown_1"]
    assert math.dist(after.pose.position, before.pose.position) < 0.006


@pytest.mark.parametrize(("whole", "moves"), [(3400, False), (1000, True)])
def test_what_is_hidden_but_for_its_edge_is_not_moved_to_explain_that(monkeypatch, whole, moves):
    sight = SceneTracker(scene_of())
    sight.look(draw([(box("a"), at(0.5, 0.0, 0.025))]), {})
    (known,) = sight._unknown._named.values()
    monkeypatch.setattr(unknown_objects, "evidence_at", lambda item, pose, *_: Evidence(
        60 if pose == known.pose else 110, whole - 120, 50 if pose == known.pose else 10, 0.0, whole))
    assert (unknown_objects._best_place(known, None, None) != known.pose) == moves


@pytest.mark.parametrize(("up", "stands"), [(0.008, True), (0.05, False)])
def test_what_is_let_go_a_little_above_the_table_stands_on_it(up, stands):
    sight = SceneTracker(scene_of())
    (track,) = sight.look(draw([(box("a"), at(0.5, 0.0, 0.025))]), {})
    sight._unknown.put(track.name, track.pose.shifted((0.0, 0.1, up)), 0.1, Visibility.HIDDEN)
    (shape, pose), = sight._unknown.shapes.values()
    assert (abs(pose.position[2] - shape.size[2] / 2.0) < 0.001) == stands


@pytest.mark.parametrize(("share", "kept"), [(0.5, True), (0.9, False)])
def test_what_was_moved_and_seems_flatter_now_is_seen_in_part(share, kept):
    sight = SceneTracker(scene_of())
    sight.look(draw([(box("a"), at(0.5, 0.0, 0.025))]), {})
    (known,) = sight._unknown._named.values()
    now = replace(known, pose=known.pose.shifted((0.02, 0.0, 0.0)), size=(*known.size[:2], share * known.size[2]))
    shown = replace(now, size=(0.9 * now.size[0], 0.9 * now.size[1], now.size[2]))
    assert (unknown_objects._joined(known, shown).size == known.size) == kept


def driver(colour):
    """A handle with a rod, as thick as a pencil, of the same colour."""
    handle = Solid("box", (0.09, 0.03, 0.03), Pose((-0.06, 0.0, 0.0)))
    rod = Solid("box", (0.12, 0.008, 0.008), Pose((0.045, 0.0, 0.0)))
    form = replace(SHAPES["box"], solids=measured((handle, rod)), outline=rectangle, handling=Handling.NONE)
    return WorldObject("driver", "box", "box", (0.21, 0.03, 0.03), {"colour": colour}, own_form=form)


@pytest.mark.parametrize("turn", [0.0, 0.5, 1.3, 2.4])
def test_what_is_thin_is_seen_to_its_end_though_depth_and_colour_have_gaps(turn):
    thing, pose = driver("red"), at(0.45, 0.0, 0.015, turn)
    sight, tracks = SceneTracker(scene_of()), ()
    for number in range(4):
        picture = draw([(thing, pose)], seed=number, stamp=0.1 * number)
        dice = np.random.default_rng(number)
        thin = (picture.depth < draw([]).depth - 0.006) & (dice.random((picture.depth.shape[0], 1)) < 0.15)
        picture.depth[thin] = 0.0
        middle = np.abs(np.arange(picture.depth.shape[1]) - 0.5 * picture.depth.shape[1]) < 4.0
        picture.colour[:, middle] = (204, 178, 143)
        tracks = sight.look(picture, {})
    (track,) = tracks
    assert max(track.unknown.size) == pytest.approx(0.21, abs=0.02)
    assert math.dist(track.pose.position[:2], (0.45, 0.0)) < 0.012


@pytest.mark.parametrize("colour", ["red", "blue"])
def test_one_box_behind_another_is_no_hollow_object(colour):
    tracks = seen([(box("a", "red", (0.06, 0.06, 0.06)), at(0.54, 0.0, 0.03)),
                   (box("b", colour, (0.06, 0.06, 0.06)), at(0.455, 0.0, 0.03))])
    assert len(tracks) == 2


def mug():
    """A round wall with a handle as thick as a finger."""
    wall = [Solid("box", (0.005, 0.02, 0.08), Pose((0.035 * math.cos(yaw), 0.035 * math.sin(yaw), 0.0), from_yaw(yaw)))
            for yaw in np.arange(12) * math.tau / 12]
    floor, bar = (Solid("box", size, Pose(place)) for size, place in (((0.06, 0.06, 0.006), (0.0, 0.0, -0.037)),
                                                                      ((0.03, 0.012, 0.05), (0.05, 0.0, 0.0))))
    form = replace(SHAPES["box"], solids=measured((*wall, floor, bar)), outline=rectangle, handling=Handling.NONE)
    return WorldObject("mug", "box", "box", (0.13, 0.075, 0.08), {"colour": "red"}, own_form=form)


@pytest.mark.parametrize(("size", "place"), [
    ((0.08, 0.06, 0.06), at(0.5, -0.075, 0.03, math.pi / 4.0)), ((0.06, 0.06, 0.12), at(0.5, -0.061, 0.06)),
    ((0.09, 0.09, 0.02), at(0.5, -0.076, 0.01))], ids=["corner", "higher", "lower"])
def test_objects_that_touch_are_told_apart_by_a_waist_or_a_step(size, place):
    tracks = seen([(box("a", "red", (0.06, 0.06, 0.06)), at(0.5, 0.0, 0.03)), (box("b", "red", size), place)])
    assert len(tracks) == 2
    for wide, middle in ((size, place.position), ((0.06, 0.06, 0.06), (0.5, 0.0, 0.03))):
        own = min(tracks.values(), key=lambda track: math.dist(track.pose.position, middle))
        assert math.dist(own.pose.position, middle) < 0.012
        assert own.unknown.size[2] == pytest.approx(wide[2], abs=0.01)


def test_what_is_wide_at_both_ends_of_a_shaft_may_be_two():
    tool, cube = (driver("red"), at(0.47, 0.0, 0.015, math.pi / 2.0)), (box("b", "red", (0.06, 0.06, 0.06)), at(
        0.47, 0.133, 0.03))
    (track,) = seen([tool, cube]).values()
    assert DOUBT in track.unknown.attributes
    assert not any(each.unknown.attributes for each in seen([tool]).values())


@pytest.mark.parametrize("turn", [0.0, 1.1, 2.3, 3.9])
@pytest.mark.parametrize("thing", [mug(), pan()], ids=["mug", "pan"])
def test_what_sticks_out_of_an_object_is_a_part_of_it(thing, turn):
    assert len(seen([(thing, at(0.48, 0.0, thing.size[2] / 2.0, turn))])) == 1


@pytest.mark.parametrize("colour", ["red", "blue"])
def test_objects_of_one_height_that_touch_along_a_side_are_one_box_around_both(colour):
    (track,) = seen([(box("a", "red", (0.06, 0.06, 0.06)), at(0.5, 0.03, 0.03)),
                     (box("b", colour, (0.06, 0.06, 0.06)), at(0.5, -0.03, 0.03))]).values()
    assert sorted(track.unknown.size) == pytest.approx([0.06, 0.06, 0.12], abs=0.006)


def test_the_ground_that_shows_through_a_handle_is_no_part_of_what_has_it():
    parts = [Solid("box", (0.02, 0.03, 0.14), Pose((0.0, side * 0.035, 0.0))) for side in (-1.0, 1.0)]
    form = replace(SHAPES["box"], solids=measured((*parts, Solid("box", (0.02, 0.1, 0.04), Pose((0.0, 0.0, 0.05))))),
                   outline=rectangle)
    arch = WorldObject("arch", "box", "box", (0.02, 0.1, 0.14), {"colour": "red"}, own_form=form)
    sheet = box("sheet", "red", size=(0.4, 0.05, 0.004))
    track = seen([(arch, at(0.5, 0.0, 0.07)), (sheet, at(0.3, 0.0, 0.002))])["unknown_1"]
    assert min(track.unknown.size) < 0.03
