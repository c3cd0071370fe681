"""What every gripper has in common, and the choice among them."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Event
from typing import Callable, Optional, Protocol

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.model import Outcome, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_client import CallStatus, Limits, Reply

from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.settings import AUTO, COMMAND, FRANKA, GRIPPERS, GripperSettings

_SERVER_WAIT = 2.0
_PREEMPTION = 1.0
_LOOK_PERIOD, _ALONE = 0.1, 1.0
"""Between two looks at what grippers there are, and how long one of two kinds is alone before it counts, seconds."""
_STILL = 1.0
"""Longest wait for the fingers to stand after the gripper has said that it is done, seconds."""


class Drive(Protocol):
    """How the fingers are moved; what it says of the end is a claim."""

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force, newtons, until something resists or the fingers meet."""

    def stop(self) -> None:
        """End what runs."""


class Hand:
    """A parallel gripper whose joint states are believed, not its drive."""

    def __init__(self, settings: GripperSettings, drive: Drive, fingers: JointWatch) -> None:
        self._settings = settings
        self._drive = drive
        self._fingers = fingers

    def opening(self) -> Optional[float]:
        """Metres between the fingers; ``None`` when that is not known."""
        positions = self._fingers.positions()
        return sum(positions) if positions is not None else None

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""
        largest = self._settings.max_opening
        if not -1e-6 <= opening <= largest + 1e-6:
            return Outcome(Status.INVALID, f"the fingers open from 0 to {largest:g} m, not {opening:.3f} m")
        outcome = self._refusal(deadline, cancel) or self._drive.move(min(max(opening, 0.0), largest), deadline, cancel)
        if not outcome.ok:
            return self._halted(outcome)
        found = self._stands()
        if found is None:
            return Outcome(Status.LOST, f"there are no joint states of the fingers on {self._fingers.topic}")
        if abs(found - opening) > self._settings.tolerance:
            return Outcome(Status.EXECUTION, f"the fingers stopped at {1000 * found:.0f} mm, not at "
                                             f"{1000 * opening:.0f} mm")
        return outcome

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force, newtons, until something resists or the fingers meet."""
        largest = self._settings.max_force
        if not 0.0 < force <= largest:
            return Outcome(Status.INVALID, f"the fingers press with more than 0 and up to {largest:g} N, not "
                                           f"{force:.1f} N")
        outcome = self._refusal(deadline, cancel) or self._drive.grasp(force, deadline, cancel)
        if not outcome.ok:
            return self._halted(outcome)
        if self._stands() is None:
            return Outcome(Status.LOST, f"there are no joint states of the fingers on {self._fingers.topic}")
        return outcome

    def stop(self) -> None:
        """End what runs."""
        self._drive.stop()

    def _refusal(self, deadline: Deadline, cancel: Event) -> Optional[Outcome]:
        if cancel.is_set():
            return Outcome(Status.CANCELED, "canceled before the fingers moved")
        if deadline.passed:
            return Outcome(Status.TIMEOUT, "the time for the gripper ran out")
        return None

    def _halted(self, outcome: Outcome) -> Outcome:
        if outcome.status in (Status.CANCELED, Status.TIMEOUT):
            self._drive.stop()
        return outcome

    def _stands(self) -> Optional[float]:
        """The opening once the fingers stand."""
        self._fingers.wait_until_standing(Deadline(_STILL))
        return self.opening()


def limits(deadline: Deadline) -> Limits:
    """The limits of a call of a gripper's action."""
    return Limits(min(_SERVER_WAIT, deadline.remaining), deadline.remaining, _PREEMPTION)


def ended(reply: Reply, name: str, failed: Callable[[Reply], str]) -> Outcome:
    """The outcome of a gripper's action; ``failed`` says why one that it ended itself did not work, or nothing."""
    if reply.status in (CallStatus.SUCCEEDED, CallStatus.ABORTED):
        reason = failed(reply)
        return Outcome(Status.EXECUTION, reason) if reason else Outcome(Status.SUCCESS)
    status, message = {
        CallStatus.PREEMPTED: (Status.CANCELED, "the fingers were stopped"),
        CallStatus.TIMEOUT: (Status.TIMEOUT, "the time for the gripper ran out"),
        CallStatus.REJECTED: (Status.INVALID, f"'{name}' did not take the goal"),
        CallStatus.UNREACHABLE: (Status.LOST, f"there is no gripper at '{name}'"),
        CallStatus.LOST: (Status.LOST, f"the gripper at '{name}' went away"),
        CallStatus.STUCK: (Status.LOST, f"the gripper at '{name}' did not end when it was told to"),
    }[reply.status]
    return Outcome(status, message)


def served(settings: GripperSettings, deadline: Deadline) -> GripperSettings:
    """The settings with the kind that is served in the namespace of the actions.

    Franka's own actions go first: its hand takes every closing by GripperCommand for a grasp, and what it grasped so
    slipped out.

    Raises:
        ConfigError: when neither kind is served in time.
    """
    alone: Optional[Deadline] = None
    while not deadline.passed and not rospy.is_shutdown():
        topics = {name for name, _ in rospy.get_published_topics()}
        if f"{settings.action}/grasp/status" in topics:
            return replace(settings, kind=FRANKA)
        if f"{settings.action}/gripper_action/status" in topics:
            alone = alone or Deadline(_ALONE)
            if alone.passed:
                return replace(settings, kind=COMMAND, action=f"{settings.action}/gripper_action")
        time.sleep(_LOOK_PERIOD)
    raise ConfigError(f"there is no gripper in '{settings.action}': neither its action grasp nor gripper_action is "
                      "served")


def make_drive(settings: GripperSettings, group: Callable[[], Drive], wait: float = 30.0) -> Drive:
    """The drive that the settings name; ``group`` makes the one that goes through MoveIt.

    Args:
        wait: how long the kind ``auto`` waits for a gripper, seconds of wall time.

    Raises:
        ConfigError: for an unknown kind, when its messages are not installed, or when ``auto`` finds none.
    """
    if settings.kind == AUTO:
        settings = served(settings, Deadline(wait))
    if settings.kind == FRANKA:
        try:
            from hicrisp_moveit.gripper_franka import FrankaDrive
        except ImportError as error:
            raise ConfigError(f"the gripper '{FRANKA}' needs the package franka_gripper ({error})") from error
        return FrankaDrive(settings)
    if settings.kind == COMMAND:
        from hicrisp_moveit.gripper_command import CommandDrive

        return CommandDrive(settings)
    if settings.kind in GRIPPERS:
        return group()
    raise ConfigError(f"'{settings.kind}' is no kind of gripper; there are: {', '.join(GRIPPERS)}")

