"""Looking before letting go: with an arm that misses, and how near is near enough."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Dict, Tuple

import pytest
from hicrisp_core.domain import load_domain
from hicrisp_core.executive.observation import look_within
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, RobotState, Status, WorldObject, WorldState
from hicrisp_core.policy.policy import load_policy
from hicrisp_core.ports.robot import MotionFailure
from hicrisp_core.robot.arm_robot import ArmRobot
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.noisy_arm import NoisyArm
from hicrisp_core.robot.testing.release_conformance import ReleaseConformance, ReleaseRig
from hicrisp_core.time.deadline import Deadline
from panda_body import HAND
from test_skills import BOX, GOAL, PICK, PLACE, SKILLS, TABLE, ScriptedArm

CONFIG = Path(__file__).resolve().parents[3] / "config"
DOMAIN = load_domain(CONFIG / "domains" / "tabletop.yaml")


class TestScriptedArm(ReleaseConformance):
    """An arm that is where it is told to be at once, and beside it once it misses."""

    @pytest.fixture(autouse=True)
    def _rig(self) -> None:
        arm = ScriptedArm(BOX)
        robot = ArmRobot(arm, SKILLS, arm.observe, hand=HAND)
        assert robot.execute(PICK, Deadline(10.0), Event()).ok

        def misses(mean: Tuple[float, float], sigma: float) -> None:
            unsteady = NoisyArm(arm, sigma, 2, mean)
            unsteady.attach("box")
            self.rig = replace(self.rig, robot=ArmRobot(unsteady, SKILLS, arm.observe, hand=HAND))

        self.rig = ReleaseRig(robot, PLACE, lambda: arm.things["box"].pose, lambda: arm.held == "box", misses)


def held_box(arm: ScriptedArm) -> ArmRobot:
    """A robot with the box in its hand."""
    robot = ArmRobot(arm, SKILLS, arm.observe, hand=HAND)
    assert robot.execute(PICK, Deadline(10.0), Event()).ok
    arm.done.clear()
    return robot


def looking(robot: ArmRobot, within: float = 0.01) -> Outcome:
    """The outcome of putting the box down with a look before."""
    return robot.execute(replace(PLACE, look_within=within), Deadline(10.0), Event())


def test_the_last_part_goes_straight_down_and_the_hand_opens_once() -> None:
    arm = ScriptedArm(BOX)
    assert looking(held_box(arm)).ok
    assert arm.done == ["follow", "guarded", "guarded", "open", "follow"]
    assert arm.things["box"].pose.position == pytest.approx(GOAL.position, abs=0.006)


def test_what_slips_aside_at_the_contact_is_lifted_and_approached_again() -> None:
    arm = ScriptedArm(BOX)
    robot = held_box(arm)
    lowest = []

    def slips_once(goal: Pose) -> Pose:
        if goal.position[2] < GOAL.position[2] + 0.005 and not lowest:
            lowest.append(goal)
            return goal.shifted((0.02, 0.0, 0.0))
        return goal

    plan = arm._plan
    arm._plan = lambda kind, pose: plan(kind, slips_once(pose) if kind == "plan_line" else pose)
    assert looking(robot).ok
    assert lowest
    assert arm.done.count("open") == 1
    assert arm.done.count("guarded") == 5
    assert arm.things["box"].pose.position[:2] == pytest.approx(GOAL.position[:2], abs=0.01)


def test_a_thing_that_leaves_the_hand_on_the_way_is_told_as_that() -> None:
    arm = ScriptedArm(BOX)
    robot = held_box(arm)
    follow = arm.follow

    def loses(*given, **named):
        arm.things["box"] = replace(BOX, pose=Pose((0.3, 0.3, 0.025)))
        arm.held = ""
        return follow(*given, **named)

    arm.follow = loses
    outcome = looking(robot)
    assert outcome.status is Status.EXECUTION
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.SLIPPED


def table_of(**things: Tuple[Tuple[float, float, float], Tuple[float, float, float]]) -> WorldState:
    """Boxes by size and place on a table, with a hand elsewhere."""
    objects: Dict[str, WorldObject] = {"table": TABLE}
    for name, (size, place) in things.items():
        objects[name] = WorldObject(name, "box", "box", size, pose=Pose(place))
    return WorldState(objects, robots={"panda": RobotState("panda", pose=Pose((0.3, 0.0, 0.5), DOWN),
                                                           opening=0.05)})


CUBE = (0.045, 0.045, 0.045)


def allowed(action: str, target: Tuple[float, float, float], world: WorldState, **names: str) -> float:
    """How near is near enough, metres."""
    command = Command(action, {"robot": "panda", "item": "red", **names}, "panda", Pose(target))
    return look_within(DOMAIN, command, world)


def test_on_a_free_table_there_is_more_room_than_on_a_block() -> None:
    world = table_of(red=(CUBE, (0.3, 0.3, 0.3)), blue=(CUBE, (0.5, 0.0, 0.0225)))
    free = allowed("put_down", (0.5, -0.3, 0.0225), world)
    beside = allowed("place_next_to", (0.5, 0.075, 0.0225), world, reference="blue")
    stacked = allowed("place_on", (0.5, 0.0, 0.0675), world, surface="blue")
    assert free > beside > stacked > 0.005


def test_a_wider_block_leaves_more_room() -> None:
    small = table_of(red=(CUBE, (0.3, 0.3, 0.3)), blue=(CUBE, (0.5, 0.0, 0.0225)))
    wide = table_of(red=(CUBE, (0.3, 0.3, 0.3)), blue=((0.1, 0.1, 0.045), (0.5, 0.0, 0.0225)))
    at = (0.5, 0.0, 0.0675)
    narrow = allowed("place_on", at, small, surface="blue")
    assert allowed("place_on", at, wide, surface="blue") > narrow + 0.01


def test_a_tower_that_leans_leaves_less_room() -> None:
    straight = table_of(red=(CUBE, (0.3, 0.3, 0.3)), blue=(CUBE, (0.5, 0.0, 0.0225)),
                        green=(CUBE, (0.5, 0.0, 0.0675)))
    leaning = table_of(red=(CUBE, (0.3, 0.3, 0.3)), blue=(CUBE, (0.5, 0.0, 0.0225)),
                       green=(CUBE, (0.511, 0.0, 0.0675)))
    upright = allowed("place_on", (0.5, 0.0, 0.1125), straight, surface="green")
    assert allowed("place_on", (0.511, 0.0, 0.1125), leaning, surface="green") < upright - 0.002


def test_a_neighbour_leaves_less_room() -> None:
    alone = table_of(red=(CUBE, (0.3, 0.3, 0.3)))
    crowded = table_of(red=(CUBE, (0.3, 0.3, 0.3)), green=(CUBE, (0.565, -0.3, 0.0225)))
    at = (0.5, -0.3, 0.0225)
    assert allowed("put_down", at, crowded) < allowed("put_down", at, alone) - 0.01


def test_a_neighbour_that_is_touched_at_the_target_asks_for_no_space() -> None:
    alone = table_of(red=(CUBE, (0.3, 0.3, 0.3)))
    touched = table_of(red=(CUBE, (0.3, 0.3, 0.3)), green=(CUBE, (0.54, -0.3, 0.0225)))
    at = (0.5, -0.3, 0.0225)
    assert allowed("put_down", at, touched) == allowed("put_down", at, alone)


def test_without_a_pose_to_compare_with_nobody_looks() -> None:
    command = Command("put_down", {"robot": "panda", "item": "red"}, "panda")
    assert look_within(DOMAIN, command, table_of(red=(CUBE, (0.3, 0.3, 0.3)))) == 0.0


def test_the_papers_policies_let_go_without_a_look() -> None:
    looks = {file.stem for file in (CONFIG / "policies").glob("*.yaml")
             if load_policy(file).look_before_release == "on"}
    assert looks == {"hierarchical", "cooperative", "witnessed", "explained"}


def test_what_was_in_the_way_once_is_let_go_once_when_the_way_is_free() -> None:
    arm = ScriptedArm(BOX)
    robot = held_box(arm)
    plan, blocked = arm._plan, []

    def blocks_once(kind: str, pose: Pose):
        if kind == "plan_line" and pose.position[2] < GOAL.position[2] + 0.02 and not blocked:
            blocked.append(pose)
            return MotionFailure.blocked("no_path", ("cup",))
        return plan(kind, pose)

    arm._plan = blocks_once
    assert looking(robot).ok
    assert blocked
    assert arm.done.count("open") == 1


def reaching(within: float) -> Tuple[Outcome, ScriptedArm]:
    """A pick of a box that somebody moves while the hand comes down for the first time."""
    arm = ScriptedArm(BOX)
    follow, moved = arm.follow, []

    def pushed(*given, **named):
        if named.get("stop_on_contact") and not moved:
            moved.append(True)
            arm.things["box"] = replace(BOX, pose=BOX.pose.shifted((0.0, 0.15, 0.0)))
        return follow(*given, **named)

    arm.follow = pushed
    robot = ArmRobot(arm, SKILLS, arm.observe, hand=HAND)
    return robot.execute(replace(PICK, look_within=within), Deadline(10.0), Event()), arm


def test_a_hand_does_not_close_on_what_was_moved_meanwhile_but_reaches_for_it_again() -> None:
    outcome, arm = reaching(0.01)
    assert outcome.ok, outcome
    assert arm.done.count("grasp") == 1
    assert arm.held == "box"
    blind, arm = reaching(0.0)
    assert not blind.ok
    assert arm.done.count("grasp") == 1


def test_a_thing_that_moves_whenever_it_is_reached_for_is_told_as_that() -> None:
    arm = ScriptedArm(BOX)
    follow = arm.follow

    def pushed(*given, **named):
        if named.get("stop_on_contact"):
            arm.things["box"] = replace(BOX, pose=arm.things["box"].pose.shifted((0.0, 0.03, 0.0)))
        return follow(*given, **named)

    arm.follow = pushed
    robot = ArmRobot(arm, SKILLS, arm.observe, hand=HAND)
    outcome = robot.execute(replace(PICK, look_within=0.01), Deadline(10.0), Event())
    assert outcome.status is Status.EXECUTION
    assert outcome.cause is not None
    assert outcome.cause.metres == pytest.approx(0.03)
    assert "grasp" not in arm.done


def test_what_is_reached_for_may_be_a_centimetre_off() -> None:
    world = table_of(red=(CUBE, (0.3, 0.3, 0.0225)))
    assert look_within(DOMAIN, Command("pick", {"robot": "panda", "item": "red"}, "panda"), world) == 0.01
    assert look_within(DOMAIN, Command("home", {"robot": "panda"}, "panda"), world) == 0.0


def test_what_is_touched_again_at_the_same_spot_is_not_tried_a_third_time_there() -> None:
    arm = ScriptedArm(BOX)
    robot, follow = held_box(arm), arm.follow
    low, touched = GOAL.position[2] + 0.03, []

    def touches(*given, **named):
        down = arm._goal.position[2] < low
        arm.fails = {"guarded": lambda goal: goal.shifted((0.0, 0.0, 0.05))} if down else {}
        touched.extend([arm._goal.axes[0]] if down else [])
        return follow(*given, **named)

    arm.follow = touches
    outcome = looking(robot)
    assert outcome.status is Status.EXECUTION
    assert max(touched.count(each) for each in touched) == 2
    assert len(set(touched)) > 1
    assert outcome.cause.kind is CauseKind.TOUCHED
    assert arm.held == "box"
