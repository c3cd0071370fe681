"""Hands take and let go; the robot's own body is no thing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drawn import CAMERA, LENS, at, box, draw, scene_of
from hicrisp_core.model import Pose
from hicrisp_core.model.track import Visibility
from hicrisp_core.robot.description import Capsule
from hicrisp_perception.tracking.grip import Grips, ObservedHand
from hicrisp_perception.tracking.robot_body import robot_pixels
from hicrisp_perception.view import Rays

from hicrisp_perception import SceneTracker

DOWN = (1.0, 0.0, 0.0, 0.0)
BOX = box("box")


def hand(x, y, z, opening):
    half = opening / 2.0
    return ObservedHand("panda", Pose((x, y, z), DOWN), (x, y + half, z), (x, y - half, z))


def frames(held):
    tool = held.tool
    return {"panda_hand_tcp": (tool, 0.0), "panda_leftfinger": (Pose(held.left, DOWN), 0.0),
            "panda_rightfinger": (Pose(held.right, DOWN), 0.0)}


def test_fingers_that_close_around_a_thing_hold_it_until_they_open():
    grips, there = Grips(), {"box": (BOX, at(0.45, 0.0, 0.025))}
    grips.follow({"panda": hand(0.45, 0.0, 0.03, 0.08)}, there)
    assert not grips.held
    grips.follow({"panda": hand(0.45, 0.0, 0.03, 0.05)}, there)
    lifted = {"panda": hand(0.5, 0.2, 0.23, 0.05)}
    assert grips.pose("box", lifted).position == pytest.approx((0.5, 0.2, 0.225))
    released = grips.follow({"panda": hand(0.5, 0.2, 0.03, 0.075)}, {})
    assert released["box"].position == pytest.approx((0.5, 0.2, 0.025))
    assert not grips.held


def test_fingers_that_open_as_little_as_there_is_room_let_go_and_hold_again_once_they_close():
    grips, there = Grips(), {"box": (BOX, at(0.45, 0.0, 0.025))}
    for opening in (0.08, 0.0555, 0.050):  # Seen while they close, too.
        grips.follow({"panda": hand(0.45, 0.0, 0.03, opening)}, there)
    assert grips.held
    assert "box" in grips.follow({"panda": hand(0.45, 0.0, 0.03, 0.0545)}, {})
    for height in (0.03, 0.04):
        grips.follow({"panda": hand(0.45, 0.0, height, 0.0545)}, there)
        assert not grips.held
    grips.follow({"panda": hand(0.45, 0.0, 0.03, 0.05)}, there)
    assert grips.held


def test_what_a_hand_let_go_stands_there_and_is_no_unknown_thing():
    sight, stands = SceneTracker(scene_of(BOX)), at(0.45, 0.0, 0.025)
    sight.look(draw([(BOX, stands)]), frames(hand(0.45, 0.0, 0.03, 0.08)))
    sight.follow(frames(hand(0.45, 0.0, 0.03, 0.05)), 0.1)
    sight.follow(frames(hand(0.5, 0.1, 0.2, 0.05)), 0.2)
    put = at(0.5, 0.1, 0.025)
    for number, height in enumerate((0.03, 0.08, 0.2)):
        tracks = {track.name: track for track in sight.look(draw([(BOX, put)], number, stamp=0.3 + number / 10.0),
                                                            frames(hand(0.5, 0.1, height, 0.058)))}
        assert set(tracks) == {"box"}
        assert tracks["box"].visibility is Visibility.VISIBLE
        assert math.dist(tracks["box"].pose.position, put.position) < 0.005


def test_fingers_that_close_beside_a_thing_hold_nothing():
    grips = Grips()
    grips.follow({"panda": hand(0.45, 0.06, 0.03, 0.05)}, {"box": (BOX, at(0.45, 0.0, 0.025))})
    assert not grips.held


def test_a_thing_that_slips_out_is_not_held():
    grips = Grips()
    grips.follow({"panda": hand(0.45, 0.0, 0.03, 0.05)}, {"box": (BOX, at(0.45, 0.0, 0.025))})
    grips.follow({"panda": hand(0.45, 0.0, 0.2, 0.0)}, {})
    assert not grips.held


def test_a_held_thing_rides_on_the_hand_and_is_measured_there():
    sight = SceneTracker(scene_of(BOX))
    sight.look(draw([(BOX, at(0.45, 0.0, 0.025))]), {})
    sight.follow(frames(hand(0.45, 0.0, 0.03, 0.05)), 0.5)
    slipped = at(0.504, 0.1, 0.195)
    for seed in range(3):
        (track,) = sight.look(draw([(BOX, slipped)], seed, stamp=1.0), frames(hand(0.5, 0.1, 0.2, 0.05)))
    assert track.visibility is Visibility.HELD
    assert math.dist(track.pose.position, slipped.position) < 0.003


def test_what_was_taken_unseen_is_found_in_the_hand():
    sight = SceneTracker(scene_of(BOX))
    sight.look(draw([(BOX, at(0.45, 0.0, 0.025))]), {})
    (track,) = sight.look(draw([(BOX, at(0.5, 0.1, 0.2))]), frames(hand(0.5, 0.1, 0.205, 0.05)))
    assert track.visibility is Visibility.HELD
    assert math.dist(track.pose.position, (0.5, 0.1, 0.2)) < 0.006


def test_what_fell_out_of_the_hand_is_where_it_lies():
    sight = SceneTracker(scene_of(BOX))
    sight.look(draw([(BOX, at(0.45, 0.0, 0.025))]), {})
    sight.follow(frames(hand(0.45, 0.0, 0.03, 0.05)), 0.5)
    lies = at(0.4, -0.1, 0.025)
    (track,) = sight.look(draw([(BOX, lies)]), frames(hand(0.5, 0.1, 0.2, 0.05)))
    assert track.visibility is Visibility.VISIBLE
    assert math.dist(track.pose.position, lies.position) < 0.003


def test_pixels_of_the_robot_are_known_by_its_links_and_nothing_before_them_is():
    rays = Rays(LENS, CAMERA)
    link = {"arm": (Capsule((0.0, 0.0, 0.0), (0.0, 0.0, 0.3), 0.05),)}
    picture = draw([(box("arm", "white", (0.07, 0.07, 0.36)), at(0.45, 0.0, 0.18)),
                    (BOX, at(0.60, 0.0, 0.025))])
    shown = robot_pixels(rays, picture.depth, {"arm": (Pose((0.45, 0.0, 0.0)), 0.0)}, link)
    column, row = (int(value) for value in rays.project(np.array([0.485, 0.0, 0.25])))
    assert shown[row, column]
    column, row = (int(value) for value in rays.project(np.array([0.60, 0.0, 0.05])))
    assert not shown[row, column]


def test_a_thing_that_nobody_described_rides_on_the_hand_that_takes_it_unless_a_known_one_is_there():
    closed, jug = hand(0.45, 0.0, 0.03, 0.05), {"unknown_1": (box("unknown_1"), at(0.45, 0.0, 0.025))}
    grips = Grips()
    grips.follow({"panda": closed}, {}, jug)
    assert grips.held_by(closed) == ("unknown_1",)
    grips = Grips()
    grips.follow({"panda": closed}, {"box": (BOX, at(0.451, 0.0, 0.025))}, jug)
    assert grips.held_by(closed) == ("box",)


def test_what_nobody_described_is_seen_in_the_hand_that_carries_it():
    sight, there = SceneTracker(scene_of(BOX)), at(0.45, 0.0, 0.025)
    jug = box("jug", "green")
    sight.look(draw([(jug, there)]), frames(hand(0.45, 0.0, 0.03, 0.08)))
    sight.follow(frames(hand(0.45, 0.0, 0.03, 0.05)), 0.1)
    lifted = hand(0.5, 0.15, 0.18, 0.05)
    track, = sight.look(draw([(jug, at(0.5, 0.15, 0.175))], stamp=0.2), frames(lifted))
    assert (track.name, track.visibility) == ("unknown_1", Visibility.HELD)
    assert math.dist(track.pose.position, (0.5, 0.15, 0.175)) < 0.01
    opened = hand(0.5, 0.15, 0.18, 0.08)
    track, = sight.look(draw([(jug, at(0.5, 0.15, 0.025))], stamp=0.3), frames(opened))
    assert track.visibility is not Visibility.HELD
