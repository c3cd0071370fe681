"""The driver against a move_base that behaves as the real one does, also when that is badly."""

from __future__ import annotations

import math
from dataclasses import replace
from threading import Event, Thread
from typing import List

import pytest
import reference_move_base as reference
import rospy
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.domain.wording import cause_text
from hicrisp_core.model import CauseKind, Command, Outcome, Pose, Status
from hicrisp_core.ports.robot import UNCONSTRAINED, Manner
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.drive_goals import Reached
from hicrisp_core.robot.landmarks import BaseSettings, Landmark
from hicrisp_core.robot.testing.base_conformance import BaseConformance, BaseRig
from hicrisp_core.scene import load_scene
from hicrisp_core.time.deadline import Deadline
from hicrisp_move_base.move_base import MoveBase
from move_base_msgs.msg import MoveBaseActionGoal, MoveBaseGoal
from move_base_stack import FAR, GOAL, Stack
from waiting import PATIENCE, until

from hicrisp_move_base import move_base

pytestmark = pytest.mark.usefixtures("ros")


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


def test_a_server_that_took_the_goal_and_says_nothing_is_not_waited_for_until_the_deadline(
        stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_base, "_BEGINS", 1.0)
    stack.misbehaves("silent")
    outcome = stack.go()
    assert outcome.status is Status.EXECUTION
    assert "move_base took the goal and has said nothing" in outcome.message


def test_a_frame_that_nobody_knows_keeps_no_one_waiting_for_ever(stack: Stack, ros: None) -> None:
    lost = MoveBase("agv", replace(stack.settings, map_frame="atlantis", server_wait=0.5))
    outcome = lost.go_to(GOAL, Deadline(PATIENCE), Event(), lambda phase, part: None)
    assert outcome.status is Status.LOST
    assert "'atlantis'" in outcome.message
    assert stack.server.goals == 0


def test_where_no_move_base_runs_that_and_the_action_are_named(stack: Stack) -> None:
    settings = replace(stack.settings, action="/nowhere", server_wait=2.5, service_wait=0.2, status_age=0.5)
    driver = MoveBase("agv", settings)
    outcome = driver.go_to(GOAL, Deadline(PATIENCE), Event(), lambda phase, part: None)
    assert outcome.status is Status.LOST
    for said in (outcome.message, cause_text(outcome.cause)):
        assert "no move_base took the goal" in said
        assert "/nowhere" in said


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


def test_it_knows_the_first_pose_that_a_path_leads_to(stack: Stack) -> None:
    assert stack.driver._odometry.wait_until_standing(Deadline(PATIENCE)).ok
    until(lambda: stack.driver.where() is not None)
    poses = [FAR, GOAL, Pose((0.5, 0.0, 0.0))]
    assert stack.driver.first_reached(poses, UNCONSTRAINED, Deadline(PATIENCE)) == Reached(GOAL)
    assert stack.driver.first_reached([FAR], UNCONSTRAINED, Deadline(PATIENCE)) == Reached()
    assert stack.server.goals == 0


def test_a_base_that_does_not_follow_its_commands_is_stopped_and_told(stack: Stack) -> None:
    stack.base.slips = True
    outcome = stack.go()
    assert outcome.status is Status.EXECUTION, outcome
    assert outcome.cause is not None
    assert outcome.cause.kind is CauseKind.HARDWARE
    assert "does not follow its commands on /cmd_vel" in outcome.message
    assert not stack.base.moving
    stack.base.slips = False
    assert stack.go().ok


@pytest.mark.parametrize("height", [-270.0, 0.8])
def test_a_base_that_is_not_on_its_floor_is_not_driven(stack: Stack, height: float) -> None:
    arena = load_scene("agv", 1).arena
    driver = MoveBase("agv", stack.settings, arena=arena)
    stack.base.height = height
    until(lambda: driver.where() is not None and driver.where().position[2] == height, "sight of the base")
    outcome = driver.go_to(GOAL, Deadline(PATIENCE), Event(), lambda phase, part: None)
    assert outcome.status is Status.LOST
    assert f"{abs(height):.1f} m {'below' if height < 0.0 else 'above'} the floor" in outcome.message
    assert stack.server.goals == 0


def test_a_base_that_falls_on_the_way_is_told(stack: Stack) -> None:
    driver = MoveBase("agv", stack.settings, arena=load_scene("agv", 1).arena)

    def falls(phase: str, part: float) -> None:
        stack.base.height = -5.0

    outcome = driver.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), falls)
    assert outcome.status is Status.LOST, outcome
    assert "5.0 m below the floor" in outcome.message


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


def test_who_took_the_base_over_is_told_also_where_that_is_heard_late(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    traffic, name = stack.driver._traffic, f"{stack.settings.action}/goal"
    traffic._subscribers[1].unregister()
    other, heard = rospy.Publisher(name, MoveBaseActionGoal, queue_size=1), []
    until(lambda: other.get_num_connections() > 0)

    def interfere(_: str, part: float) -> None:
        if part > 0.1 and not heard:
            pose = stack.driver._services.stamped(Pose((-1.0, 2.0, 0.0)))
            theirs = MoveBaseActionGoal(goal=MoveBaseGoal(pose))
            theirs.goal_id.id, theirs.goal_id.stamp = "somebody-1", rospy.Time.now()
            theirs._connection_header = {"callerid": "/somebody"}
            heard.append(theirs)
            other.publish(theirs)

    def stop(deadline: Deadline) -> Outcome:
        halted = stop_all(deadline)
        Thread(target=lambda: traffic._on_goal(heard[0])).start()
        return halted

    stop_all = stack.driver.stop
    monkeypatch.setattr(stack.driver, "stop", stop)
    outcome = stack.driver.go_to(Pose((3.5, 0.0, 0.0)), Deadline(PATIENCE), Event(), interfere)
    assert "another client took the base over: it was sent to (-1.00, 2.00) by /somebody" in outcome.message
    assert not stack.base.moving
    other.unregister()


def test_a_server_that_is_not_there_is_lost_in_bounded_time(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_base, "_BEGINS", 0.2)  # It took no goal, so nothing is to be heard of one.
    stack.server.stop()
    assert stack.go().status is Status.LOST


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
    ({}, 0.5, "it keeps its max_vel_trans at 0.50, max_vel_x at 0.50")])
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
