"""Three kinds of grippers do what the skills ask for; what they say of it is compared with the fingers."""

from __future__ import annotations

from dataclasses import replace
from threading import Event, Thread
from typing import Any, Iterator, Tuple

import pytest
import rospy
from control_msgs.msg import GripperCommandAction, GripperCommandResult
from hicrisp_core.config.files import config_file
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.gripper_drives import CommandDrive
from hicrisp_moveit.gripper_franka import FrankaDrive
from hicrisp_moveit.gripper_port import GripperDrive, GripperParts, make_drive
from hicrisp_moveit.hand import Hand
from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.settings import GripperSettings, load_arm_file
from hicrisp_ros.action_server import ActionServer
from reference_franka import FINGERS, ReferenceGripper
from sensor_msgs.msg import JointState
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")
ARM = load_arm_file(config_file("robots", "panda_moveit"))


def told(**changed: Any) -> GripperSettings:
    """The settings of a gripper with the Panda's fingers."""
    return replace(ARM.gripper, **changed)


def drive_of(settings: GripperSettings, wait: float = 5.0) -> GripperDrive:
    """The drive that settings name."""
    fingers = JointWatch("/joint_states", FINGERS, 1.0, 0.0005, 0.2)
    return make_drive(GripperParts(settings, ARM.moveit, fingers, wait))


Pair = Tuple[ReferenceGripper, Hand]


@pytest.fixture
def pair(ros: None) -> Iterator[Pair]:
    gripper = ReferenceGripper()
    settings = told(kind="franka", action=gripper.action, speed=0.1)
    watch = JointWatch(gripper.joint_states, FINGERS, 5.0, 0.0005, 0.2)
    drive = FrankaDrive(settings)
    for client in (drive._move, drive._grasp, drive._stop, drive._homing):
        assert client.wait_for_server(PATIENCE)
    assert watch.wait_until_known(Deadline(PATIENCE))
    yield gripper, Hand(settings, drive, watch)
    gripper.close()


def test_the_fingers_open_and_close(pair: Pair) -> None:
    _, hand = pair
    for opening in (0.08, 0.02):
        assert hand.move(opening, Deadline(PATIENCE), Event()).ok
        assert hand.opening() == pytest.approx(opening, abs=0.001)


def test_a_grasp_presses_on_what_is_between_whatever_its_width(pair: Pair) -> None:
    gripper, hand = pair
    gripper.width, gripper.between = 0.08, 0.05
    assert hand.grasp(30.0, Deadline(PATIENCE), Event()).ok
    assert hand.opening() == pytest.approx(0.05, abs=0.001)
    assert gripper.force == 30.0


def test_a_grasp_of_nothing_closes(pair: Pair) -> None:
    _, hand = pair
    assert hand.grasp(30.0, Deadline(PATIENCE), Event()).ok
    assert hand.opening() == pytest.approx(0.0, abs=0.001)


def test_fingers_that_something_holds_up_are_told(pair: Pair) -> None:
    gripper, hand = pair
    gripper.width, gripper.between = 0.08, 0.05
    outcome = hand.move(0.02, Deadline(PATIENCE), Event())
    assert outcome.status is Status.EXECUTION
    assert outcome.message


def test_a_cancel_stops_the_fingers_although_the_server_does_not_heed_it(pair: Pair) -> None:
    gripper, hand = pair
    gripper.width, cancel = 0.0, Event()
    slow = FrankaDrive(told(kind="franka", action=gripper.action, speed=0.01))
    assert slow._move.wait_for_server(PATIENCE)
    gripper.on_step = lambda: gripper.width > 0.002 and cancel.set()
    assert slow.move(0.08, Deadline(PATIENCE), cancel).status is Status.CANCELED
    stopped, published = gripper.width, gripper.published
    assert stopped < 0.07
    until(lambda: gripper.published > published + 10, "ten more states of the fingers")
    assert gripper.width == stopped
    assert hand.opening() == pytest.approx(stopped, abs=0.001)


def test_homing_finds_the_ends(pair: Pair) -> None:
    gripper, _ = pair
    drive = FrankaDrive(told(kind="franka", action=gripper.action))
    assert drive._homing.wait_for_server(PATIENCE)
    assert drive.home(Deadline(PATIENCE)).ok
    assert gripper.homed == 1


def test_a_hand_that_lost_its_power_says_that_it_must_be_homed_and_how(pair: Pair) -> None:
    gripper, hand = pair
    gripper.powered_off = True
    for outcome in (hand.move(0.08, Deadline(PATIENCE), Event()), hand.grasp(30.0, Deadline(PATIENCE), Event())):
        assert outcome.status is Status.EXECUTION
        for words in ("Command failed!", "home it", f"{gripper.action}/homing/goal", "homing: true"):
            assert words in outcome.message
    assert gripper.homed == 0


def test_a_hand_that_may_home_itself_does_so_and_goes_on_but_never_with_something_in_it(pair: Pair) -> None:
    gripper, _ = pair
    settings = told(kind="franka", action=gripper.action, homing=True)
    hand = Hand(settings, FrankaDrive(settings), JointWatch(gripper.joint_states, FINGERS, 5.0, 0.0005, 0.2))
    homed, gripper.powered_off = gripper.homed, True
    assert hand.move(0.06, Deadline(PATIENCE), Event()).ok
    assert hand.opening() == pytest.approx(0.06, abs=0.001)
    gripper.between = 0.05
    assert hand.grasp(30.0, Deadline(PATIENCE), Event()).ok
    gripper.powered_off = True
    assert hand.move(0.08, Deadline(PATIENCE), Event()).status is Status.EXECUTION
    assert gripper.homed == homed + 1


def test_a_gripper_that_is_not_there_is_lost_in_bounded_time(ros: None) -> None:
    drive = FrankaDrive(told(kind="franka", action="/nowhere"))
    deadline = Deadline(PATIENCE)
    assert drive.move(0.02, deadline, Event()).status is Status.LOST
    assert not deadline.passed


def test_an_unknown_kind_is_refused_with_the_known_ones(ros: None) -> None:
    with pytest.raises(ConfigError, match="suction.*gripper_command, franka, group, auto"):
        drive_of(told(kind="suction"))
    assert drive_of(told(kind="group")) is not None


def test_frankas_own_actions_are_taken_where_they_are_served(pair: Pair) -> None:
    gripper, _ = pair
    drive = drive_of(told(kind="auto", action=gripper.action), PATIENCE)
    assert isinstance(drive, FrankaDrive)


def test_where_only_a_gripper_command_is_served_that_is_taken(ros: None) -> None:
    server = ActionServer("/other_hand/gripper_action", GripperCommandAction,
                          lambda _: GripperCommandResult()).start()
    settings = told(kind="auto", action="/other_hand")
    assert isinstance(drive_of(settings), CommandDrive)
    server.stop()


def test_where_no_gripper_is_served_the_namespace_is_told(ros: None) -> None:
    with pytest.raises(ConfigError, match="/nowhere.*grasp nor gripper_action"):
        drive_of(told(kind="auto", action="/nowhere"), 0.3)


class Knuckle:
    """A gripper behind GripperCommand, moved by one joint that turns: 85 mm open at ``open`` rad, shut at
    ``shut``; ``takes`` says what a goal's position is to it, and ``stuck`` that it does not move.
    """

    def __init__(self, name: str, open_: float, shut: float, takes: str = "joint") -> None:
        self.settings = GripperSettings(
            ("knuckle",), "gripper_command", f"/{name}", opening=((open_, 0.085), (shut, 0.0)), max_opening=0.085,
            command=takes)  # type: ignore[arg-type]
        self._open, self._shut, self._takes = open_, shut, takes
        self.opening, self.between, self.stuck, self.ended = 0.085, 0.0, False, Event()
        self._joints = rospy.Publisher(f"/{name}/joint_states", JointState, queue_size=5)
        self._server = ActionServer(self.settings.action, GripperCommandAction, self._on_goal).start()
        Thread(target=self._publish, daemon=True).start()
        watch = JointWatch(f"/{name}/joint_states", self.settings.fingers, 5.0, self.settings.way(0.0005), 0.2)
        drive = CommandDrive(self.settings)
        assert drive._client.wait_for_server(PATIENCE)
        assert watch.wait_until_known(Deadline(PATIENCE))
        self.hand = Hand(self.settings, drive, watch)

    def _on_goal(self, goal: Any) -> GripperCommandResult:
        asked = goal.message.command.position
        if self._takes == "joint":
            asked = 0.085 * (self._shut - asked) / (self._shut - self._open)
        if not self.stuck:
            self.opening = max(self.between, min(0.085, asked))
        return GripperCommandResult(position=asked, reached_goal=True)

    def _publish(self) -> None:
        while not self.ended.wait(0.02) and not rospy.is_shutdown():
            at = self._shut + (self._open - self._shut) * self.opening / 0.085
            message = JointState(name=["knuckle"], position=[at])
            message.header.stamp = rospy.Time.now()
            self._joints.publish(message)


@pytest.mark.parametrize(("open_", "shut", "takes"), [
    (0.0, 0.8, "joint"), (0.8, 0.0, "joint"), (0.0, -0.7, "joint"), (1.2, 0.1, "opening"), (0.0, 0.8, "opening")])
def test_a_hand_whose_joint_turns_opens_and_closes_whichever_way_it_turns(
    ros: None, open_: float, shut: float, takes: str
) -> None:
    name = f"hand_{10 * open_:.0f}_{abs(10 * shut):.0f}_{takes}"
    gripper = Knuckle(name, open_, shut, takes)
    hand = gripper.hand
    assert hand.opening() == pytest.approx(0.085, abs=1e-3)
    for opening in (0.03, 0.085):
        assert hand.move(opening, Deadline(PATIENCE), Event()).ok
        assert gripper.opening == pytest.approx(opening, abs=1e-3)
    gripper.between = 0.04
    assert hand.grasp(20.0, Deadline(PATIENCE), Event()).ok
    assert gripper.opening == pytest.approx(0.04)
    assert hand.opening() == pytest.approx(0.04, abs=1e-3)
    gripper.ended.set()


def test_a_grasp_by_fingers_that_stay_open_or_open_is_none_whatever_the_gripper_says(ros: None) -> None:
    gripper = Knuckle("stuck_hand", 0.0, 0.8)
    assert gripper.hand.move(0.06, Deadline(PATIENCE), Event()).ok
    gripper.stuck = True
    outcome = gripper.hand.grasp(20.0, Deadline(PATIENCE), Event())
    assert outcome.status is Status.EXECUTION
    assert "did not close" in outcome.message
    gripper.stuck, gripper.between = False, 0.085
    assert gripper.hand.grasp(20.0, Deadline(PATIENCE), Event()).status is Status.EXECUTION
    gripper.ended.set()
