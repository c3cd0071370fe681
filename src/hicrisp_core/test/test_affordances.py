"""The ways to carry out a command are ranked by room and joint limits, and tried in that order."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Dict, List

import pytest
from hicrisp_core.model import CauseKind, Outcome, Pose, Status, WorldObject
from hicrisp_core.model.geometry import turn_between
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.affordances import collision_cost, joint_limit_cost, ranked
from hicrisp_core.robot.grasps import DOWN, Grasp
from hicrisp_core.robot.gripper import hand_room
from panda_body import HAND
from test_skills import BOX, PICK, PLACE, ScriptedArm, run

LEVEL = (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5))


def grasp(x: float, clearance: float = 1.0, orientation=DOWN) -> Grasp:
    return Grasp(Pose((x, 0.0, 0.1), orientation), 0.05, 0.07, clearance)


def order(grasps: List[Grasp], margins: Dict[float, float], asked=None) -> List[float]:
    def margin(pose: Pose):
        if asked is not None:
            asked.append(pose.position[0])
        return margins.get(pose.position[0], 1.0)

    return [each.pose.position[0] for each in ranked(grasps, lambda each: each, margin)]


def test_more_room_comes_before_less() -> None:
    assert order([grasp(0.3, 0.002), grasp(0.4, 0.02), grasp(0.5, 0.01)], {}) == [0.4, 0.5, 0.3]


def test_a_posture_far_from_the_joint_limits_comes_before_one_near_them() -> None:
    assert order([grasp(0.3), grasp(0.4), grasp(0.5)], {0.3: 0.05, 0.4: 0.2}) == [0.5, 0.4, 0.3]


def test_both_parts_are_weighed_against_each_other() -> None:
    tight, strained = grasp(0.3, 0.012), grasp(0.4)
    assert order([tight, strained], {0.4: 0.02}) == [0.3, 0.4]
    assert order([tight, strained], {0.4: 0.25}) == [0.4, 0.3]


def test_what_is_out_of_reach_comes_last() -> None:
    assert order([grasp(0.3), grasp(0.4, 0.0)], {0.3: None}) == [0.4, 0.3]


def test_a_hand_from_above_comes_before_a_level_one_unless_it_has_no_room() -> None:
    side = grasp(0.4, orientation=LEVEL)
    assert side.from_side
    assert order([side, grasp(0.3, 0.01)], {}) == [0.3, 0.4]
    assert order([grasp(0.3, 0.0), side], {}) == [0.4, 0.3]


def test_the_costs_are_between_nothing_and_one_for_each_part() -> None:
    assert collision_cost(grasp(0.3)) == 0.0
    assert collision_cost(grasp(0.3, 0.0)) == 1.0
    assert joint_limit_cost(1.0) == 0.0
    assert joint_limit_cost(0.0) == 1.0
    assert joint_limit_cost(None) == math.inf


def test_equal_ways_come_by_the_least_turn_of_the_wrist_and_always_alike() -> None:
    turned = Grasp(Pose((0.3, 0.0, 0.1), (math.cos(0.5), math.sin(0.5), 0.0, 0.0)), 0.05, 0.07)
    straight = grasp(0.4)
    assert order([turned, straight], {}) == order([straight, turned], {}) == [0.4, 0.3]


def test_the_arm_is_asked_only_where_its_answer_can_decide() -> None:
    asked: List[float] = []
    ways = ranked([grasp(0.3), grasp(0.4, 0.02), grasp(0.5, 0.01)], lambda each: each,
                  lambda pose: asked.append(pose.position[0]) or 1.0)
    assert next(ways).pose.position[0] == 0.3
    assert asked == [0.3]


def test_the_winner_is_carried_out() -> None:
    arm = ScriptedArm(BOX)
    arm.margins = lambda pose: 1.0 if abs(pose.orientation[1]) > 0.9 else 0.01
    assert run(arm, PICK).ok
    assert abs(arm.pose.orientation[1]) > 0.9


def test_the_next_way_is_tried_when_the_best_finds_no_motion() -> None:
    arm = ScriptedArm(BOX)
    tried: List[Pose] = []
    plan = arm.plan_to

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        tried.append(pose)
        return MotionFailure("goal_in_collision", "the salt is in the way", ("salt",)) if len(tried) == 1 \
            else plan(pose, deadline, touch)

    arm.plan_to = plan_to
    assert run(arm, PICK).ok
    assert tried[0].orientation != tried[1].orientation


def test_what_is_like_a_grasp_without_a_motion_is_tried_after_the_others() -> None:
    arm = ScriptedArm(replace(BOX, shape="cylinder"))
    tried: List[Pose] = []

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        tried.extend(then)
        return MotionFailure("goal_in_collision", "the salt is in the way", ("salt",))

    arm.plan_to = plan_to
    assert not run(arm, PICK).ok
    assert len(tried) > 4
    assert all(turn_between(one.orientation, other.orientation) > 0.5 for one, other in combinations(tried[:4], 2))


def test_a_motion_goes_to_where_the_hand_can_go_on_to_its_grasp() -> None:
    arm, planned = ScriptedArm(BOX), []
    plan = arm.plan_to

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        planned.append((pose, touch, then))
        return plan(pose, deadline, touch, then)

    arm.plan_to = plan_to
    assert run(arm, PICK).ok
    ((before, touch, (there,)),) = planned
    assert before.position[2] > there.position[2] + 0.1
    assert touch == {"box"}


def test_a_hand_that_touches_something_unseen_on_its_way_down_takes_another_grasp() -> None:
    arm, ended = ScriptedArm(BOX), []
    follow = arm.follow

    def touches(trajectory, deadline, cancel, stop_on_contact=False):
        outcome = follow(trajectory, deadline, cancel, stop_on_contact)
        if not stop_on_contact:
            return outcome
        ended.append(arm.pose)
        arm.pose = arm.pose.shifted((0.0, 0.0, 0.04 if len(ended) == 1 else 0.0))
        return outcome if len(ended) > 1 else Outcome.because(CauseKind.TOUCHED, Status.EXECUTION, "touched")

    arm.follow = touches
    assert run(arm, PICK).ok
    assert len(ended) == 2
    assert turn_between(ended[0].orientation, ended[1].orientation) > 0.5


@pytest.mark.parametrize("command", [PICK, PLACE], ids=["pick", "place"])
def test_when_all_fail_the_reason_of_the_best_is_told_with_what_is_in_its_way(command) -> None:
    arm = ScriptedArm(replace(BOX))
    if command is PLACE:
        assert run(arm, PICK).ok
    names = iter(("salt", *["pepper"] * 99))

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        name = next(names)
        return MotionFailure("goal_in_collision", f"the {name} is in the way", (name,))

    arm.plan_to = plan_to
    outcome = run(arm, command)
    assert outcome.status is Status.PLANNING
    assert outcome.blockers == ("salt",)
    assert "the salt is in the way" in outcome.message


def test_of_several_reasons_the_one_that_can_be_moved_away_is_told() -> None:
    wall = WorldObject("wall", "wall", "box", (0.1, 0.1, 0.1), movable=False, pose=Pose((0.7, 0.5, 0.05)))
    arm = ScriptedArm(BOX, wall, WorldObject("salt", "box", "box", (0.02, 0.02, 0.1), pose=Pose((0.7, 0.2, 0.05))))
    names = iter(("wall", "salt", *["wall"] * 99))

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        return MotionFailure.blocked("goal_in_collision", (next(names),))

    arm.plan_to = plan_to
    assert run(arm, PICK).blockers == ("salt",)


def test_a_thing_too_wide_for_the_fingers_blames_nobody() -> None:
    crate = WorldObject("box", "box", "box", (0.1, 0.1, 0.1), pose=Pose((0.4, 0.1, 0.05)))
    outcome = run(ScriptedArm(crate), PICK)
    assert outcome.status is Status.PLANNING
    assert outcome.blockers == ()


CARTON = replace(BOX, size=(0.05, 0.05, 0.12), pose=Pose((0.4, 0.1, 0.06)))
IN_CUPBOARD = Pose((0.5, -0.2, 0.06))
ROOF = WorldObject("cupboard", "case", "box", (0.2, 0.3, 0.02), movable=False, pose=Pose((0.5, -0.2, 0.16)))


def level(arm: ScriptedArm) -> bool:
    return abs(arm.pose.axes[2][2]) < 0.1


def test_what_goes_under_a_roof_is_taken_from_the_side_and_let_go_without_a_way_up() -> None:
    arm = ScriptedArm(CARTON, ROOF)
    assert run(arm, PICK).ok
    assert not level(arm)
    arm = ScriptedArm(CARTON, ROOF)
    assert run(arm, replace(PICK, target=IN_CUPBOARD)).ok
    assert level(arm)
    assert run(arm, replace(PLACE, target=IN_CUPBOARD, aim=IN_CUPBOARD)).ok
    assert arm.things["box"].pose.position == pytest.approx(IN_CUPBOARD.position, abs=0.005)
    assert arm.pose.position[2] < 0.12
    assert math.dist(arm.pose.position, IN_CUPBOARD.position) > 0.08


def test_what_can_be_moved_out_of_the_way_of_the_grasp_that_suits_the_place_is_told_rather() -> None:
    arm = ScriptedArm(CARTON, ROOF, WorldObject("salt", "box", "box", (0.02, 0.02, 0.1), pose=Pose((0.7, 0.2, 0.05))))
    plan = arm.plan_to

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        aside = abs(pose.axes[2][2]) < 0.1
        return MotionFailure.blocked("goal_in_collision", ("salt",)) if aside else plan(pose, deadline)

    arm.plan_to = plan_to
    assert run(arm, replace(PICK, target=IN_CUPBOARD)).blockers == ("salt",)
    assert run(arm, PICK).ok


def test_beside_what_stays_the_hand_leans_away_from_it_though_no_grasp_suits_the_place() -> None:
    bowl = WorldObject("box", "bowl", "dish", (0.107, 0.107, 0.05), pose=Pose((0.577, 0.006, 0.025)))
    drawer = WorldObject("drawer", "part", "box", (0.219, 0.204, 0.069), movable=False,
                         pose=Pose((0.696, -0.068, 0.188)))
    arm = ScriptedArm(bowl, drawer)
    plan = arm.plan_to

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        there = hand_room((*then, pose)[0], 0.02, arm.observe(), HAND, bowl.name)
        return MotionFailure.blocked("goal_in_collision", there.blockers) if there.blockers else plan(pose, deadline)

    arm.plan_to, arm.closes = plan_to, 0.006
    assert run(arm, replace(PICK, target=drawer.pose, time_limit=200.0), seconds=200.0).ok
    assert 0.8 < -arm.pose.axes[2][2] < 0.95


def test_a_hand_that_reaches_no_farther_leans() -> None:
    arm = ScriptedArm(BOX)
    arm.margins = lambda pose: None if level_down(pose) else 0.5
    plan = arm.plan_to

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        far = MotionFailure("unreachable", "out of reach")
        return far if level_down(pose) else plan(pose, deadline, touch, then)

    arm.plan_to = plan_to
    assert run(arm, PICK).ok
    assert 0.8 < -arm.pose.axes[2][2] < 0.95


@pytest.mark.parametrize(("room", "tries"), [(0.1, 2), (0.04, 3)])
def test_where_what_stays_is_in_the_way_of_the_hand_before_its_grasp_it_begins_nearer(room: float, tries: int) -> None:
    door = WorldObject("door", "part", "box", (0.1, 0.02, 0.1), movable=False, pose=Pose((0.7, 0.5, 0.05)))
    arm, planned = ScriptedArm(BOX, door), []
    plan = arm.plan_to

    def plan_to(pose, deadline, touch=frozenset(), then=()):
        planned.append(math.dist(pose.position, then[0].position))
        blocked = MotionFailure.blocked("goal_in_collision", ("door",))
        return blocked if planned[-1] > room else plan(pose, deadline, touch, then)

    arm.plan_to = plan_to
    assert run(arm, PICK).ok
    assert len(planned) == tries
    assert planned[-1] > 0.02


def level_down(pose: Pose) -> bool:
    return pose.axes[2][2] < -0.99
