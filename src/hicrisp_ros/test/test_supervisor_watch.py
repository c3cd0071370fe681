"""A driver stops its robot when the supervisor falls silent, and moves nothing under its emergency stop."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from threading import Event, Thread
from types import SimpleNamespace
from typing import Optional

import pytest
import rospy
from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.time import Deadline, LinkedEvent
from hicrisp_ros.conversions import COMMAND
from hicrisp_ros.ports.robot import RosRobot
from hicrisp_ros.robot_server import RobotServer, carry_out
from waiting import PATIENCE, until

from hicrisp_msgs.msg import EstopState, ExecuteCommandGoal

pytestmark = pytest.mark.usefixtures("ros")
NAMES = itertools.count()

SUPERVISOR = """
import sys, time, rospy
from hicrisp_msgs.msg import EstopState
rospy.init_node("beating", anonymous=True)
beat = rospy.Publisher(sys.argv[1], EstopState, queue_size=1)
while not rospy.is_shutdown():
    beat.publish(EstopState())
    time.sleep(0.1)
"""


def supervisor(topic: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", SUPERVISOR, topic], env=environment)


class Robot:
    """Moves until it is told to end."""

    def __init__(self) -> None:
        self.name = f"mover_{next(NAMES)}"
        self.moving = Event()
        self.commands = 0

    def capabilities(self) -> "tuple[str, ...]":
        return ("move",)

    def execute(self, command: Command, deadline: Deadline, cancel: LinkedEvent, progress: object) -> Outcome:
        self.commands += 1
        self.moving.set()
        stopped = cancel.wait(deadline.remaining)
        self.moving.clear()
        return Outcome(Status.CANCELED, "The arm stands still.") if stopped else Outcome(Status.SUCCESS)

    def stop(self, deadline: Deadline) -> Outcome:
        return Outcome(Status.SUCCESS)

    def reset(self) -> None:
        """Nothing is kept."""


@pytest.fixture
def topic(monkeypatch: pytest.MonkeyPatch) -> str:
    """A heartbeat of this test's own."""
    name = f"/heartbeat_{next(NAMES)}"
    monkeypatch.setattr("hicrisp_ros.supervisor_watch.HEARTBEAT", name)
    return name


class Rig:
    """A driver and who commands it; the supervisor that beats is another process."""

    def __init__(self, topic: str) -> None:
        self.robot = Robot()
        self.server = RobotServer(self.robot)  # type: ignore[arg-type]
        self.port = RosRobot(self.robot.name, ("move",), Event(), lambda _: None)
        heard = Event()
        self._ear = rospy.Subscriber(topic, EstopState, lambda _: heard.set())
        self.process = supervisor(topic)
        assert heard.wait(PATIENCE)

    def command(self, seconds: float = PATIENCE, cancel: Optional[Event] = None) -> Outcome:
        return self.port.execute(Command("move", robot=self.robot.name), Deadline(seconds), cancel or Event())


@pytest.mark.parametrize("how", ["kill", "hang"])
def test_a_motion_ends_when_the_supervisor_is_killed_or_hangs_and_none_begins_until_it_is_back(
        topic: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hicrisp_ros.robot_server._BACK_WITHIN", 0.1)
    rig = Rig(topic)
    done: "list[Outcome]" = []
    asker = Thread(target=lambda: done.append(rig.command()))
    asker.start()
    assert rig.robot.moving.wait(PATIENCE)
    os.kill(rig.process.pid, 9 if how == "kill" else 19)
    until(lambda: not rig.robot.moving.is_set(), "standstill")
    asker.join(PATIENCE)
    assert done[0].status is Status.SAFETY
    assert done[0].cause is not None
    assert (done[0].cause.kind, done[0].cause.names) == (CauseKind.UNREACHABLE_NODE, ("supervisor",))
    assert rig.command().status is Status.SAFETY
    assert rig.robot.commands == 1
    if how == "hang":
        os.kill(rig.process.pid, 18)
        until(lambda: rig.command(0.3).status is not Status.SAFETY, "motion")
    rig.process.kill()
    rig.process.wait(PATIENCE)


@pytest.mark.parametrize("canceled", [False, True])
def test_a_command_that_comes_before_the_first_heartbeat_of_the_next_supervisor_waits_for_it(
        topic: str, canceled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hicrisp_ros.robot_server._BACK_WITHIN", 10.0 * PATIENCE)
    rig = Rig(topic)
    rig.process.kill()
    rig.process.wait(PATIENCE)
    until(lambda: rig.server._health().level, "silence")
    cancel, done = Event(), []  # type: ignore[var-annotated]
    asker = Thread(target=lambda: done.append(rig.command(cancel=cancel)))
    asker.start()
    until(lambda: rig.server._doing is not None, "the command at the driver")
    if canceled:
        cancel.set()
        asker.join(PATIENCE)
        until(lambda: rig.server._doing is None, "the end of the wait")
        assert rig.robot.commands == 0
    else:
        following = supervisor(topic)
        assert rig.robot.moving.wait(PATIENCE)
        cancel.set()
        asker.join(PATIENCE)
        following.kill()
        following.wait(PATIENCE)
    assert done[0].status is not Status.SUCCESS


def test_a_wait_for_the_supervisor_is_part_of_the_time_of_the_command() -> None:
    waits: "list[float]" = []
    watch = SimpleNamespace(objection=lambda: None, wait_until_back=lambda seconds, cancel: waits.append(seconds))
    goal = SimpleNamespace(message=ExecuteCommandGoal(COMMAND.to_msg(Command("move")), 0.05), cancel=Event())
    carry_out(Robot(), goal, watch)  # type: ignore[arg-type]
    assert 0.0 < waits[0] <= 0.05


def test_under_the_emergency_stop_nothing_moves_whoever_commands(topic: str) -> None:
    robot = Robot()
    server = RobotServer(robot)  # type: ignore[arg-type]
    beat = rospy.Publisher(topic, EstopState, queue_size=1, latch=True)
    port = RosRobot(robot.name, ("move",), Event(), lambda _: None)

    def told(active: bool) -> Outcome:
        beat.publish(EstopState(active=active, reason="smoke"))
        return port.execute(Command("move", robot=robot.name), Deadline(0.3), Event())

    until(lambda: told(True).status is Status.SAFETY, "refusal")
    before = robot.commands
    assert "smoke" in told(True).message
    assert robot.commands == before
    until(lambda: told(False).status is not Status.SAFETY, "motion")
    del server
