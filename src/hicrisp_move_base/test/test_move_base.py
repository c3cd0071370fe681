"""The driver against a move_base that behaves as the real one does, also when that is badly."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from threading import Event, Thread
from typing import Dict, Iterator, List

import pytest
import reference_move_base as reference
import rospy
from hicrisp_core.body.drive_goals import Reached
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Cause, CauseKind, Command, KeepOut, Outcome, Pose, Status
from hicrisp_core.model.geometry import from_yaw
from hicrisp_core.ports.robot import UNCONSTRAINED, Constraints, Manner
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.landmarks import BaseSettings, Landmark
from hicrisp_core.robot.testing.base_conformance import BaseConformance, BaseRig
from hicrisp_core.time.deadline import Deadline
from hicrisp_move_base.move_base import MoveBase
from hicrisp_move_base.settings import MoveBaseSettings
from move_base_msgs.msg import MoveBaseActionGoal, MoveBaseGoal
from reference_move_base import KinematicBase, ReferenceMoveBase
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")
GOAL, FAR = Pose((1.5, 0.5, 0.0), from_yaw(1.0)), Pose((9.0, 0.0, 0.0))
SETTINGS = MoveBaseSettings(cmd_vel="/cmd_vel", server_wait=20.0, refill=0.8, service_wait=20.0, pose_age=4.0,
                            odometry_age=4.0, status_age=10.0)
"""Patient, as on a busy machine."""
_SERVERS = count(1)


class Stack:
    """A base, a move_base with a name of its own, and the driver under test.

    A name is not used twice: rospy takes seconds to notice that a topic of its own process ended and came
    back.
    """

    def __init__(self, services: bool = True) -> None:
        self.settings = replace(SETTINGS, action=f"/move_base_{next(_SERVERS)}")
        self.base, self.driver = KinematicBase(), MoveBase("agv", self.settings)
        self.server = ReferenceMoveBase(self.base, services, name=self.settings.action)
        assert self.driver._client.wait_for_server(PATIENCE)

    def stop(self) -> None:
        self.server.stop()
        self.base.stop()

    def misbehaves(self, mode: str, text: str = "") -> None:
        assert mode in reference.MODES
        self.server.mode, self.server.text = (lambda: mode), text

    def go(self, pose: Pose = GOAL, seconds: float = PATIENCE) -> Outcome:
        return self.driver.go_to(pose, Deadline(seconds), Event(), lambda phase, part: None)

    def where(self) -> Pose:
        x, y, yaw = self.base.pose
        return Pose((x, y, 0.0), from_yaw(yaw))


@pytest.fixture
def stack(ros: None) -> Iterator[Stack]:
    stack = Stack()
    yield stack
    stack.stop()


def test_a_drive_that_a_driver_of_the_same_name_left_behind_is_ended(stack: Stack) -> None:
    leaving = Thread(target=stack.go, daemon=True)
    leaving.start()
    until(lambda: stack.base.moving, "drive")
    assert MoveBase("agv", stack.settings).end_leftovers().ok
    assert not stack.base.moving
    leaving.join(PATIENCE)


class TestConformance(BaseConformance):
    """What every base must do."""

    @pytest.fixture(autouse=True)
    def _rig(self, stack: Stack) -> None:
        self.rig = BaseRig(stack.driver, stack.where, lambda: stack.base.moving, GOAL, FAR, tolerance=0.12,
                           patience=PATIENCE, soon=PATIENCE, lose=stack.server.stop)


def test_a_place_that_no_path_leads_to_is_told_before_anything_moves(stack: Stack) -> None:
    outcome = stack.go(FAR)
    assert outcome.status is Status.PLANNING
    assert "no path" in outcome.message
    assert stack.server.goals == 0
    assert stack.server.clears == 1


@pytest.mark.parametrize(("text", "status", "words"), [
    (reference.NO_PLAN, Status.PLANNING, "unreachable"),
    (reference.NO_CONTROL, Status.EXECUTION, "blocked"),
    (reference.OSCILLATES, Status.EXECUTION, "oscillating"),
    (reference.BAD_QUATERNION, Status.INVALID, "quaternion"),
    ("", Status.EXECUTION, "gave up"),
])
def test_every_way_to_give_up_is_told_in_words(stack: Stack, text: str, status: Status, words: str) -> None:
    stack.misbehaves("aborts", text)
    outcome = stack.go()
    assert outcome.status is status
    assert words in outcome.message
    assert not stack.base.moving


def test_a_cancel_while_the_costmaps_are_filled_again_is_a_cancel(stack: Stack) -> None:
    cancel = Event()
    Thread(target=lambda: (until(lambda: stack.server.clears, "clearing"), cancel.set()), daemon=True).start()
    assert stack.driver.go_to(FAR, Deadline(PATIENCE), cancel, lambda phase,
                              part: None).status is Status.CANCELED
    assert stack.server.goals == 0


def test_an_aborted_goal_is_sent_again_after_the_costmaps_were_cleared(stack: Stack) -> None:
    stack.misbehaves("blocked")
    assert stack.go().ok
    assert (stack.server.goals, stack.server.clears) == (2, 1)


def test_a_server_that_never_answers_is_ended_at_the_deadline(stack: Stack) -> None:
    stack.misbehaves("silent")
    assert stack.go(seconds=1.0).status is Status.TIMEOUT


def test_a_frame_that_nobody_knows_keeps_no_one_waiting_for_ever(stack: Stack, ros: None) -> None:
    lost = MoveBase("agv", replace(stack.settings, map_frame="atlantis", server_wait=0.5))
    outcome = lost.go_to(GOAL, Deadline(PATIENCE), Event(), lambda phase, part: None)
    assert outcome.status is Status.LOST
    assert "'atlantis'" in outcome.message
    assert stack.server.goals == 0


def test_a_server_that_does_not_end_when_it_is_told_to_is_lost(stack: Stack) -> None:
    stack.misbehaves("deaf")
    outcome = stack.go(seconds=0.6)
    assert outcome.status is Status.LOST
    assert not stack.base.moving


def test_a_server_that_dies_does_not_leave_the_base_driving(stack: Stack) -> None:
    stack.misbehaves("dies")
    outcome = stack.go(Pose((3.5, 0.0, 0.0)))
    assert outcome.status is Status.LOST
    assert not stack.base.moving, "the velocity that it commanded last was still on"


def test_odometry_that_falls_silent_ends_the_drive_as_lost(stack: Stack) -> None:
    watchful = MoveBase("agv", replace(stack.settings, odometry_age=1.0))
    assert watchful._client.wait_for_server(PATIENCE)
    stack.misbehaves("blind")
    outcome = watchful.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert "odometry" in outcome.message
    assert not stack.base.moving


def test_odometry_without_numbers_shows_neither_life_nor_standstill(stack: Stack) -> None:
    watchful = MoveBase("agv", replace(stack.settings, odometry_age=1.0))
    assert watchful._client.wait_for_server(PATIENCE)
    stack.base.garbled = lambda: stack.base.moving
    outcome = watchful.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert "/odom holds numbers that are not finite" in outcome.message
    assert not stack.base.moving
    stack.base.garbled = lambda: True
    until(lambda: not watchful._odometry.standing())
    assert not watchful._odometry.wait_until_standing(Deadline(1.0)).ok


@pytest.mark.parametrize(("what", "topic", "status"), [
    ("odometry", "/odom", Status.LOST), ("scan", "/scan", Status.SAFETY)])
def test_stamps_from_the_future_let_nothing_drive_and_are_told_with_how_far_ahead(
    stack: Stack, what: str, topic: str, status: Status
) -> None:
    seeing = MoveBase("agv", replace(stack.settings, scan="/scan", scan_age=0.4, odometry_age=0.4))
    assert seeing._client.wait_for_server(PATIENCE)
    stack.base.ahead[what] = 3600.0
    until(lambda: seeing.alarm() is not None and "ahead of the clock" in seeing.alarm().message)
    outcome = seeing.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is status
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.AHEAD, (topic,))
    assert outcome.cause.seconds == pytest.approx(3600.0, abs=60.0)
    assert stack.server.goals == 0


def test_a_base_that_tf_loses_in_mid_drive_is_stopped(stack: Stack) -> None:
    watchful = MoveBase("agv", replace(stack.settings, pose_age=0.6))
    assert watchful._client.wait_for_server(PATIENCE)
    stack.base.no_map = lambda: stack.base.moving
    outcome = watchful.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.LOST
    assert outcome.cause is not None
    assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.LOCALISATION, ("base_link",))
    assert "s old" in outcome.message
    assert not stack.base.moving


@pytest.mark.parametrize(("scans", "frame", "why"), [
    ([math.nan] * 4, "base_link", "none of their ranges is a number"),
    ([math.inf] * 4, "laser_7", "TF does not know their frame 'laser_7'")])
def test_scans_by_which_nobody_sees_let_nothing_drive(
    stack: Stack, scans: List[float], frame: str, why: str
) -> None:
    seeing = MoveBase("agv", replace(stack.settings, scan="/scan", scan_age=0.4))
    assert seeing._client.wait_for_server(PATIENCE)
    stack.base.scans, stack.base.scan_frame = scans, frame
    until(lambda: seeing.alarm() is not None and why in seeing.alarm().message)
    outcome = seeing.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
    assert outcome.status is Status.SAFETY
    assert why in outcome.message
    assert stack.server.goals == 0


def test_a_lidar_that_falls_silent_ends_the_drive_and_the_next_does_not_begin(stack: Stack) -> None:
    seeing = MoveBase("agv", replace(stack.settings, scan="/scan", scan_age=0.4))
    assert seeing._client.wait_for_server(PATIENCE)
    stack.misbehaves("unseeing")
    for goals in (1, 1):
        outcome = seeing.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), lambda *_: None)
        assert outcome.status is Status.SAFETY
        assert "no scan has arrived on /scan" in outcome.message
        assert outcome.cause is not None
        assert (outcome.cause.kind, outcome.cause.names) == (CauseKind.STALE_SENSOR, ("/scan",))
        assert outcome.cause.seconds is not None
        assert outcome.cause.seconds > 0.4
        assert not stack.base.moving
        assert stack.server.goals == goals


def test_a_map_that_never_comes_is_told_and_moves_nothing(stack: Stack, ros: None) -> None:
    until(lambda: stack.driver.where() is not None)
    stack.base.no_map = lambda: True
    until(lambda: stack.driver.where() is None)
    unaware = MoveBase("agv", replace(stack.settings, server_wait=1.0))
    outcome = unaware.go_to(GOAL, Deadline(PATIENCE), Event(), lambda phase, part: None)
    assert outcome.status is Status.LOST
    assert "TF does not say where 'base_link' is in 'map'" in outcome.message
    assert stack.server.goals == 0


def test_it_knows_the_first_pose_that_a_path_leads_to(stack: Stack) -> None:
    assert stack.driver._odometry.wait_until_standing(Deadline(PATIENCE)).ok
    until(lambda: stack.driver.where() is not None)
    poses = [FAR, GOAL, Pose((0.5, 0.0, 0.0))]
    assert stack.driver.first_reached(poses, UNCONSTRAINED, Deadline(PATIENCE)) == Reached(GOAL)
    assert stack.driver.first_reached([FAR], UNCONSTRAINED, Deadline(PATIENCE)) == Reached()
    assert stack.server.goals == 0


def test_odometry_that_jumps_is_not_trusted(stack: Stack) -> None:
    stack.misbehaves("jumps")
    outcome = stack.go(Pose((3.5, 0.0, 0.0)))
    assert outcome.status is Status.EXECUTION
    assert "jumped by" in outcome.message
    assert stack.server.goals == 1


def test_a_goal_of_somebody_else_is_seen_and_told(stack: Stack) -> None:
    other = rospy.Publisher(f"{stack.settings.action}/goal", MoveBaseActionGoal, queue_size=1)
    until(lambda: other.get_num_connections() > 0)
    sent: List[bool] = []

    def interfere(_: str, part: float) -> None:
        if part > 0.1 and not sent:
            sent.append(True)
            theirs = MoveBaseActionGoal(goal=MoveBaseGoal(stack.driver._services.stamped(Pose((-1.0, 2.0,
                                                                                               0.0)))))
            theirs.goal_id.id, theirs.goal_id.stamp = "somebody-1", rospy.Time.now()
            theirs.header.stamp = rospy.Time.now()
            other.publish(theirs)

    outcome = stack.driver.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), interfere)
    assert outcome.status is Status.EXECUTION
    assert "another client took the base over: it was sent to (-1.00, 2.00)" in outcome.message
    assert not stack.base.moving
    other.unregister()


def test_a_server_that_is_not_there_is_lost_in_bounded_time(stack: Stack) -> None:
    stack.server.stop()
    assert stack.go().status is Status.LOST


def band(x: float, y: float = 0.0, width: float = 0.4, height: float = 6.0) -> Constraints:
    """A zone across the way, around a point."""
    corners = tuple((x + a * width / 2.0, y + b * height / 2.0)
                    for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return Constraints((KeepOut(corners, name="lawn"),))


def constrained(stack: Stack, constraints: Constraints) -> Outcome:
    goal = Pose((2.5, 0.0, 0.0))
    return stack.driver.go_to(goal, Deadline(PATIENCE), Event(), lambda *_: None, constraints=constraints)


def test_a_path_over_a_zone_is_refused_before_anything_moves(stack: Stack) -> None:
    outcome = constrained(stack, band(1.2))
    assert outcome.status is Status.PRECONDITION
    assert outcome.cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert stack.server.goals == 0


def test_the_footprint_counts_and_not_the_middle(stack: Stack) -> None:
    assert constrained(stack, band(1.2, 0.65, height=1.0)).cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert constrained(stack, band(1.2, 0.75, height=1.0)).ok


def test_a_goal_beside_which_a_zone_begins_is_refused(stack: Stack) -> None:
    assert constrained(stack, band(2.75)).cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert stack.server.goals == 0


def test_a_base_that_leaves_the_promised_path_is_stopped_before_the_zone(stack: Stack) -> None:
    stack.server.via = [(0.0, 4.0),
                        (2.5, 4.0)]  # make_plan leads around the zone, the base drives straight at it.
    outcome = constrained(stack, band(1.5, height=3.0))
    assert outcome.status is Status.EXECUTION
    assert outcome.cause == Cause(CauseKind.FORBIDDEN, ("lawn",))
    assert not stack.base.moving
    assert stack.base.pose[0] + 0.18 <= 1.3


def test_where_nobody_tells_the_path_a_drive_beside_a_zone_is_refused(ros: None) -> None:
    stack = Stack(services=False)
    outcome = stack.driver.go_to(GOAL, Deadline(PATIENCE), Event(), lambda *_: None,
                                 constraints=band(1.2, 4.0, height=1.0))
    stack.stop()
    assert outcome.status is Status.PRECONDITION
    assert outcome.cause == Cause(CauseKind.UNSUPPORTED, ("keep_out",))


def test_clearance_is_padding_for_one_drive_or_a_refusal(stack: Stack) -> None:
    usual = dict(stack.server.padding)
    seen: List[Dict[str, float]] = []
    outcome = stack.driver.go_to(GOAL, Deadline(PATIENCE), Event(),
                                 lambda *_: seen.append(dict(stack.server.padding)),
                                 constraints=Constraints(clearance=0.04))
    assert outcome.ok, outcome
    assert seen[0] == pytest.approx({name: value + 0.04 for name, value in usual.items()})
    assert stack.server.padding == usual
    stack.server.most_padding = 0.03
    refused = stack.driver.go_to(
        FAR, Deadline(PATIENCE), Event(), lambda *_: None, constraints=Constraints(clearance=0.04))
    assert refused.status is Status.PRECONDITION
    assert refused.cause == Cause(CauseKind.UNSUPPORTED, ("clearance",))


SLOWLY = Manner(speed=0.3, tolerance=0.03)


def with_planner(stack: Stack, **settings: str) -> MoveBase:
    told = MoveBase("agv", replace(stack.settings, planner="DWAPlannerROS", **settings))
    assert told._client.wait_for_server(PATIENCE)
    return told


def test_a_drive_can_be_slower_and_more_exact_and_the_next_is_as_before(stack: Stack) -> None:
    driver, seen = with_planner(stack), []
    goal = Pose((0.6, 0.0, 0.0))
    usual = dict(stack.server.parameters)
    outcome = driver.go_to(
        goal, Deadline(PATIENCE), Event(), lambda *_: seen.append(dict(stack.server.parameters)), SLOWLY)
    assert outcome.ok, outcome
    assert seen[0] == {"max_vel_x": 0.3, "max_vel_trans": 0.3, "xy_goal_tolerance": 0.03}
    assert math.dist(stack.base.pose[:2], goal.position[:2]) < 0.05
    assert stack.server.parameters == usual


def test_what_a_drive_changed_is_put_back_when_it_fails(stack: Stack) -> None:
    driver, usual = with_planner(stack), dict(stack.server.parameters)
    stack.misbehaves("aborts", reference.NO_CONTROL)
    assert driver.go_to(GOAL, Deadline(PATIENCE), Event(), lambda *_: None, SLOWLY).status is Status.EXECUTION
    assert stack.server.parameters == usual


@pytest.mark.parametrize(("settings", "least", "words"), [
    ({"speed_parameters": "max_speed"}, 0.1,
     "it has none of the parameters max_speed; it has: max_vel_trans, "),
    ({}, 0.5, "it keeps its max_vel_trans, max_vel_x")])
def test_a_planner_that_will_not_drive_slowly_moves_nothing(
    stack: Stack, settings: "dict[str, str]", least: float, words: str
) -> None:
    stack.server.least_speed = least
    outcome = with_planner(stack, **settings).go_to(GOAL, Deadline(PATIENCE), Event(), lambda *_: None,
                                                    SLOWLY)
    assert outcome.status is Status.PRECONDITION
    assert words in outcome.message
    assert stack.server.goals == 0


def test_a_claim_to_have_arrived_is_compared_with_where_the_base_is_seen(stack: Stack) -> None:
    stack.misbehaves("lies")
    robot = BaseRobot(stack.driver, {"visit": SkillUse("visit")}, stack.driver.where,
                      BaseSettings("agv", landmarks={"gate": Landmark(2.0, 0.0, math.pi)}))
    outcome = robot.execute(Command("visit", {"robot": "agv", "area": "gate"}), Deadline(PATIENCE), Event())
    assert outcome.status is Status.EXECUTION
    assert "is seen 2.00 m away" in outcome.message
