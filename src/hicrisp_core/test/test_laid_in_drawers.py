"""What is too tall for a drawer lies in it: where, and how it is let go there."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hicrisp_core.body.containers import inside_box, too_tall
from hicrisp_core.body.decoder import ActionDecoder
from hicrisp_core.body.placement import Workspace
from hicrisp_core.domain.schema import Domain
from hicrisp_core.model import Pose, Relation, Step, WorldObject, WorldState
from hicrisp_core.model.geometry import from_yaw, turn_between
from hicrisp_core.model.joint import SLIDE, Joint
from hicrisp_core.model.keep_out import footprint, vertical_span
from hicrisp_core.model.offsets import DecoderOffsets
from hicrisp_core.model.shapes import BOWL_WALL, SHAPES, Solid, measured
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.skills_carry import rolled, tool_at
from hicrisp_core.robot.skills_placements import hold_of, most_room, ways_to_place
from hicrisp_core.time.deadline import Deadline
from panda_body import HAND, WORKSPACE
from test_detector import seen
from test_skills import PICK, PLACE, ScriptedArm, run

AT = Pose((0.5, 0.0, 0.04))
JOINT = Joint(SLIDE, "chest", AT, (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.2), Pose((-0.11, 0.0, 0.0)), (0.01, 0.1))
DRAWER = WorldObject("drawer", "drawer", "tray", (0.2, 0.2, 0.08), pose=AT, joint=JOINT)
BOX = WorldObject("box", "box", size=(0.04, 0.06, 0.15), pose=Pose((0.3, 0.3, 0.075)))


def test_what_is_too_tall_for_a_drawer_tips_over_in_it_into_its_place() -> None:
    assert too_tall(BOX, DRAWER)
    assert not too_tall(replace(BOX, size=(0.04, 0.06, 0.07)), DRAWER)
    neck = Solid("cylinder", (0.02, 0.02, 0.06), Pose((0.0, 0.0, 0.04)))
    assert too_tall(replace(BOX, own_form=replace(SHAPES["cylinder"], grips=measured((neck,)))), DRAWER)
    spots = inside_box(BOX, DRAWER, Workspace(), (0.0, 0.06, 0.1), 0.0)
    floor = 0.006
    for flat, spot in zip(spots[0].poses, spots[1].poses):
        low_x, _, high_x, _ = footprint(BOX, flat).bounds
        assert high_x - low_x == pytest.approx(0.15)
        assert vertical_span(BOX, flat)[0] == pytest.approx(floor, abs=1e-6)
        # Its lower end is on the floor where it comes to lie, and its top as high above it as is asked.
        edge = min((spot.apply((x, 0.0, -0.075)) for x in (-0.02, 0.02)), key=lambda at: at[2])
        assert edge[2] == pytest.approx(floor, abs=1e-6)
        assert edge[0] == pytest.approx(high_x, abs=1e-6)
        assert spot.axes[2][2] == pytest.approx(0.06 / 0.15)
    assert all(vertical_span(BOX, spot)[0] > floor + 0.01 for spot in spots[2].poses)
    hold = hold_of(BOX, BOX.pose.compose(Pose((0.0, 0.0, 0.04), DOWN)), 0.04)
    ways = list(ways_to_place(BOX, hold, spots[2].poses[0], WorldState({"drawer": DRAWER}), HAND, lambda _: 1.0, 20))
    assert ways
    assert all(way.item.axes[2][2] == pytest.approx(0.5) and way.grasp.clearance > 0.0 for way in ways)
    low_x, _, high_x, _ = footprint(BOX, spots[0].poses[0]).bounds
    for way in ways:  # Also turned end for end it tips over into its place.
        edges = [way.item.apply((x, y, -0.075)) for x in (-0.02, 0.02) for y in (-0.03, 0.03)]
        at = min(edges, key=lambda edge: edge[2])
        assert min(abs(at[0] - low_x), abs(at[0] - high_x)) == pytest.approx(0.0, abs=1e-6)


def test_a_hand_with_a_finger_under_what_it_lays_down_draws_straight_back() -> None:
    half = math.sqrt(0.5)
    lying = Pose((0.5, -0.2, 0.05), (0.0, half, 0.0, half))
    arm = ScriptedArm(WorldObject("box", "can", "cylinder", (0.04, 0.04, 0.16), pose=Pose((0.4, 0.1, 0.08))))
    arm.margins = lambda pose: None if abs(pose.axes[2][2]) > 0.1 and not 0.4 < abs(pose.axes[1][2]) < 0.9 else 1.0
    assert run(arm, replace(PICK, target=lying)).ok
    assert abs(arm.pose.axes[2][2]) < 0.1
    opened, move = [], arm.move_gripper
    arm.move_gripper = lambda opening, *rest: (opened.append(arm.pose), move(opening, *rest))[1]
    assert run(arm, replace(PLACE, target=lying, aim=lying)).ok
    assert abs(opened[-1].axes[1][2]) > 0.4
    x, y, back = opened[-1].seen(arm.pose.position)
    assert (x, y) == pytest.approx((0.0, 0.0), abs=1e-6)
    assert back < -0.05


def test_a_hand_that_lets_go_between_walls_draws_back_only_as_far_as_it_keeps_clear_of_them() -> None:
    case = WorldObject("case", "case", "case", (0.3, 0.4, 0.4), pose=Pose((0.55, -0.2, 0.2), from_yaw(math.pi)))
    inside = Pose((0.5, -0.2, 0.09))
    arm = ScriptedArm(WorldObject("box", "can", "cylinder", (0.04, 0.04, 0.16), pose=Pose((0.4, 0.1, 0.08))), case)
    arm.margins = lambda pose: 1.0 if abs(pose.axes[2][2]) < 0.1 else None
    plan, opened, move = arm.plan_line, [], arm.move_gripper

    def plan_line(pose: Pose, deadline: Deadline, speed: float, touch: frozenset = frozenset()) -> object:
        walls = opened and "case" not in touch and math.dist(arm.pose.position, pose.position) > 0.06
        return MotionFailure.blocked("no_path", ("case",)) if walls else plan(pose, deadline, speed, touch)

    assert run(arm, replace(PICK, target=inside)).ok
    arm.plan_line = plan_line
    arm.move_gripper = lambda opening, *rest: (opened.append(arm.pose), move(opening, *rest))[1]
    assert run(arm, replace(PLACE, target=inside, aim=inside)).ok
    assert opened[-1].seen(arm.pose.position) == pytest.approx((0.0, 0.0, -0.05), abs=1e-6)


CAN = WorldObject("can", "can", "cylinder", (0.04, 0.04, 0.15), pose=Pose((0.3, 0.3, 0.075)))
LEVEL = CAN.pose.compose(Pose((0.0, 0.0, 0.045), (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5))))


def test_what_lies_in_a_drawer_lies_near_its_front_where_the_hand_has_most_room() -> None:
    room, front = Workspace(), DRAWER.pose.position[0] - DRAWER.size[0] / 2.0 + BOWL_WALL
    spot = inside_box(CAN, DRAWER, room, (0.0,), 0.0)[0].poses[0]
    assert room.clearance / 2.0 <= footprint(CAN, spot).bounds[0] - front < room.clearance


def hand_poses(rolls: float) -> "list[Pose]":
    """The ways to lay the can by a hand in which it has rolled (radians) since it was taken."""
    spot = inside_box(CAN, DRAWER, Workspace(), (0.09,), 0.0)[0].poses[0]
    can = CAN.at(CAN.pose.compose(Pose((0.0, 0.0, 0.0), from_yaw(rolls))))
    ways = ways_to_place(can, hold_of(can, LEVEL, 0.04), spot, WorldState({"drawer": DRAWER}), HAND, lambda _: 1.0, 80)
    return [way.grasp.pose for way in ways]


def test_the_hands_by_which_a_can_is_laid_down_are_the_same_however_it_has_rolled_in_the_hand() -> None:
    as_taken = hand_poses(0.0)
    assert as_taken
    for rolls in (0.1, 0.32, -1.9):
        rolled_since = hand_poses(rolls)
        assert len(rolled_since) == len(as_taken)
        for tool in as_taken:
            assert min(turn_between(tool.orientation, other.orientation) for other in rolled_since) < 1e-6


def test_a_can_that_rolls_in_the_hand_is_let_go_as_the_hand_is_and_a_box_as_it_shall_lie() -> None:
    for shape, same in (("cylinder", True), ("box", False)):
        item = replace(CAN, name="box", shape=shape, pose=Pose((0.4, 0.1, 0.075)))
        arm = ScriptedArm(item)
        assert run(arm, PICK).ok
        seen, before = arm.things["box"], arm.pose
        arm.things["box"] = seen.at(seen.pose.compose(Pose((0.0, 0.0, 0.0), from_yaw(0.3))))
        goal = seen.pose.shifted((0.1, 0.0, 0.0))
        tool = tool_at(SimpleNamespace(arm=arm), arm.things["box"], rolled(arm.things["box"], goal))
        assert (turn_between(tool.orientation, before.orientation) < 1e-6) is same


def test_a_way_down_that_is_blocked_is_begun_again_with_the_arm_bent_otherwise() -> None:
    arm, bent = ScriptedArm(WorldObject("box", "box", "box", (0.05, 0.05, 0.05), pose=Pose((0.4, 0.1, 0.025)))), []
    assert run(arm, PICK).ok

    def line(pose: Pose, *rest: object) -> object:
        down = pose.position[2] < 0.08 and not bent
        return MotionFailure("no_path", "the elbow is in the way") if down else ScriptedArm.plan_line(arm, pose, *rest)

    def plan(pose: Pose, deadline: Deadline, touch: "frozenset[str]" = frozenset(), then: "tuple[Pose, ...]" = ()):
        bent.extend(then if math.dist(pose.position, arm.pose.position) < 0.01 else ())
        return ScriptedArm.plan_to(arm, pose, deadline, touch, then)

    arm.plan_line, arm.plan_to = line, plan
    assert run(arm, replace(PLACE, look_within=0.02)).ok
    assert bent
    assert bent[0].position[2] < 0.05


def test_what_shall_lie_is_let_go_no_higher_than_the_hand_needs_room(domain: Domain) -> None:
    world = seen(domain)
    drawer = replace(DRAWER, name="bowl", type="bowl", size=(0.24, 0.24, 0.08), movable=False)
    can = replace(CAN, name="box", type="box")
    robot = replace(world.robots["panda"], pose=LEVEL, opening=0.04)
    held = replace(world, objects={"box": can, "bowl": drawer}, robots={"panda": robot},
                   relations=frozenset({Relation("panda", "holding", "box")}))
    command = domain.ground(Step("", "place_in", {"item": "box", "container": "bowl"}), held)
    target = ActionDecoder(domain, WORKSPACE).decode(command, held, DecoderOffsets()).target
    rounds = inside_box(can, drawer, WORKSPACE, (0.0, 0.012, 0.03, 0.06, 0.09, 0.12), 0.0)
    hold = hold_of(can, LEVEL, 0.04)
    rooms = [max(most_room(can, hold, pose, held, HAND).grasp.clearance for pose in each.poses) for each in rounds]
    lowest = next(number for number, room in enumerate(rooms) if room >= HAND.room)
    assert rooms[lowest] < max(rooms)
    assert target in rounds[lowest].poses
