"""What every way to move fingers has in common: the port that it implements, and how a call of its action ends."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from importlib import import_module
from threading import Event
from typing import Any, Callable, Optional, Protocol

import rospy
from hicrisp_core.errors import ConfigError
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_client import CallStatus, Limits, Reply

from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.settings import GripperSettings, MoveItSettings

_SERVER_WAIT = 2.0
_PREEMPTION = 1.0
_LOOK_PERIOD, _ALONE = 0.1, 1.0
"""Between two looks at what grippers there are, and how long one of two kinds is alone before it counts, seconds."""


class GripperDrive(Protocol):
    """How the fingers are moved; what it says of the end is a claim."""

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers.

        Args:
            opening: metres.
            deadline: wall-clock limit of the call.
            cancel: event that ends the call when it is set.

        Returns:
            What the gripper reports.
        """

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force until something resists or the fingers meet.

        Args:
            force: newtons.
            deadline: wall-clock limit of the call.
            cancel: event that ends the call when it is set.

        Returns:
            What the gripper reports.
        """

    def stop(self) -> None:
        """End what runs."""


@dataclass(frozen=True)
class GripperParts:
    """What a drive may be made of.

    Args:
        wait: how long a drive may wait for its gripper when it is made, seconds of wall time.
    """

    settings: GripperSettings
    moveit: MoveItSettings
    fingers: JointWatch
    wait: float


@dataclass(frozen=True)
class GripperKind:
    """A kind of gripper that a robot's file can name: what makes its drive, and what that needs to be installed.

    ``make`` raises ConfigError where there is no such gripper, and ImportError where messages are missing.
    """

    make: Callable[[GripperParts], GripperDrive]
    needs: str = ""


def limits(deadline: Deadline) -> Limits:
    """Return the limits of a call of a gripper's action.

    Args:
        deadline: wall-clock limit of the call.

    Returns:
        Seconds for the server, the motion and its cancellation.
    """
    return Limits(min(_SERVER_WAIT, deadline.remaining), deadline.remaining, _PREEMPTION)


def ended(reply: Reply, name: str, failed: Callable[[Reply], Optional[Cause]]) -> Outcome:
    """Return the outcome of a gripper's action.

    Args:
        reply: how the call ended.
        name: of the action, for messages.
        failed: says why an action that the gripper ended itself did not work; ``None`` if it did.

    Returns:
        The outcome with its cause.
    """
    if reply.status in (CallStatus.SUCCEEDED, CallStatus.ABORTED):
        reason = failed(reply)
        return Outcome(Status.EXECUTION, reason.said, cause=reason) if reason else Outcome(Status.SUCCESS)
    status, kind, message = {
        CallStatus.PREEMPTED: (Status.CANCELED, CauseKind.CANCELED, "the fingers were stopped"),
        CallStatus.TIMEOUT: (Status.TIMEOUT, CauseKind.OUT_OF_TIME, "the time for the gripper ran out"),
        CallStatus.REJECTED: (Status.INVALID, CauseKind.REFUSED, f"'{name}' did not take the goal"),
        CallStatus.UNREACHABLE: (Status.LOST, CauseKind.UNREACHABLE_NODE, f"there is no gripper at '{name}'"),
        CallStatus.LOST: (Status.LOST, CauseKind.UNREACHABLE_NODE, f"the gripper at '{name}' went away"),
        CallStatus.STUCK: (Status.LOST, CauseKind.UNREACHABLE_NODE,
                           f"the gripper at '{name}' did not end when it was told to"),
    }[reply.status]
    blamed = (name,) if kind in (CauseKind.REFUSED, CauseKind.UNREACHABLE_NODE) else ()
    return Outcome.because(kind, status, message, *blamed)


def _served(settings: GripperSettings, deadline: Deadline) -> GripperSettings:
    """The settings with the kind that is served in the namespace of the actions.

    Franka's own actions go first: its hand takes every closing by GripperCommand for a grasp, and what it
    grasped so slipped out.

    Raises:
        ConfigError: when neither kind is served in time.
    """
    alone: Optional[Deadline] = None
    while not deadline.passed and not rospy.is_shutdown():
        topics = {name for name, _ in rospy.get_published_topics()}
        if f"{settings.action}/grasp/status" in topics:
            return replace(settings, kind="franka")
        if f"{settings.action}/gripper_action/status" in topics:
            alone = alone or Deadline(_ALONE)
            if alone.passed:
                return replace(settings, kind="gripper_command", action=f"{settings.action}/gripper_action")
        time.sleep(_LOOK_PERIOD)
    raise ConfigError(f"there is no gripper in '{settings.action}': neither its action grasp nor "
                      "gripper_action is served")


def make_drive(parts: GripperParts) -> GripperDrive:
    """Create the drive that the settings name.

    Args:
        parts: settings, joint states and patience.

    Returns:
        The drive.

    Raises:
        ConfigError: for an unknown kind, when its messages are not installed, or when its gripper is not there.
    """
    name = parts.settings.kind
    kind: GripperKind = extensions().grippers.get(name)
    try:
        return kind.make(parts)
    except ImportError as error:
        raise ConfigError(f"the gripper '{name}' needs {kind.needs or 'more'} ({error})") from error


def _drives(module: str) -> Any:
    """A module with drives, whose messages are not installed everywhere."""
    return import_module(f"hicrisp_moveit.{module}")


COMMAND = GripperKind(lambda parts: _drives("gripper_drives").CommandDrive(parts.settings))
FRANKA = GripperKind(lambda parts: _drives("gripper_franka").FrankaDrive(parts.settings),
                     needs="the package franka_gripper")
GROUP = GripperKind(lambda parts: _drives("gripper_drives").GroupDrive(parts.settings, parts.moveit, parts.fingers))
AUTO = GripperKind(
    lambda parts: make_drive(replace(parts, settings=_served(parts.settings, Deadline(parts.wait)))))
