"""What falls out of a hand is let go by its track, though the fingers or the picture alone do not say so."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from drawn import at, bowl, box, draw, scene_of
from hicrisp_core.model.shapes import SHAPES, Handling
from hicrisp_core.model.track import Visibility
from hicrisp_perception.tracking import boxes
from hicrisp_perception.tracking.grip import Grips
from test_grip import BOX, frames, hand

from hicrisp_perception import SceneTracker

DISH, STANDS = bowl("a", "red"), at(0.5, 0.1, 0.0275)
RIM = 0.072
"""Metres from a bowl's middle to its rim, which fingers close around."""


@pytest.mark.parametrize("closing", [(0.004,), (0.045, 0.04, 0.034, 0.028, 0.022, 0.016, 0.01, 0.004)])
def test_fingers_that_were_seen_open_around_an_undescribed_object_lose_it_once_they_close(closing):
    grips, there = Grips(), {"unknown_1": (BOX, at(0.45, 0.0, 0.025))}
    for opening in (0.06, 0.05):
        grips.follow({"panda": hand(0.45, 0.0, 0.03, opening)}, {}, there)
    assert grips.held
    for opening in closing:
        grips.follow({"panda": hand(0.45, 0.0, 0.2, opening)}, {}, {})
    assert not grips.held


def test_how_thick_a_wall_is_shows_once_it_is_carried():
    dish = replace(DISH, own_form=replace(SHAPES["bowl"], handling=Handling.RIM))
    grips = Grips()
    near = hand(0.5, 0.1 + RIM, 0.05, 0.016)
    for held in (near, near):
        grips.follow({"panda": held}, {}, {"unknown_1": (dish, STANDS)})
    for opening in (0.0155, 0.012):
        grips.follow({"panda": hand(0.5, 0.1 + RIM, 0.05, opening)}, {}, {})
    for height in (0.05, 0.2):
        grips.follow({"panda": hand(0.5, 0.1 + RIM, height, 0.012)}, {}, {})
    assert grips.held, "they closed on it in the end"
    grips.follow({"panda": hand(0.5, 0.1 + RIM, 0.2, 0.005)}, {}, {})
    assert not grips.held


@pytest.mark.parametrize(("before", "taken"), [((0.4, -0.2, 0.5, 0.08), True), ((0.5, 0.1 + RIM, 0.05, 0.08), True),
                                               ((0.4, -0.2, 0.5, 0.036), False)],
                         ids=["unseen", "there", "on its way"])
def test_fingers_that_stop_around_more_than_an_undescribed_wall_hold_it(before, taken):
    dish = replace(DISH, own_form=replace(SHAPES["bowl"], handling=Handling.RIM))
    grips, closed = Grips(), {"panda": hand(0.5, 0.1 + RIM, 0.05, 0.034)}
    for hands in ({"panda": hand(*before)}, closed, closed):
        grips.follow(hands, {}, {"unknown_1": (dish, STANDS)})
    assert bool(grips.held) is taken
    for hands in ({"panda": hand(*before)}, closed, closed):
        grips.follow(hands, {"bowl": (dish, STANDS)})
    assert "bowl" not in grips.held, "how thick a described wall is, is known"


def test_fully_open_fingers_that_close_a_little_hold_what_is_wider_than_was_seen():
    lemon, grips = box("a", size=(0.05, 0.058, 0.05)), Grips(0.08)
    for opening in (0.08, 0.08, 0.078, 0.078):
        grips.follow({"panda": hand(0.45, 0.0, 0.03, opening)}, {}, {"unknown_1": (lemon, at(0.45, 0.0, 0.025))})
        assert bool(grips.held) is (opening < 0.08)
    grips.follow({"panda": hand(0.45, 0.0, 0.03, 0.0799)}, {}, {})
    assert not grips.held, "they cannot open further"


def test_fingers_that_close_where_an_undescribed_object_fell_out_of_them_hold_nothing():
    grips, there = Grips(), {"unknown_1": (BOX, at(0.45, 0.0, 0.025))}
    for opening in (0.05, 0.062, 0.004):
        grips.follow({"panda": hand(0.45, 0.0, 0.03, opening)}, {}, there)
    assert not grips.held


def looked(*scenes):
    """The track of one undescribed bowl after its pictures: of each what shows (None: no picture), and the hand."""
    sight, tracks = SceneTracker(scene_of()), ()
    for number, (things, held) in enumerate(scenes):
        if things is None:
            sight.follow(frames(held), 0.1 * number)
            continue
        tracks = sight.look(draw(things, seed=number, stamp=0.1 * number), frames(held))
    (track,) = [each for each in tracks if each.name == "unknown_1"]
    return track


AWAY, AT_RIM = hand(0.4, -0.2, 0.5, 0.08), hand(0.5, 0.1 + RIM, 0.05, 0.006)
CARRIES, ABOVE = hand(0.45, -0.1 + RIM, 0.3, 0.006), at(0.45, -0.1, 0.2775)
TAKEN = [([(DISH, STANDS)], AWAY)] * 4 + [(None, AT_RIM)]


def test_what_was_seen_in_the_hand_is_not_held_once_its_place_is_open_to_view():
    carried = [*TAKEN, ([(DISH, ABOVE)], CARRIES)]
    assert looked(*carried).visibility is Visibility.HELD
    assert looked(*carried, ([], CARRIES)).visibility is Visibility.GONE
    lies = at(0.55, 0.2, 0.0275)
    fell = looked(*carried, ([(DISH, lies)], CARRIES))
    assert fell.visibility is Visibility.VISIBLE
    assert math.dist(fell.pose.position, lies.position) < 0.02


def test_what_a_hand_takes_half_out_of_the_picture_is_held():
    edge = at(0.85, -0.1, 0.2775)
    away = hand(edge.position[0], -0.1 + RIM, 0.3, 0.006)
    carried = [*TAKEN, ([(DISH, ABOVE)], CARRIES)]
    assert looked(*carried, ([], away), ([], away)).visibility is Visibility.HELD


def test_what_never_showed_in_the_hand_is_held_until_its_like_is_seen_elsewhere():
    unseen = [*TAKEN, *[([], CARRIES)] * 3]
    assert looked(*unseen).visibility is Visibility.HELD
    assert looked(*unseen, ([(box("b", "blue"), at(0.55, 0.2, 0.025))], CARRIES)).visibility is Visibility.HELD
    piece = box("b", "red", (0.05, 0.05, 0.06))
    assert looked(*unseen, ([(piece, at(0.45, -0.16, 0.03))], CARRIES)).visibility is Visibility.HELD
    assert looked(*unseen, ([(DISH, at(0.55, 0.2, 0.0275))], CARRIES)).visibility is Visibility.VISIBLE


def test_what_was_seen_between_the_fingers_may_turn_there_once_it_is_lifted():
    assert looked(*TAKEN, ([(DISH, STANDS)], AT_RIM), ([], CARRIES)).visibility is Visibility.HELD


@pytest.mark.parametrize(("opening", "held"), [(0.05, True), (0.01, False)])
def test_what_keeps_the_fingers_far_apart_did_not_fall_out_of_them(opening, held):
    thing, carries = box("a"), hand(0.5, 0.1, 0.3, 0.05)
    taken = [([(thing, at(0.45, 0.0, 0.025))], AWAY)] * 4 + [(None, hand(0.45, 0.0, 0.03, 0.05))]
    carried = [*taken, ([(thing, at(0.5, 0.1, 0.295))], carries)]
    track = looked(*carried, *[([], hand(0.5, 0.1, 0.3, opening))] * 3)
    assert (track.visibility is Visibility.HELD) is held


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_what_turned_between_the_fingers_is_seen_turned_there(turn):
    bar, end = box("a", size=(0.03, 0.17, 0.04)), 0.06
    closed, lifted = hand(0.45, 0.0, 0.02, 0.03), hand(0.45, 0.0, 0.25, 0.03)
    hands = [replace(each, left=(0.45 + 0.015, 0.0, 0.0), right=(0.45 - 0.015, 0.0, 0.0)) for each in (closed, lifted)]
    hangs = at(0.45 - end * math.sin(turn), end * math.cos(turn), 0.25, turn)
    taken = [([(bar, at(0.45, end, 0.02))], AWAY)] * 4 + [(None, hands[0])]
    track = looked(*taken, *[([(bar, hangs)], hands[1])] * 3)
    assert track.visibility is Visibility.HELD
    assert math.dist(track.pose.position, hangs.position) < 0.012
    assert math.remainder(track.pose.yaw - turn, math.pi / 2.0) == pytest.approx(0.0, abs=0.1)


def test_what_hangs_lower_at_a_hand_than_was_thought_is_held():
    low, hangs = hand(0.45, -0.1 + RIM, 0.09, 0.006), at(0.45, -0.1, 0.032)
    assert looked(*TAKEN, *[([], CARRIES)] * 3, ([(DISH, hangs)], low)).visibility is Visibility.HELD


@pytest.mark.parametrize(("sides", "borne"), [
    ((slice(10, 50), slice(50, 70)), False), ((slice(5, 65), slice(5, 65)), True)],
                         ids=["beside it", "around it"])
def test_what_stands_beside_an_object_is_not_borne_by_it(sides, borne):
    depth, things = np.ones((70, 70), np.float32), np.zeros((70, 70), bool)
    window = slice(20, 50), slice(20, 50)
    things[window] = things[sides] = True
    depth[things] = 0.9
    assert boxes._borne(SimpleNamespace(things=things, depth=depth), window, np.ones((30, 30), bool)) is borne
