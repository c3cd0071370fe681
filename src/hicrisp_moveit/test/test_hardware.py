"""What the robot itself says: user stop, reflex and recovery, felt forces, collision behaviour."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator, Tuple

import pytest
import rospy
from franka_msgs.msg import Errors, FrankaState
from hicrisp_core.model import CauseKind, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_moveit.hardware import FrankaHardware
from hicrisp_moveit.settings import FrankaSettings
from reference_franka import ReferenceControl
from waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("ros")
Pair = Tuple[ReferenceControl, FrankaHardware]


@pytest.fixture
def pair(ros: None) -> Iterator[Pair]:
    control = ReferenceControl()
    hardware = FrankaHardware(replace(control.settings, recovery_wait=PATIENCE))
    assert hardware._recovery.wait_for_server(PATIENCE)
    until(lambda: hardware.alarm() is None)
    yield control, hardware
    control.close()


def felt(hardware: FrankaHardware) -> float:
    """The upward force of the newest state that has arrived, newtons."""
    assert hardware._state is not None
    return float(hardware._state.O_F_ext_hat_K[2])


def test_a_robot_that_is_well_may_move(pair: Pair) -> None:
    _, hardware = pair
    assert hardware.ready(Deadline(PATIENCE)) is None


def test_a_pressed_user_stop_is_told_and_never_overridden(pair: Pair) -> None:
    control, hardware = pair
    control.mode = FrankaState.ROBOT_MODE_USER_STOPPED
    until(lambda: hardware.alarm() is not None)
    refusal = hardware.ready(Deadline(PATIENCE))
    assert refusal is not None
    assert refusal.status is Status.SAFETY
    assert "user stop" in refusal.message
    assert control.recoveries == 0


def test_a_reflex_ends_a_motion_with_its_cause_and_is_recovered_from_before_the_next(pair: Pair) -> None:
    control, hardware = pair
    control.errors, control.mode = Errors(cartesian_reflex=True), FrankaState.ROBOT_MODE_REFLEX
    until(lambda: hardware.alarm() is not None)
    alarm = hardware.alarm()
    assert alarm is not None
    assert alarm.status is Status.EXECUTION
    assert "cartesian reflex" in alarm.message
    assert hardware.ready(Deadline(PATIENCE)) is None
    assert control.recoveries == 1


def test_a_reflex_that_stays_is_a_refusal(pair: Pair) -> None:
    control, hardware = pair
    control.recovers, control.mode = False, FrankaState.ROBOT_MODE_REFLEX
    until(lambda: hardware.alarm() is not None)
    refusal = hardware.ready(Deadline(PATIENCE))
    assert refusal is not None
    assert not refusal.ok
    assert control.recoveries == 1


def test_a_robot_that_says_nothing_any_more_is_lost(pair: Pair) -> None:
    control, hardware = pair
    control.silent = True
    until(lambda: hardware.alarm() is not None)
    alarm = hardware.alarm()
    assert alarm is not None
    assert alarm.status is Status.LOST


@pytest.mark.parametrize("seconds", [-60.0, 0.0], ids=["late", "standing still"])
def test_a_robot_that_goes_on_with_an_old_stamp_is_lost_and_its_age_told(pair: Pair, seconds: float) -> None:
    control, hardware = pair
    old = rospy.Time.now() + rospy.Duration.from_sec(seconds)
    control.stamp = lambda: old
    until(lambda: hardware.alarm() is not None)
    lost = hardware.alarm()
    assert lost is not None
    assert lost.status is Status.LOST
    assert lost.cause is not None
    assert (lost.cause.kind, lost.cause.names) == (CauseKind.STALE_SENSOR, (control.settings.states,))
    assert lost.cause.seconds is not None
    assert lost.cause.seconds >= control.settings.state_age


def test_a_push_on_the_tool_is_a_contact_only_while_it_is_felt_for(pair: Pair) -> None:
    control, hardware = pair
    control.force = (0.0, 0.0, 2.0)
    until(lambda: felt(hardware) == 2.0, "light push")
    hardware.begin_guard()
    control.force = (0.0, 0.0, 6.0)
    until(lambda: felt(hardware) == 6.0, "push")
    shown = control.published
    until(lambda: control.published > shown + 10, "ten more states")
    assert hardware.contact() is None
    control.force = (0.0, 0.0, 11.0)
    until(lambda: hardware.contact() is not None)
    contact = hardware.contact()
    assert contact is not None
    assert contact.status is Status.EXECUTION
    assert "(9 N)" in contact.message
    hardware.end_guard()
    assert hardware.contact() is None


def test_the_collision_behaviour_is_set_or_the_refusal_told(pair: Pair) -> None:
    control, hardware = pair
    assert hardware.set_collision_behaviour(PATIENCE) == ""
    assert control.behaviour is not None
    assert tuple(control.behaviour.upper_force_thresholds_nominal) == FrankaSettings().collision_forces
    control.refuses = "a controller is running"
    assert hardware.set_collision_behaviour(PATIENCE) == "a controller is running"
