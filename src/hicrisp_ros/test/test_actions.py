"""The action server and client, on a graph whose ROS clock stands still."""

from __future__ import annotations

import itertools
from threading import Event, Thread
from typing import Iterator, List

import pytest
import rospy
from actionlib_msgs.msg import GoalID, GoalStatus, GoalStatusArray
from hicrisp_ros.action_client import ActionClient, CallStatus, Limits
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.wall_clock import WallTimer
from waiting import PATIENCE, until

from hicrisp_msgs.msg import (
    ExecuteCommandAction,
    ExecuteCommandActionGoal,
    ExecuteCommandActionResult,
    ExecuteCommandFeedback,
    ExecuteCommandGoal,
    ExecuteCommandResult,
    Outcome,
)

pytestmark = pytest.mark.usefixtures("ros")
NAMES = itertools.count()
PATIENT = Limits(server=PATIENCE, execution=PATIENCE, preemption=PATIENCE)


class Looked(Event):
    """A cancel that counts how often somebody who waits has looked at it."""

    looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return super().is_set()


class Robot:
    """Carries out commands as their action says: "work", "wait" for the cancel, "sulk" through it until
    ``relents`` is set, or "break"."""

    def __init__(self, concurrent: bool = False) -> None:
        self.name = f"robot_{next(NAMES)}"
        self.seen: List[str] = []
        self.relents = Event()
        self.server = ActionServer(self.name, ExecuteCommandAction, self.execute, concurrent).start()
        self.client = ActionClient(self.name, ExecuteCommandAction)
        assert self.client.wait_for_server(PATIENCE)

    def execute(self, goal: Goal) -> ExecuteCommandResult:
        action = goal.message.command.action
        self.seen.append(action)
        goal.feedback(ExecuteCommandFeedback("begun", 0.5))
        if action == "break":
            raise ValueError("the arm fell off")
        if action == "wait":
            assert goal.cancel.wait(PATIENCE)
            return ExecuteCommandResult(Outcome(status=Outcome.CANCELED, message="stopped"))
        if action == "sulk":
            self.relents.wait(PATIENCE)
        return ExecuteCommandResult(Outcome(status=Outcome.SUCCESS, message=action))


@pytest.fixture
def robot() -> Iterator[Robot]:
    robot = Robot()
    yield robot
    robot.relents.set()
    robot.server.stop()


def command(action: str) -> ExecuteCommandGoal:
    goal = ExecuteCommandGoal()
    goal.command.action = action
    return goal


def test_a_goal_comes_back_with_its_result_and_feedback(robot: Robot) -> None:
    phases: List[str] = []

    def heard(feedback: ExecuteCommandFeedback) -> None:
        phases.append(feedback.phase)
        robot.relents.set()  # Feedback that comes after the result, on a topic of its own, is for nobody.

    reply = robot.client.call(command("sulk"), PATIENT, on_feedback=heard)
    assert reply.ok
    assert reply.result.outcome.message == "sulk"
    assert phases == ["begun"]


def test_goals_sent_back_to_back_are_all_carried_out_in_their_order(robot: Robot) -> None:
    """None is lost between two: a server that looks for a new goal without its lock misses some."""
    actions = [f"work {number}" for number in range(100)]
    assert all(robot.client.call(command(action), PATIENT).ok for action in actions)
    assert robot.seen == actions


def test_an_exception_comes_back_as_aborted_with_its_message(robot: Robot) -> None:
    reply = robot.client.call(command("break"), PATIENT)
    assert reply.status is CallStatus.ABORTED
    assert "the arm fell off" in reply.message
    assert robot.client.call(command("work"), PATIENT).ok


def test_a_cancel_ends_the_goal(robot: Robot) -> None:
    cancel = Event()
    reply = robot.client.call(command("wait"), PATIENT, cancel, on_feedback=lambda _: cancel.set())
    assert reply.status is CallStatus.PREEMPTED
    assert reply.result.outcome.status == Outcome.CANCELED


def test_a_goal_past_its_limit_is_told_to_end(robot: Robot) -> None:
    reply = robot.client.call(command("wait"), Limits(server=PATIENCE, execution=0.2, preemption=PATIENCE))
    assert reply.status is CallStatus.TIMEOUT
    assert reply.result.outcome.status == Outcome.CANCELED


def test_a_goal_that_does_not_end_is_left_after_the_preemption_limit(robot: Robot) -> None:
    reply = robot.client.call(command("sulk"), Limits(server=PATIENCE, execution=0.1, preemption=0.3))
    assert reply.status is CallStatus.STUCK
    robot.relents.set()
    assert robot.client.call(command("work"), PATIENT).ok


def test_who_presses_a_server_that_goes_on_is_called_and_the_goal_ends_in_order(robot: Robot) -> None:
    limits = Limits(server=PATIENCE, execution=0.1, preemption=PATIENCE)
    assert robot.client.call(command("sulk"), limits, press=robot.relents.set).status is CallStatus.TIMEOUT


def test_a_cancel_before_the_goal_is_sent_moves_nothing(robot: Robot) -> None:
    cancel = Event()
    cancel.set()
    assert robot.client.call(command("work"), PATIENT, cancel).status is CallStatus.PREEMPTED
    assert robot.seen == []


def test_a_new_goal_takes_the_place_of_the_running_one(robot: Robot) -> None:
    replies = []
    thread = Thread(target=lambda: replies.append(robot.client.call(command("wait"), PATIENT)))
    thread.start()
    until(lambda: robot.seen, "goal that runs")
    assert robot.client.call(command("work"), PATIENT).ok
    thread.join(PATIENCE)
    assert replies[0].status is CallStatus.PREEMPTED


def test_a_missing_server_is_reported_within_the_limit() -> None:
    reply = ActionClient("nobody", ExecuteCommandAction).call(command("work"), Limits(server=0.3))
    assert reply.status is CallStatus.UNREACHABLE


@pytest.mark.parametrize("limit", [0.3, PATIENCE])
def test_a_server_that_was_sent_the_goal_and_never_said_so_may_have_begun(robot: Robot, limit: float) -> None:
    """Whether its time is up, or it has gone before that: it must not be told as never begun."""
    statuses = robot.server._server.status_pub
    until(lambda: robot.client._ready, "server that was heard once")
    robot.server._server.status_pub = rospy.Publisher(f"{robot.name}/unheard", GoalStatusArray, queue_size=1)

    def go_away() -> None:
        until(lambda: robot.seen, "goal that runs")
        statuses.unregister()

    if limit == PATIENCE:
        Thread(target=go_away).start()
    reply = robot.client.call(command("sulk"), Limits(limit, PATIENCE, PATIENCE))
    assert reply.status is CallStatus.LOST
    until(lambda: robot.seen, "goal that had been sent")


def test_a_server_that_goes_away_loses_the_goal(robot: Robot) -> None:
    reply = robot.client.call(
        command("sulk"), PATIENT, on_feedback=lambda _: Thread(target=robot.server.stop, daemon=True).start())
    assert reply.status is CallStatus.LOST


def test_a_server_that_comes_late_still_gets_the_goal() -> None:
    name = f"robot_{next(NAMES)}"
    client, looked = ActionClient(name, ExecuteCommandAction), Looked()
    replies = []
    thread = Thread(target=lambda: replies.append(client.call(command("work"), PATIENT, looked)))
    thread.start()
    until(lambda: looked.looks > 2, "search for the server")
    server = ActionServer(name, ExecuteCommandAction, lambda goal: ExecuteCommandResult()).start()
    thread.join(PATIENCE)
    server.stop()
    assert replies[0].ok


def test_what_another_client_left_running_is_ended_and_what_came_later_is_not(robot: Robot) -> None:
    replies = []
    thread = Thread(target=lambda: replies.append(robot.client.call(command("wait"), PATIENT)))
    thread.start()
    other = ActionClient(robot.name, ExecuteCommandAction)
    until(lambda: robot.seen, "goal that runs")
    assert other.end_others(PATIENCE)
    assert other.call(command("work"), PATIENT).ok
    thread.join(PATIENCE)
    assert replies[0].status is CallStatus.PREEMPTED


def test_ending_what_others_left_fails_within_the_limit_without_a_server() -> None:
    assert not ActionClient("nobody", ExecuteCommandAction).end_others(0.3)


def test_who_connects_too_late_still_hears_how_a_goal_ended(robot: Robot) -> None:
    """A client believes itself connected a moment before it is; a refused goal may end in that moment."""
    assert robot.client.call(command("work"), PATIENT).ok
    heard: List[ExecuteCommandActionResult] = []
    late = rospy.Subscriber(f"{robot.name}/result", ExecuteCommandActionResult, heard.append)
    until(lambda: heard, "result")
    late.unregister()
    assert heard[0].result.outcome.message == "work"


def test_a_client_may_be_made_while_its_server_speaks(robot: Robot, caplog: pytest.LogCaptureFixture) -> None:
    """The status is latched: rospy hands it over before the subscriber is complete."""
    assert ActionClient(robot.name, ExecuteCommandAction).call(command("work"), PATIENT).ok
    assert "bad callback" not in caplog.text


@pytest.mark.parametrize(("empty_result", "status", "message"), [
    (False, CallStatus.LOST, "its result did not arrive"),
    (True, CallStatus.ABORTED, "as its status says")])
def test_a_result_that_is_lost_on_the_way_does_not_hold_the_client_up(
    empty_result: bool, status: CallStatus, message: str
) -> None:
    name = f"robot_{next(NAMES)}"
    parts = ExecuteCommandAction()
    listed = rospy.Publisher(f"{name}/status", GoalStatusArray, queue_size=1)
    silent = [rospy.Publisher(f"{name}/{topic}", type(part), queue_size=1)
              for topic, part in (("result", parts.action_result), ("feedback", parts.action_feedback))]
    done: List[GoalStatus] = []
    rospy.Subscriber(f"{name}/cancel", GoalID)
    rospy.Subscriber(f"{name}/goal", type(parts.action_goal),
                     lambda goal: done.append(GoalStatus(goal.goal_id, GoalStatus.ABORTED,
                                                         "as its status says")))
    timer = WallTimer(0.1, lambda: listed.publish(GoalStatusArray(status_list=done)), "status")
    reply = ActionClient(name, ExecuteCommandAction, empty_result).call(command("work"), PATIENT)
    timer.shutdown()
    for publisher in (listed, *silent):
        publisher.unregister()
    assert reply.status is status
    assert message in reply.message


def test_a_copy_of_a_goal_that_comes_long_after_its_end_is_not_carried_out_again(robot: Robot) -> None:
    goals = rospy.Publisher(f"{robot.name}/goal", ExecuteCommandActionGoal, queue_size=5)
    until(goals.get_num_connections)
    sent = {}
    for name in ("work", "more_work"):
        sent[name] = ExecuteCommandActionGoal()
        sent[name].goal_id.id = sent[name].goal.command.action = name
    goals.publish(sent["work"])
    until(lambda: robot.seen == ["work"] and not robot.server._all)
    robot.server._server.status_list.clear()  # As time does.
    goals.publish(sent["work"])
    goals.publish(sent["more_work"])
    until(lambda: robot.seen[-1:] == ["more_work"])
    assert robot.seen == ["work", "more_work"]


def test_a_concurrent_server_runs_goals_side_by_side() -> None:
    robot = Robot(concurrent=True)
    cancel = Event()
    replies = []
    thread = Thread(target=lambda: replies.append(robot.client.call(command("wait"), PATIENT, cancel)))
    thread.start()
    until(lambda: robot.seen, "goal that runs")
    assert robot.client.call(command("work"), PATIENT).ok
    assert not replies
    cancel.set()
    thread.join(PATIENCE)
    assert replies[0].status is CallStatus.PREEMPTED
