"""The arm over a move_group that behaves as the real one does, also when that is badly."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from itertools import count
from threading import Event, Thread
from typing import Any, Callable, Iterator

import pytest
import rospy
from franka_msgs.msg import FrankaState
from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Outcome, Pose, Status, WorldObject, WorldState
from hicrisp_core.ports.robot import MotionFailure, Trajectory
from hicrisp_core.robot.grasps import DOWN
from hicrisp_core.robot.testing.arm_conformance import ArmConformance, ArmRig
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.arm import MoveItArm, make_arm
from hicrisp_moveit.driver_node import opening_misfit
from hicrisp_moveit.scene_sync import collision_object
from hicrisp_moveit.settings import ArmFile, load_arm_file
from moveit_msgs.msg import PlanningScene
from reference_commander import MoveGroupCommander
from reference_franka import ReferenceControl
from reference_moveit import MODES, ReferenceMoveIt
from reference_scene import SELF_CHECKED
from tf2_msgs.msg import TFMessage
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")
REACHABLE, FAR = Pose((0.5, 0.25, 0.25), DOWN), Pose((1.2, 0.0, 0.1), DOWN)
SERVICE_WAIT = 10.0
"""Wall seconds: enough on a busy machine, and few where a test waits for the end of it."""
_READ = load_arm_file(config_file("robots", "panda_moveit"))
FILE = replace(_READ, moveit=replace(_READ.moveit, velocity=0.5, acceleration=0.35, planning_time=1.0,
                                     service_wait=SERVICE_WAIT),
               gripper=replace(_READ.gripper, kind="gripper_command",
                               action="/franka_gripper/gripper_action"))
_NUMBERS = count()


@lru_cache(maxsize=None)
def _tf() -> rospy.Publisher:
    """One publisher of TF for all tests, with a subscriber, so that the topic never ends between two."""
    rospy.Subscriber("/tf", TFMessage)
    return rospy.Publisher("/tf", TFMessage, queue_size=5, tcp_nodelay=True)


class Stack:
    """A robot, its move_group and the arm under test."""

    def __init__(self, file: ArmFile = FILE) -> None:
        table = load_scene("tabletop", 0).table
        block = WorldObject("block", "box", "box", (0.10, 0.10, 0.10), pose=Pose((0.45, -0.25, 0.05)))
        self.world = WorldState({"table": table, "block": block})
        scene = replace(load_scene("tabletop", 0), objects=dict(self.world.objects), masses={"block": 0.2})
        # Names of its own: a topic that ends and begins again in one process is not always connected.
        space = f"/stack{next(_NUMBERS)}"
        self.server = ReferenceMoveIt(scene, _tf(), space)
        controllers = tuple(f"{space}{name}" for name in file.moveit.controllers)
        moveit = replace(file.moveit, namespace=f"{space}/", robot_description=f"{space}/robot_description",
                         joint_states=f"{space}/joint_states", controllers=controllers)
        self.file = replace(file, moveit=moveit,
                            gripper=replace(file.gripper, action=f"{space}{file.gripper.action}"))
        self.arm: MoveItArm = make_arm(self.file, MoveGroupCommander, 10.0)
        assert self.arm._joints.wait_until_known(Deadline(PATIENCE))
        assert self.arm._execution._client.wait_for_server(PATIENCE)

    def misbehaves(self, mode: str) -> None:
        assert mode in MODES
        self.server.mode = lambda: mode

    def plan(self, pose: Pose = REACHABLE, seconds: float = PATIENCE) -> Any:
        return self.arm.plan_to(pose, Deadline(seconds))

    def go(self, seconds: float = PATIENCE) -> Outcome:
        motion = self.plan()
        assert isinstance(motion, Trajectory), motion
        return self.arm.follow(motion, Deadline(seconds), Event())

    def once_moving(self, act: Callable[[], Any]) -> None:
        """Act in a thread of its own as soon as the arm moves."""
        Thread(target=lambda: (until(lambda: self.server.moving, "motion"), act()), daemon=True).start()

    def close(self) -> None:
        self.server.stop()
        for subscriber in self.arm._frames._tf._subscribers:
            subscriber.unregister()  # Or each message of TF would go to the arms of all tests so far.


@pytest.fixture
def stack(ros: None) -> Iterator[Stack]:
    stack = Stack()
    stack.arm.sync(stack.world)
    yield stack
    stack.close()


class TestConformance(ArmConformance):
    """What every arm must do."""

    @pytest.fixture(autouse=True)
    def _rig(self, ros: None) -> Iterator[None]:
        stack = Stack()
        server = stack.server
        self.rig = ArmRig(
            stack.arm, lambda: list(server.simulation.arms["panda"].positions), lambda: server.tool,
            lambda: server.moving,
            stack.world, "block", REACHABLE, FAR, patience=PATIENCE, soon=PATIENCE, lose=server.die)
        self.begin()
        yield
        stack.close()


def test_a_controller_that_gives_up_is_quoted(stack: Stack) -> None:
    motion = stack.plan()
    stack.misbehaves("violates")
    outcome = stack.arm.follow(motion, Deadline(PATIENCE), Event())
    assert outcome.status is Status.EXECUTION
    assert "left its path" in outcome.message
    assert "panda_joint4" in outcome.message


def test_an_arrival_that_is_only_said_is_no_success(stack: Stack) -> None:
    stack.misbehaves("lies")
    outcome = stack.go()
    assert outcome.status is Status.EXECUTION
    assert "although MoveIt says so" in outcome.message


def test_a_server_that_does_not_hear_ends_with_its_controllers_which_are_told_too(ros: None) -> None:
    stack = Stack(replace(FILE, moveit=replace(FILE.moveit, velocity=0.1, acceleration=0.1)))
    try:
        stack.misbehaves("deaf")
        outcome = stack.go(seconds=0.4)
        assert outcome.status is Status.TIMEOUT, outcome
        assert not stack.server.moving, "the controllers were not told"
    finally:
        stack.close()


def test_a_controller_that_goes_on_without_move_group_is_stopped(stack: Stack) -> None:
    stack.misbehaves("dies")
    outcome = stack.go()
    assert outcome.status is Status.LOST
    assert "went away" in outcome.message
    assert not stack.server.moving


def test_joint_states_that_fall_silent_end_a_motion(stack: Stack) -> None:
    motion = stack.plan()
    stack.misbehaves("blind")
    outcome = stack.arm.follow(motion, Deadline(PATIENCE), Event())
    assert outcome.status is Status.LOST
    assert "joint states" in outcome.message


def test_planning_that_never_answers_ends_at_its_time(stack: Stack) -> None:
    stack.misbehaves("hangs")
    failure = stack.plan(seconds=1.0)
    assert isinstance(failure, MotionFailure)
    assert failure.kind == "timeout"
    stack.misbehaves("")
    assert isinstance(stack.plan(), Trajectory), "it plans again once the late answer is there"


def test_services_that_never_answer_are_told_in_bounded_time(ros: None) -> None:
    stack = Stack(replace(FILE, moveit=replace(FILE.moveit, service_wait=1.0)))
    try:
        stack.misbehaves("silent")
        failure = stack.plan()
        assert isinstance(failure, MotionFailure)
        assert failure.outcome().status is Status.LOST
    finally:
        stack.close()


def test_nothing_is_planned_in_a_scene_that_is_not_the_observed_world(stack: Stack) -> None:
    stack.server.scene.deaf = True
    block = stack.world.objects["block"]
    moved = replace(block, pose=Pose((0.5, 0.0, 0.05)))
    stack.arm.sync(replace(stack.world, objects={**stack.world.objects, "block": moved}))
    failure = stack.plan()
    assert isinstance(failure, MotionFailure)
    assert failure.outcome().status is Status.LOST
    assert "block is not where it was seen" in failure.message
    stack.server.scene.deaf = False
    stack.arm.sync(stack.world)
    assert isinstance(stack.plan(), Trajectory)


def test_an_unreachable_pose_is_not_searched_for(stack: Stack) -> None:
    before = stack.server.plans
    assert stack.plan(FAR).kind == "unreachable"
    assert stack.server.plans == before


def test_what_has_no_way_round_names_what_is_between(stack: Stack) -> None:
    walls = {name: WorldObject(name, "box", "box", size, pose=Pose(place)) for name, size, place in (
        ("front", (0.02, 0.6, 0.9), (0.42, 0.32, 0.45)), ("left", (0.3, 0.02, 0.9), (0.55, 0.5, 0.45)),
        ("right", (0.3, 0.02, 0.9), (0.55, 0.06, 0.45)), ("lid", (0.4, 0.6, 0.02), (0.55, 0.3, 0.75)))}
    stack.arm.sync(replace(stack.world, objects={**stack.world.objects, **walls}))
    failure = stack.plan(Pose((0.52, 0.25, 0.3), DOWN))
    assert isinstance(failure, MotionFailure)
    assert set(failure.blockers) & set(walls)
    assert failure.outcome().status is Status.PLANNING


def test_an_unknown_planner_is_refused_with_the_known_ones(stack: Stack) -> None:
    file = replace(stack.file, moveit=replace(stack.file.moveit, planner="RRTConect"))
    with pytest.raises(ConfigError, match="RRTConect.*there are: PRM, RRTConnect"):
        make_arm(file, MoveGroupCommander, 5.0)


def test_fingers_that_turn_are_refused_at_the_start_until_their_opening_is_written(stack: Stack) -> None:
    urdf, gripper = f"{stack.file.moveit.robot_description}_turning", stack.file.gripper
    rospy.set_param(urdf, rospy.get_param(stack.file.moveit.robot_description).replace("prismatic", "revolute"))
    file = replace(stack.file, moveit=replace(stack.file.moveit, robot_description=urdf))
    with pytest.raises(ConfigError, match=r"panda_finger_joint1, panda_finger_joint2: write 'opening'.*0.085"):
        make_arm(file, MoveGroupCommander, 5.0)
    written = replace(file, gripper=replace(gripper, opening=((0.0, 0.08), (0.8, 0.0))))
    assert make_arm(written, MoveGroupCommander, 5.0).max_opening == 0.08


def test_fingers_whose_frames_and_joints_differ_are_named_with_what_to_write() -> None:
    for joints, frames in ((0.04, 0.043), (0.04, None), (math.nan, 0.04)):
        assert opening_misfit(joints, frames, 0.0) == ""
    said = opening_misfit(0.085, 0.127, 0.01)
    assert "85 mm" in said
    assert "127 mm" in said
    assert "'apart: 0.052' under body.frames" in said


def test_an_unknown_group_and_a_missing_move_group_end_with_a_reason(stack: Stack) -> None:
    file = replace(stack.file, moveit=replace(stack.file.moveit, group="panda_leg"))
    with pytest.raises(ConfigError, match="panda_leg"):
        make_arm(file, MoveGroupCommander, 2.0)
    stack.server.die()
    with pytest.raises(ConfigError, match="Is its launch file running"):
        make_arm(stack.file, MoveGroupCommander, 2.0)


def test_a_frame_that_tf_does_not_know_is_told_before_anything_is_planned(stack: Stack) -> None:
    lost = make_arm(
        replace(stack.file, moveit=replace(stack.file.moveit, world_frame="atlantis")), MoveGroupCommander,
        5.0)
    lost.sync(stack.world)
    failure = lost.plan_to(REACHABLE, Deadline(PATIENCE))
    assert isinstance(failure, MotionFailure)
    assert failure.outcome().status is Status.LOST
    assert "'atlantis'" in failure.message


def test_an_empty_motion_is_refused(stack: Stack) -> None:
    outcome = stack.arm.follow(Trajectory((), (), (), ()), Deadline(PATIENCE), Event())
    assert outcome.status is Status.INVALID
    assert stack.server.goals == 0


def test_the_tool_centre_point_may_be_off_the_link(ros: None) -> None:
    offset = (0.0, 0.0, 0.05, 0.0, 0.0, 0.0)
    stack = Stack(replace(FILE, moveit=replace(FILE.moveit, tcp=offset)))
    try:
        stack.arm.sync(stack.world)
        outcome = stack.go()
        assert outcome.ok, outcome
        assert stack.arm.tool_pose().position == pytest.approx(REACHABLE.position, abs=0.005)
        assert stack.server.tool.position[2] == pytest.approx(REACHABLE.position[2] + 0.05, abs=0.005)
    finally:
        stack.close()


def test_what_a_restarted_move_group_has_forgotten_is_put_back(stack: Stack) -> None:
    block = stack.world.objects["block"]
    held = replace(block, pose=Pose(stack.arm.tool_pose().shifted((0.0, 0.0, -0.06)).position))
    seen = replace(stack.world, objects={**stack.world.objects, "block": held})
    stack.arm.sync(seen)
    stack.arm.attach("block")
    stack.server.scene.forget()
    stack.arm.sync(seen)
    scene = stack.server.scene.tell()
    assert {thing.id for thing in scene.world.collision_objects} == {"table", "block"}
    stack.arm.attach("block")
    assert [thing.object.id
            for thing in stack.server.scene.tell().robot_state.attached_collision_objects] == ["block"]


def test_what_somebody_else_put_into_the_scene_stays(stack: Stack) -> None:
    fence = collision_object(WorldObject("fence", "box", "box", (0.1, 2.0, 1.0)), Pose((1.2, 0.0, 0.5)),
                             "world")
    theirs = PlanningScene(is_diff=True)
    theirs.world.collision_objects = [fence]
    assert stack.server.scene.apply(theirs, stack.server.simulation.arms["panda"].positions)
    stack.arm.sync(replace(stack.world, objects={"table": stack.world.objects["table"]}))
    assert {thing.id for thing in stack.server.scene.tell().world.collision_objects} == {"table", "fence"}


def test_contacts_that_are_allowed_by_default_stay_allowed(stack: Stack) -> None:
    """Links that only check the robot against itself must not collide with things once these have an
    entry.
    """
    stack.plan(REACHABLE)
    stack.arm.plan_to(REACHABLE, Deadline(PATIENCE), frozenset({"block"}))
    matrix = stack.server.scene.tell().allowed_collision_matrix
    assert "block" in matrix.entry_names
    assert "block" in stack.server.scene.names(SELF_CHECKED)
    assert "table" not in stack.server.scene.names("panda_hand")


def test_a_motion_after_which_something_may_be_touched_keeps_clear_of_it(stack: Stack) -> None:
    stack.arm.sync(stack.world)
    onward = (REACHABLE.shifted((0.0, 0.0, -0.05)),)
    assert isinstance(stack.arm.plan_to(REACHABLE, Deadline(PATIENCE), frozenset({"block"}), onward), Trajectory)
    assert "block" not in stack.server.scene.touch


def test_a_user_stop_ends_a_motion(ros: None) -> None:
    control = ReferenceControl()
    stack = Stack(replace(FILE, franka=control.settings))
    try:
        stack.arm.sync(stack.world)
        motion = stack.plan()
        assert isinstance(motion, Trajectory), motion
        stack.once_moving(lambda: setattr(control, "mode", FrankaState.ROBOT_MODE_USER_STOPPED))
        outcome = stack.arm.follow(motion, Deadline(PATIENCE), Event())
        assert outcome.status is Status.SAFETY, outcome
        assert "user stop" in outcome.message
        assert not stack.server.moving
        assert stack.arm.follow(motion, Deadline(PATIENCE), Event()).status is Status.SAFETY
    finally:
        stack.close()
        control.close()


def test_a_guarded_motion_ends_where_the_tool_is_pushed_and_another_one_does_not(ros: None) -> None:
    control = ReferenceControl()
    stack = Stack(replace(FILE, franka=control.settings))
    try:
        stack.arm.sync(stack.world)
        for guarded, status in ((True, Status.EXECUTION), (False, Status.SUCCESS)):
            control.force = (0.0, 0.0, 0.0)
            until(lambda: all(map(math.isfinite, stack.arm.tool_pose().position)), "the tool's pose")
            end = stack.arm.tool_pose().shifted((0.0, 0.0, -0.08))
            motion = stack.arm.plan_line(end, Deadline(PATIENCE), 0.1)
            assert isinstance(motion, Trajectory), motion
            stack.once_moving(lambda: setattr(control, "force", (0.0, 0.0, 15.0)))
            outcome = stack.arm.follow(motion, Deadline(PATIENCE), Event(), guarded)
            assert outcome.status is status, outcome
            assert not stack.server.moving
    finally:
        stack.close()
        control.close()


def test_fingers_without_an_action_of_their_own_are_moved_through_moveit(ros: None) -> None:
    stack = Stack(replace(FILE, gripper=replace(FILE.gripper, kind="group")))
    try:
        for opening in (0.03, 0.08):
            outcome = stack.arm.move_gripper(opening, Deadline(PATIENCE), Event())
            assert outcome.ok, outcome
            assert stack.arm.opening() == pytest.approx(opening, abs=0.004)
        assert stack.arm.grasp(20.0, Deadline(PATIENCE), Event()).ok
        assert stack.arm.opening() < 0.004
    finally:
        stack.close()
