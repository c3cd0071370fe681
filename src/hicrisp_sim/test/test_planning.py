"""The planner sees what was observed and nothing else, and says why when it finds no motion."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from acting import Lab, pointing_down, table_with
from hicrisp_core.model import Pose, WorldObject, WorldState
from hicrisp_core.model.geometry import distance, from_yaw
from hicrisp_core.model.shapes import SHAPES, Solid, measured
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_sim.kinematics import Kinematics
from hicrisp_sim.motion import MotionPlanner
from hicrisp_sim.planning_scene import PlanningScene
from hicrisp_sim.robot_files import descriptions_of
from hicrisp_sim.timing import JointLimits, time_line
from waiting import PATIENCE


def end_of(lab: Lab, motion: Trajectory) -> Pose:
    return lab.arm.kinematics.tool_pose(np.array(motion.positions[-1]))


def test_a_motion_ends_at_its_pose_within_the_speed_limits(tabletop: Lab) -> None:
    tabletop.arm.sync(tabletop.see())
    goal = pointing_down(0.5, 0.3, 0.3, from_yaw(0.5))
    motion = tabletop.arm.plan_to(goal, Deadline(PATIENCE))
    assert isinstance(motion, Trajectory)
    assert distance(end_of(tabletop, motion).position, goal.position) < 1e-3
    limits = np.array(tabletop.world.description.model.velocity)
    assert (np.abs(motion.velocities).max(axis=0) <= limits).all()
    assert np.abs(motion.velocities[0]).max() < 0.05
    assert np.abs(motion.velocities[-1]).max() < 0.05
    assert motion.times[0] == 0.0


def test_a_line_is_straight_and_as_fast_as_asked(tabletop: Lab) -> None:
    tabletop.arm.sync(tabletop.see())
    start = tabletop.arm.tool_pose()
    goal = start.shifted((0.0, 0.1, -0.1))
    motion = tabletop.arm.plan_line(goal, Deadline(PATIENCE), 0.1)
    assert isinstance(motion, Trajectory)
    points = np.array([tabletop.arm.kinematics.tool_pose(np.array(row)).position for row in motion.positions])
    direction = (points[-1] - points[0]) / np.linalg.norm(points[-1] - points[0])
    aside = np.linalg.norm(np.cross(points - points[0], direction), axis=1)
    assert aside.max() < 1e-3
    speed = np.linalg.norm(np.diff(points, axis=0), axis=1) / np.diff(motion.times)
    assert 0.09 < speed.max() < 0.105


def test_a_pose_out_of_reach_is_named(tabletop: Lab) -> None:
    tabletop.arm.sync(tabletop.see())
    failure = tabletop.arm.plan_to(pointing_down(1.2, 0.0, 0.1), Deadline(PATIENCE))
    assert isinstance(failure, MotionFailure)
    assert failure.kind == "unreachable"
    assert "(1.20, 0.00, 0.10)" in failure.message


def test_of_the_postures_that_touch_something_at_the_goal_the_one_that_touches_least_is_told(
        tabletop: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    tabletop.arm.sync(tabletop.see())
    scene, touched = tabletop.arm._planner.scene, iter((("",), ("door", "mug"), ("mug",)))
    monkeypatch.setattr(scene, "free", lambda joints: False)
    monkeypatch.setattr(scene, "blockers", lambda joints: next(touched, ("door", "wall")))
    failure = tabletop.arm.plan_to(pointing_down(0.5, 0.3, 0.3), Deadline(PATIENCE))
    assert isinstance(failure, MotionFailure)
    assert failure.blockers == ("mug",)


def test_what_can_be_moved_is_told_before_what_cannot(tabletop: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    tabletop.arm.sync(tabletop.see())
    scene, touched = tabletop.arm._planner.scene, iter((("table",), ("box", "cylinder")))
    monkeypatch.setattr(scene, "free", lambda joints: False)
    monkeypatch.setattr(scene, "blockers", lambda joints: next(touched, ("box", "table")))
    failure = tabletop.arm.plan_to(pointing_down(0.5, 0.3, 0.3), Deadline(PATIENCE))
    assert isinstance(failure, MotionFailure)
    assert failure.blockers == ("box", "cylinder")


def test_a_motion_ends_in_a_posture_from_which_the_arm_goes_on(tabletop: Lab) -> None:
    tabletop.arm.sync(tabletop.see())
    half = math.sqrt(0.5)
    level = Pose((0.45, 0.1, 0.35), (half, 0.0, half, 0.0))
    there, back = ([level.compose(Pose((0.0, 0.0, 0.0), from_yaw(side * math.radians(turn))))
                    for turn in (20, 40, 60, 80, 100)] for side in (1.0, -1.0))
    motion = tabletop.arm.plan_to(level, Deadline(PATIENCE), then=there)
    assert isinstance(motion, Trajectory)
    assert tabletop.arm.follow(motion, Deadline(PATIENCE), Event()).ok
    for pose in there:
        line = tabletop.arm.plan_line(pose, Deadline(PATIENCE), 0.1)
        assert isinstance(line, Trajectory)
        assert tabletop.arm.follow(line, Deadline(PATIENCE), Event()).ok
    assert all(tabletop.arm.margin(pose) is not None for pose in back[-1:])
    failure = tabletop.arm.plan_to(level, Deadline(PATIENCE), then=back)
    assert isinstance(failure, MotionFailure)
    assert "from its posture" in failure.message


def test_a_pose_from_which_the_arm_cannot_go_on_is_no_goal(clutter: Lab) -> None:
    world = clutter.see()
    clutter.arm.sync(world)
    x, y, _ = world.objects["milk"].pose.position
    above = pointing_down(x, y, 0.35)
    failure = clutter.arm.plan_to(above, Deadline(PATIENCE), then=[pointing_down(x, y, 0.12)])
    assert isinstance(failure, MotionFailure)
    assert failure.blockers == ("milk",)
    assert isinstance(clutter.arm.plan_to(above, Deadline(PATIENCE)), Trajectory)


def test_what_may_be_touched_from_there_on_is_kept_clear_of_before(tabletop: Lab) -> None:
    arm, world = tabletop.arm, tabletop.see()
    tall = replace(world.objects["cylinder"], pose=Pose((0.5, 0.0, 0.08)))
    arm.sync(replace(world, objects={"table": world.objects["table"], "cylinder": tall}))
    here, there = (pointing_down(0.5, side * 0.18, 0.08) for side in (-1.0, 1.0))
    assert arm.follow(arm.plan_to(here, Deadline(PATIENCE)), Deadline(PATIENCE), Event()).ok
    for then in ((), (there.shifted((0.0, 0.0, 0.03)),)):
        motion = arm.plan_to(there, Deadline(PATIENCE), frozenset({"cylinder"}), then)
        arm._planner.scene.allow(frozenset())
        assert all(arm._planner.scene.free(np.array(row)) for row in motion.positions) == bool(then)


def test_of_several_postures_the_one_that_is_reached_quickest_and_has_room_at_its_joints_is_the_goal(
    tabletop: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = tabletop.arm
    arm.sync(tabletop.see())
    start = arm.joints.positions
    far, quick = (start + np.eye(7)[0] * turn for turn in (1.0, 0.8))
    tight = start.copy()
    tight[3] = arm.kinematics.lower[3] + 0.1
    assert np.abs(tight - start).max() < 0.8
    for seed in range(4):
        order = np.random.default_rng(seed).permutation([far, quick, tight])
        monkeypatch.setattr(arm.kinematics, "solutions", lambda *_, order=order: iter(order))
        motion = arm.plan_to(pointing_down(0.5, 0.3, 0.3), Deadline(PATIENCE))
        assert isinstance(motion, Trajectory)
        assert motion.positions[-1] == pytest.approx(quick)


def test_of_a_few_ways_round_the_shortest_is_taken_where_the_first_is_a_long_one(
    tabletop: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = tabletop.arm
    arm.sync(tabletop.see())
    found = iter([1.0, 0.2, 0.6, 0.8])
    monkeypatch.setattr(arm._planner, "_straight", lambda *_: None)
    monkeypatch.setattr(arm._planner._search, "solve", lambda start, goals, *_: [
        start, start + np.eye(7)[0] * next(found), goals[0]])
    there = arm.joints.positions + np.eye(7)[6] * 0.4
    monkeypatch.setattr(arm.kinematics, "solutions", lambda *_: iter([there]))
    motion = arm.plan_to(pointing_down(0.5, 0.3, 0.3), Deadline(PATIENCE))
    assert isinstance(motion, Trajectory)
    assert np.ptp(np.array(motion.positions)[:, 0]) < 0.3


def test_a_goal_inside_something_names_it(clutter: Lab) -> None:
    world = clutter.see()
    clutter.arm.sync(world)
    x, y, _ = world.objects["milk"].pose.position
    failure = clutter.arm.plan_to(pointing_down(x, y, 0.12), Deadline(PATIENCE))
    assert isinstance(failure, MotionFailure)
    assert failure.kind == "goal_in_collision"
    assert "milk" in failure.blockers
    assert "the milk" in failure.message


def test_the_planner_knows_only_what_was_observed(clutter: Lab) -> None:
    world = clutter.see()
    x, y, _ = world.objects["milk"].pose.position
    inside = pointing_down(x, y, 0.12)
    clutter.arm.sync(WorldState({name: thing for name, thing in world.objects.items() if name == "table"}))
    assert isinstance(clutter.arm.plan_to(inside, Deadline(PATIENCE)), Trajectory)
    clutter.arm.sync(world)
    assert isinstance(clutter.arm.plan_to(inside, Deadline(PATIENCE)), MotionFailure)


def test_what_is_attached_counts_in_collision_checks(tabletop: Lab) -> None:
    world = tabletop.see()
    tabletop.arm.sync(world)
    low = pointing_down(0.5, 0.0, 0.045)
    assert isinstance(tabletop.arm.plan_to(low, Deadline(PATIENCE)), Trajectory)
    tool = tabletop.arm.tool_pose()
    held = replace(world.objects["cylinder"], pose=Pose(tool.shifted((0.0, 0.0, -0.02)).position))
    tabletop.arm.sync(replace(world, objects={**world.objects, "cylinder": held}))
    tabletop.arm.attach("cylinder")
    failure = tabletop.arm.plan_to(low, Deadline(PATIENCE))
    assert isinstance(failure, MotionFailure)
    assert failure.blockers == ("table",)
    assert isinstance(tabletop.arm.plan_to(low.shifted((0.0, 0.0, 0.05)), Deadline(PATIENCE)), Trajectory)


@pytest.mark.parametrize("shape", ["cylinder", "vessel"])
def test_a_bottle_that_is_held_by_its_neck_may_be_laid_down_and_an_open_one_may_not(shape: str) -> None:
    lab = Lab("tabletop")
    neck = Solid("cylinder", (0.02, 0.02, 0.03), Pose((0.0, 0.0, 0.02)))
    bottle = replace(lab.see().objects["cylinder"], own_form=replace(SHAPES[shape], grips=measured((neck,))))
    scene = load_scene("tabletop")
    lab.arm.load(replace(scene, objects={**scene.objects, "cylinder": bottle}), 0)
    held = replace(bottle, pose=Pose(lab.arm.tool_pose().position))
    lab.arm.sync(replace(lab.see(), objects={**lab.see().objects, "cylinder": held}))
    lab.arm.attach("cylinder")
    level = Pose((0.45, 0.1, 0.35), (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))
    assert isinstance(lab.arm.plan_to(level, Deadline(PATIENCE)), Trajectory if shape == "cylinder" else MotionFailure)


@pytest.mark.parametrize("askew", [0.0, 0.6])
def test_an_open_vessel_that_hangs_askew_is_carried_on_and_no_more_askew(askew: float) -> None:
    lab = Lab("tabletop")
    scene, world, tool = load_scene("tabletop"), lab.see(), lab.arm.tool_pose()
    mug = replace(world.objects["cylinder"], own_form=SHAPES["vessel"])
    lab.arm.load(replace(scene, objects={**scene.objects, "cylinder": mug}), 0)
    turn = Pose((0.0, 0.0, 0.0), (math.sin(askew / 2.0), 0.0, 0.0, math.cos(askew / 2.0)))
    held = replace(mug, pose=Pose(tool.position).compose(turn))
    lab.arm.sync(replace(world, objects={**world.objects, "cylinder": held}))
    lab.arm.attach("cylinder")
    motion = lab.arm.plan_to(pointing_down(0.5, 0.3, 0.3), Deadline(PATIENCE))
    assert isinstance(motion, Trajectory)
    tilts = [lab.arm._planner.scene.tilt(np.array(row)) for row in motion.positions]
    assert max(tilts) < max(askew + 0.03, 0.46)


def test_a_hand_that_is_too_near_to_something_tall_leaves_it_aside() -> None:
    lab = Lab(table_with(post=("box", (0.04, 0.04, 0.9), (0.3, 0.4))))
    world, start = lab.see(), lab.arm.tool_pose()
    x, y, _ = start.position
    scene = lab.arm._planner.scene
    for away in range(50, 0, -1):
        post = replace(world.objects["post"], pose=Pose((x, y + 0.004 * away, 0.45)))
        lab.arm.sync(replace(world, objects={**world.objects, "post": post}))
        if scene.blockers(lab.arm.joints.positions):
            break
    assert scene.blockers(lab.arm.joints.positions) == ("post",)
    motion = lab.arm.plan_to(start.shifted((0.0, -0.1, 0.0)), Deadline(PATIENCE))
    assert isinstance(motion, Trajectory)


@pytest.mark.parametrize(("around", "hand"), [
    (WorldObject("fridge", "case", "case", (0.26, 0.34, 0.29), pose=Pose((0.505, 0.5, 0.145), from_yaw(-math.pi / 2))),
     Pose((0.466, 0.405, 0.173), (-0.3526, 0.6114, 0.3536, 0.6138))),
    (WorldObject("board", "box", "box", (0.4, 0.4, 0.02), pose=Pose((0.55, 0.0, 0.256))),
     Pose((0.5, 0.0, 0.2), (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)))),
], ids=("beside a wall and below a roof", "below a board"))
def test_a_hand_that_touches_something_does_not_leave_through_it(around: WorldObject, hand: Pose) -> None:
    lab = Lab(table_with(**{around.name: (around.shape, around.size, (0.5, 0.3))}))
    table, scene = lab.see().objects["table"], lab.arm._planner.scene
    lab.arm.sync(WorldState({"table": table}))
    reached = lab.arm.plan_to(hand, Deadline(PATIENCE))
    assert isinstance(reached, Trajectory)
    start = np.array(reached.positions[-1])
    lab.arm.sync(WorldState({"table": table, around.name: around}))
    assert scene.blockers(start) == (around.name,)
    deepest = scene.depth(start)
    motion = lab.arm._planner.to_rest(start, Deadline(PATIENCE))
    assert isinstance(motion, Trajectory)
    assert max(scene.depth(np.array(row)) for row in motion.positions) < deepest + 0.006


def test_the_same_seed_gives_the_same_motion() -> None:
    motions = []
    for _ in range(2):
        lab = Lab("clutter", seed=5)
        lab.arm.sync(lab.see())
        motions.append(lab.arm.plan_to(pointing_down(0.45, -0.3, 0.25), Deadline(PATIENCE)))
    assert motions[0] == motions[1]


def test_motions_among_eight_obstacles_are_found(clutter: Lab) -> None:
    """How fast is measured by the speed benchmark."""
    clutter.arm.sync(clutter.see())
    dice, solved = np.random.default_rng(0), 0
    free = [pointing_down(r * math.cos(a), r * math.sin(a), 0.22, from_yaw(dice.uniform(-1.5, 1.5)))
            for r, a in zip(dice.uniform(0.38, 0.6, 40), dice.uniform(-0.7, 0.7, 40))]
    for pose in free:
        motion = clutter.arm.plan_to(pose, Deadline(PATIENCE))
        if isinstance(motion, MotionFailure):
            assert motion.kind == "goal_in_collision"
        else:
            solved += 1
    assert solved >= 30


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_pose_that_is_not_a_number_is_unreachable(tabletop: Lab, value: float) -> None:
    failure = tabletop.arm.plan_to(Pose((value, 0.0, 0.3)), Deadline(PATIENCE))
    assert isinstance(failure, MotionFailure)
    assert "finite" in failure.message


def test_a_line_is_slow_only_where_a_joint_would_be_too_fast() -> None:
    limits = JointLimits(("a", "b"), (1.0, 1.0), (20.0, 20.0))
    along = np.linspace(0.0, 0.2, 41)
    joints = np.column_stack([along, 2.0 * np.maximum(along - 0.15, 0.0) ** 2 / 0.05 * 20.0])  # Turns at the end.
    motion = time_line(joints, along, 0.1, limits, 0.8)
    assert motion.positions[-1] == pytest.approx(tuple(joints[-1]), abs=1e-6)
    assert np.abs(motion.velocities).max(axis=0) == pytest.approx((0.1, 1.0), abs=0.05)
    assert motion.times[-1] < 0.7 * 0.2 / (1.0 / np.gradient(joints[:, 1], along).max())


@pytest.mark.parametrize("speed", [0.0, 0.1])
def test_a_tool_that_may_only_be_so_fast_is_no_faster_on_its_way_round(speed: float) -> None:
    scene = load_scene("tabletop")
    arm = descriptions_of(scene)[0]
    settings, kinematics = replace(arm.settings, tool_speed=speed), Kinematics(arm)
    planner = MotionPlanner(PlanningScene(scene, arm, settings.margin, []), kinematics, settings, 0)
    motion = planner.to_pose(kinematics.rest, pointing_down(0.4, 0.35, 0.3), Deadline(PATIENCE), frozenset())
    assert isinstance(motion, Trajectory)
    points = np.array([kinematics.tool_position(np.array(row)) for row in motion.positions])
    fastest = np.abs(np.diff(points, axis=0)).max() / motion.times[1]
    assert 0.09 < fastest < 0.11 if speed else fastest > 0.2


def test_a_turn_on_the_spot_is_a_line_too() -> None:
    limits = JointLimits(("a",), (1.0,), (2.0,))
    motion = time_line(np.linspace(0.0, 0.6, 3)[:, None], np.linspace(0.0, 1e-4, 3), 1e-4, limits, 0.8)
    assert motion.positions[-1] == pytest.approx((0.6,))
    assert np.abs(motion.velocities).max() == pytest.approx(0.6, abs=0.02)


def test_postures_that_are_nearly_stretched_out_are_no_goals_where_they_are_not_wanted() -> None:
    described = descriptions_of(load_scene("tabletop"))[0]
    agile = replace(described, settings=replace(described.settings, dexterity=0.1))
    far = pointing_down(0.72, 0.0, 0.4)
    for arm, known in ((described, True), (agile, False)):
        kinematics = Kinematics(arm)
        found = next(kinematics.solutions(far, kinematics.rest, np.random.default_rng(0)), None)
        assert (found is not None) is known
    assert kinematics.stretched(np.array([0.0, 0.9, 0.0, -0.3, 0.0, 1.2, 0.8]))
    assert not kinematics.stretched(kinematics.rest)


@pytest.mark.parametrize("length", [0.0002, 0.002, 0.02])
def test_a_line_has_a_timing_however_short_it_is_and_however_unsteady_its_postures(length: float) -> None:
    limits = JointLimits(tuple("abcdefg"), (0.65,) * 4 + (0.78,) * 3, (3.0,) * 7)
    dice = np.random.default_rng(0)
    for _ in range(40):
        way = np.outer([0.0, 0.5, 1.0], 5e-4 * dice.normal(size=7))
        way[1] += 1e-6 * dice.normal(size=7)
        motion = time_line(way, np.linspace(0.0, length, 3), 0.25, limits, 0.8)
        assert np.array(motion.positions[-1]) == pytest.approx(way[-1], abs=1e-6)
