"""Grasps: they fit the gripper, point down, and keep the fingers clear of neighbours."""

from __future__ import annotations

import math

import pytest
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, multiply, rotate
from hicrisp_core.robot.affordances import collision_cost, joint_limit_cost, ranked
from hicrisp_core.robot.grasps import DOWN, Grasp, grasp_candidates, tool_yaw
from hicrisp_core.robot.hand import Gripper, hand_clearance, hand_room

GRIPPER = Gripper()


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
    best = grasp_candidates(thing, world(thing, wall), GRIPPER)[0]
    closing = rotate(best.pose.orientation, (0.0, 1.0, 0.0))
    assert abs(closing[1]) < 0.1
    assert best.clearance > 0.0


def test_a_tall_thing_is_held_where_the_palm_stays_clear_and_a_flat_one_above_the_table() -> None:
    tall, flat = box("tall", 0.5, 0.0, size=(0.05, 0.05, 0.16)), box("flat", 0.5, 0.2, size=(0.05, 0.05, 0.02))
    assert grasp_candidates(tall, world(tall), GRIPPER)[0].pose.position[2] >= 0.16 - GRIPPER.depth
    assert grasp_candidates(flat, world(flat), GRIPPER)[0].pose.position[2] > GRIPPER.tip


def test_a_lying_cylinder_is_held_across_its_axis() -> None:
    orientation = multiply(from_yaw(0.4), (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4)))
    can = WorldObject("can", "cylinder", "cylinder", (0.06, 0.06, 0.12), pose=Pose((0.5, 0.0, 0.03), orientation))
    along = rotate(orientation, (0.0, 0.0, 1.0))
    found = grasp_candidates(can, world(can), GRIPPER)
    assert found
    for grasp in found:
        closing = rotate(grasp.pose.orientation, (0.0, 1.0, 0.0))
        assert sum(a * b for a, b in zip(closing, along)) == pytest.approx(0.0, abs=1e-6)
        assert grasp.width == pytest.approx(0.06)


def test_an_upright_cylinder_can_be_held_from_all_around() -> None:
    can = WorldObject("can", "cylinder", "cylinder", (0.06, 0.06, 0.09), pose=Pose((0.5, 0.0, 0.045)))
    yaws = {round(tool_yaw(grasp.pose), 3) for grasp in grasp_candidates(can, world(can), GRIPPER)}
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
    can = WorldObject("can", "cylinder", "cylinder", (0.06, 0.06, 0.12), pose=Pose((0.5, 0.0, 0.03), orientation))
    for grasp in grasp_candidates(can, world(can), GRIPPER):
        assert 0.01 < math.dist(grasp.pose.position[:2], (0.5, 0.0)) < 0.04
