"""Grasps: they fit the gripper, point down, and keep the fingers clear of neighbours."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_euler, from_yaw, heading, multiply, rotate
from hicrisp_core.model.shapes import SHAPES, Solid, measured
from hicrisp_core.robot.affordances import ranked
from hicrisp_core.robot.grasps import DOWN, grasp_candidates
from hicrisp_core.robot.gripper import hand_clearance, hand_room
from hicrisp_core.robot.skills_placements import hold_of, placements
from panda_body import HAND as GRIPPER


def world(*things: WorldObject) -> WorldState:
    return WorldState({thing.name: thing for thing in things})


def box(name: str, x: float, y: float, size: tuple = (0.05, 0.05, 0.05), yaw: float = 0.0) -> WorldObject:
    return WorldObject(name, "box", "box", size, pose=Pose((x, y, size[2] / 2.0), from_yaw(yaw)))


def test_a_box_is_held_across_its_sides_from_above() -> None:
    thing = box("box", 0.5, 0.1, yaw=0.3)
    found = grasp_candidates(thing, world(thing), GRIPPER)
    assert len(found) == 4
    for grasp in found:
        assert rotate(grasp.pose.orientation, (0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, -1.0), abs=1e-9)
        closing = rotate(grasp.pose.orientation, (0.0, 1.0, 0.0))
        turn = math.remainder(math.atan2(closing[1], closing[0]) - 0.3, math.pi / 2.0)
        assert turn == pytest.approx(0.0, abs=1e-6)
        assert grasp.width == pytest.approx(0.05)
        assert grasp.width < grasp.opening <= GRIPPER.opening


def test_only_the_narrow_sides_of_a_long_box_fit() -> None:
    plank = box("plank", 0.5, 0.0, size=(0.20, 0.04, 0.04))
    found = grasp_candidates(plank, world(plank), GRIPPER)
    assert {round(grasp.width, 3) for grasp in found} == {0.04}


def test_what_is_wider_than_the_gripper_has_no_grasp() -> None:
    crate = box("crate", 0.5, 0.0, size=(0.1, 0.1, 0.1))
    assert grasp_candidates(crate, world(crate), GRIPPER) == []


def test_a_neighbour_turns_the_fingers_away() -> None:
    thing, wall = box("box", 0.5, 0.0), box("wall", 0.5, 0.055, size=(0.05, 0.05, 0.05))
    found = grasp_candidates(thing, world(thing, wall), GRIPPER)
    best = next(ranked(found, lambda grasp: grasp, lambda pose: 1.0))
    closing = rotate(best.pose.orientation, (0.0, 1.0, 0.0))
    assert abs(closing[1]) < 0.1
    assert best.clearance > 0.0


def test_the_hand_leans_past_what_is_tall_where_a_twin_leaves_only_one_direction_to_close_in() -> None:
    piece, twin = (box(name, x, 0.0, (0.022, 0.022, 0.022)) for name, x in (("piece", 0.5), ("twin", 0.468)))
    bottle = box("bottle", 0.44, 0.12, (0.06, 0.06, 0.18))
    found = grasp_candidates(piece, world(piece, twin, bottle), GRIPPER)
    assert max(grasp.clearance for grasp in found if grasp.slope == 0.0) == 0.0
    best = next(ranked(found, lambda grasp: grasp, lambda pose: 1.0))
    assert best.clearance > 0.005
    assert abs(rotate(best.pose.orientation, (0.0, 1.0, 0.0))[1]) == pytest.approx(1.0)  # It closes beside the twin.
    assert rotate(best.pose.orientation, (0.0, 0.0, 1.0))[0] < -0.3  # The palm is over the free side.
    tip = min(best.pose.apply((half, 0.0, GRIPPER.tip))[2] for half in (0.011, -0.011))
    assert 0.0 < tip < 0.022


def test_a_tall_thing_is_held_where_the_palm_stays_clear_and_a_flat_one_above_the_table() -> None:
    tall, flat = box("tall", 0.5, 0.0, size=(0.05, 0.05, 0.16)), box("flat", 0.5, 0.2,
                                                                     size=(0.05, 0.05, 0.02))
    assert grasp_candidates(tall, world(tall), GRIPPER)[0].pose.position[2] >= 0.16 - GRIPPER.depth
    assert grasp_candidates(flat, world(flat), GRIPPER)[0].pose.position[2] > GRIPPER.tip


def test_a_lying_cylinder_is_held_across_its_axis() -> None:
    orientation = multiply(from_yaw(0.4), (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4)))
    can = WorldObject("can", "cylinder", "cylinder", (0.06, 0.06, 0.12),
                      pose=Pose((0.5, 0.0, 0.03), orientation))
    along = rotate(orientation, (0.0, 0.0, 1.0))
    found = grasp_candidates(can, world(can), GRIPPER)
    assert found
    for grasp in found:
        closing = rotate(grasp.pose.orientation, (0.0, 1.0, 0.0))
        assert sum(a * b for a, b in zip(closing, along)) == pytest.approx(0.0, abs=1e-6)
        assert grasp.width == pytest.approx(0.06)


def test_an_upright_cylinder_can_be_held_from_all_around() -> None:
    can = WorldObject("can", "cylinder", "cylinder", (0.06, 0.06, 0.09), pose=Pose((0.5, 0.0, 0.045)))
    yaws = {round(heading(rotate(grasp.pose.orientation, (1.0, 0.0, 0.0))), 3)
            for grasp in grasp_candidates(can, world(can), GRIPPER)}
    assert len(yaws) == 16


def test_inside_a_bowl_the_room_is_measured_to_its_wall() -> None:
    bowl = WorldObject("bowl", "bowl", "bowl", (0.15, 0.15, 0.055), pose=Pose((0.5, 0.0, 0.0275)))
    tool = Pose((0.5, 0.0, 0.03), DOWN)
    middle = hand_clearance(tool, 0.05, world(bowl), GRIPPER, "")
    aside = hand_clearance(tool.shifted((0.0, 0.015, 0.0)), 0.05, world(bowl), GRIPPER, "")
    assert 0.0 < aside < middle < 0.03


def test_what_is_not_seen_has_no_grasp() -> None:
    assert grasp_candidates(WorldObject("box", "box"), WorldState(), GRIPPER) == []


def test_a_lying_cylinder_is_held_beside_its_middle_so_that_it_can_be_stood_up() -> None:
    orientation = (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4))
    can = WorldObject("can", "cylinder", "cylinder", (0.06, 0.06, 0.12),
                      pose=Pose((0.5, 0.0, 0.03), orientation))
    for grasp in grasp_candidates(can, world(can), GRIPPER):
        assert 0.01 < math.dist(grasp.pose.position[:2], (0.5, 0.0)) < 0.04


@pytest.mark.parametrize(("shape", "size"), [("box", (0.05, 0.06, 0.14)), ("cylinder", (0.06, 0.06, 0.12))])
def test_what_stands_high_enough_can_also_be_held_by_a_level_hand_that_reaches_away_from_the_robot(
    shape, size
) -> None:
    x, y = 0.5, 0.3
    thing = WorldObject("thing", shape, shape, size, pose=Pose((x, y, size[2] / 2.0), from_yaw(0.2)))
    level = [grasp for grasp in grasp_candidates(thing, world(thing), GRIPPER) if grasp.from_side]
    assert level
    for grasp in level:
        ahead = rotate(grasp.pose.orientation, (0.0, 0.0, 1.0))
        closing = rotate(grasp.pose.orientation, (0.0, 1.0, 0.0))
        assert ahead[2] == pytest.approx(0.0, abs=1e-6)
        assert closing[2] == pytest.approx(0.0, abs=1e-6)
        assert ahead[0] * x + ahead[1] * y > 0.0
        assert GRIPPER.palm[0] / 2.0 < grasp.pose.position[2] < size[2]
        back = grasp.before(0.1).position
        assert math.dist(back, (x, y, grasp.pose.position[2])) > math.dist(
            grasp.pose.position, (x, y, grasp.pose.position[2]))


def test_what_is_low_or_lies_is_held_from_above_only() -> None:
    low = box("low", 0.5, 0.0)
    assert not any(grasp.from_side for grasp in grasp_candidates(low, world(low), GRIPPER))
    lying = WorldObject("can", "cylinder", "cylinder", (0.06, 0.06, 0.12), pose=Pose(
        (0.5, 0.0, 0.03), (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4))))
    assert not any(grasp.from_side for grasp in grasp_candidates(lying, world(lying), GRIPPER))


def test_what_the_hand_would_touch_is_named_only_at_the_hands_height() -> None:
    tool = Pose((0.5, 0.0, 0.03), DOWN)
    tall, low = box("tall", 0.5, 0.055, size=(0.05, 0.05, 0.16)), box("low", 0.5, -0.095,
                                                                      size=(0.05, 0.05, 0.03))
    room = hand_room(tool, 0.06, world(tall, low), GRIPPER, "")
    assert room.clearance == 0.0
    assert room.blockers == ("tall",)
    assert hand_room(tool, 0.06, world(low), GRIPPER, "").blockers == ()
    assert hand_room(tool.shifted((0.0, 0.0, 0.2)), 0.06, world(tall, low), GRIPPER, "").blockers == ()


def test_a_wall_that_nobody_can_move_takes_room_as_well() -> None:
    wall = WorldObject("wall", "wall", "box", (0.05, 0.05, 0.3), pose=Pose((0.5, 0.04, 0.15)), movable=False)
    assert hand_room(Pose((0.5, 0.0, 0.03), DOWN), 0.06, world(wall), GRIPPER, "").blockers == ("wall",)


def test_a_bottle_is_held_by_its_neck_where_the_palm_would_meet_it_above_the_body() -> None:
    body = Solid("cylinder", (0.05, 0.05, 0.07), Pose((0.0, 0.0, -0.045)))
    neck = Solid("cylinder", (0.015, 0.015, 0.07), Pose((0.0, 0.0, 0.045)))
    form = replace(SHAPES["cylinder"], grips=lambda _: (body, neck))
    bottle = WorldObject("bottle", "bottle", "cylinder", (0.05, 0.05, 0.16), pose=Pose((0.5, 0.0, 0.08)), own_form=form)
    grasps = grasp_candidates(bottle, world(bottle), GRIPPER)
    assert grasps
    assert {grasp.width for grasp in grasps} == {0.015}
    assert all(grasp.pose.position[2] > 0.1 for grasp in grasps)


@pytest.mark.parametrize("walls", [0.04, 0.07])
def test_a_dish_in_a_drawer_is_held_by_its_rim_also_where_that_is_below_the_drawers_walls(walls: float) -> None:
    bowl = WorldObject("bowl", "bowl", "dish", (0.107, 0.107, 0.05), pose=Pose((0.5, 0.0, 0.031)))
    drawer = WorldObject("drawer", "part", "tray", (0.2, 0.21, walls), movable=False,
                         pose=Pose((0.5, 0.0, walls / 2.0)))
    found = grasp_candidates(bowl, world(bowl, drawer), GRIPPER)
    best = max(found, key=lambda grasp: grasp.clearance)
    assert best.clearance > 0.0
    assert best.pose.position[2] - GRIPPER.tip < 0.056 - 0.02


def test_the_neck_of_what_stands_is_taken_from_the_side_and_the_ground_is_below_the_whole_of_it() -> None:
    bands = (Solid("cylinder", (0.05, 0.05, 0.06), Pose((0.0, 0.0, -0.05))),
             Solid("cylinder", (0.02, 0.02, 0.06), Pose((0.0, 0.0, 0.05))))
    form = replace(SHAPES["cylinder"], grips=measured(bands))
    bottle = WorldObject("bottle", "bottle", "cylinder", (0.05, 0.05, 0.16), pose=Pose((0.5, 0.0, 0.08)), own_form=form)
    level = [grasp for grasp in grasp_candidates(bottle, world(bottle), GRIPPER) if grasp.from_side]
    assert level
    assert {round(grasp.pose.position[2], 3) for grasp in level} == {0.13}


def test_what_is_below_the_upper_end_of_a_palm_that_leans_sideways_is_not_in_its_way() -> None:
    turned = multiply(from_euler(math.radians(45.0), 0.0, 0.0), DOWN)
    tool = Pose((0.5, 0.0, 0.1), turned)
    high = tool.apply((0.0, 0.09, -0.04))
    low = tool.apply((0.0, -0.09, -0.04))
    upper, lower = (high, low) if high[2] > low[2] else (low, high)
    under = WorldObject("under", "box", "box", (0.02, 0.02, 0.1), pose=Pose((*upper[:2], 0.05)))
    at_it = replace(under, pose=Pose((*lower[:2], 0.05)))
    assert hand_room(tool, 0.02, world(under), GRIPPER, "").clearance > 0.0
    assert hand_room(tool, 0.02, world(at_it), GRIPPER, "").blockers == ("under",)


@pytest.mark.parametrize(("under", "free"), [(0.002, True), (-0.002, False)])
def test_a_palm_may_come_down_low_over_what_stands_around_but_not_on_it(under: float, free: bool) -> None:
    item, high = box("box", 0.4, -0.3, (0.04, 0.04, 0.04)), 0.02 + GRIPPER.depth - under
    posts = [box(f"post_{number}", 0.4 + 0.085 * math.cos(angle), 0.1 + 0.085 * math.sin(angle), (0.01, 0.01, high))
             for number, angle in enumerate(math.tau * each / 24 for each in range(24))]
    hold = hold_of(item, Pose(item.pose.position, DOWN), 0.04)
    ways = placements(item, hold, Pose((0.4, 0.1, 0.02)), world(*posts), GRIPPER)
    assert any(way.grasp.clearance > 0.0 for way in ways) is free
