"""A robot behind its action: what was left running by somebody else ends before anything new begins."""

from __future__ import annotations

import itertools
from threading import Event, Thread
from typing import Iterator, List

import pytest
import rospy
from actionlib_msgs.msg import GoalID
from geometry_msgs.msg import Twist
from hicrisp_core.model import Command, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_server import ActionServer, Goal
from hicrisp_ros.ports.robot import BYPASS, RosRobot
from waiting import PATIENCE, until

from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandResult, Outcome

pytestmark = pytest.mark.usefixtures("ros")
NAMES = itertools.count()


class Driver:
    """Works for half a second, or until it is told to end."""

    def __init__(self) -> None:
        self.name = f"arm_{next(NAMES)}"
        self.begun = Event()
        self.ended: List[int] = []
        self._server = ActionServer(f"robots/{self.name}/execute", ExecuteCommandAction,
                                    self._execute).start()

    def _execute(self, goal: Goal) -> ExecuteCommandResult:
        self.begun.set()
        seconds = PATIENCE if goal.message.command.action == "long" else 0.5
        status = Outcome.CANCELED if goal.cancel.wait(seconds) else Outcome.SUCCESS
        self.ended.append(status)
        return ExecuteCommandResult(Outcome(status=status))

    def vanish(self) -> None:
        """Say nothing any more, as a process that was killed; the goal runs on."""
        server = self._server._server
        server.started = False
        for topic in (server.status_pub, server.result_pub, server.feedback_pub):
            topic.unregister()

    def stop(self) -> None:
        self._server.stop()


@pytest.fixture
def driver() -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.stop()


def port(driver: Driver) -> RosRobot:
    return RosRobot(driver.name, ("work", "long"), Event(), lambda _: None)


def test_a_command_sent_while_leftovers_are_cleared_is_not_canceled_with_them(driver: Driver) -> None:
    robot = port(driver)
    robot.clear(PATIENCE)
    assert robot.execute(Command("work", robot=driver.name), Deadline(PATIENCE), Event()).ok
    assert driver.ended == [Outcome.SUCCESS]


def test_what_another_supervisor_left_running_ends_first(driver: Driver) -> None:
    before = Thread(target=port(driver).execute,
                    args=(Command("long", robot=driver.name), Deadline(PATIENCE), Event()))
    before.start()
    assert driver.begun.wait(PATIENCE)
    robot = port(driver)
    robot.clear(PATIENCE)
    assert robot.execute(Command("work", robot=driver.name), Deadline(PATIENCE),
                         Event()).status is Status.SUCCESS
    assert driver.ended == [Outcome.CANCELED, Outcome.SUCCESS]
    before.join(PATIENCE)


def test_a_stop_confirms_that_nothing_runs_any_more(driver: Driver) -> None:
    robot, outcomes = port(driver), []  # type: ignore[var-annotated]
    asker = Thread(target=lambda: outcomes.append(robot.execute(
        Command("long", robot=driver.name), Deadline(PATIENCE), Event())))
    asker.start()
    assert driver.begun.wait(PATIENCE)
    assert robot.stop(Deadline(PATIENCE)).ok
    assert driver.ended == [Outcome.CANCELED]
    asker.join(PATIENCE)


def test_a_stop_that_reaches_the_driver_late_leaves_the_next_command_alone(driver: Driver) -> None:
    server = driver._server._server
    take = server.internal_cancel_callback
    server.cancel_sub.unregister()
    late = rospy.Subscriber(f"robots/{driver.name}/execute/cancel", GoalID,
                            lambda goal: (driver.begun.wait(PATIENCE), take(goal)))
    robot = port(driver)
    until(lambda: late.get_num_connections(), "way of a cancellation")
    assert robot.stop(Deadline(PATIENCE)).ok
    assert robot.execute(Command("work", robot=driver.name), Deadline(PATIENCE), Event()).ok
    assert driver.ended == [Outcome.SUCCESS]


def test_a_driver_that_goes_away_under_a_command_is_lost_in_plain_words(driver: Driver) -> None:
    robot, cancel, outcomes = port(driver), Event(), []  # type: ignore[var-annotated]
    asker = Thread(target=lambda: outcomes.append(robot.execute(
        Command("long", robot=driver.name), Deadline(PATIENCE), cancel)))
    asker.start()
    assert driver.begun.wait(PATIENCE)
    driver.vanish()
    asker.join(PATIENCE)
    assert outcomes[0].status is Status.LOST
    assert outcomes[0].message.endswith(f"so nobody knows whether {driver.name} stands.")


def test_a_base_whose_driver_hangs_is_stopped_past_it(driver: Driver) -> None:
    assert not port(driver).bypass(lambda: True)  # An arm's driver names no topic.
    rospy.set_param(f"robots/{driver.name}/{BYPASS}", {"cancel": "/past/move_base/cancel", "zero": "/past/cmd_vel"})
    heard: List[str] = []
    listeners = [rospy.Subscriber("/past/move_base/cancel", GoalID, lambda _: heard.append("cancel")),
                 rospy.Subscriber("/past/cmd_vel", Twist, lambda told: heard.append(f"{told.linear.x:g}"))]
    stop = Event()
    stop.set()
    assert port(driver).bypass(stop.is_set)
    until(lambda: {"cancel", "0"} <= set(heard), "a stop past the driver")
    stop.clear()
    for listener in listeners:
        listener.unregister()
