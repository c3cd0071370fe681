"""What every way to move fingers has in common: the port that it implements, and how a call of its action
ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import Callable, Optional, Protocol

from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.time.deadline import Deadline
from hicrisp_ros.action_client import CallStatus, Limits, Reply

from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.settings import GripperSettings, MoveItSettings

_SERVER_WAIT = 2.0
_PREEMPTION = 1.0


class Drive(Protocol):
    """How the fingers are moved; what it says of the end is a claim."""

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force, newtons, until something resists or the fingers meet."""

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
    """A kind of gripper that a robot's file can name: what makes its drive, and what that needs to be
    installed.

    ``make`` raises ConfigError where there is no such gripper, and ImportError where messages are missing.
    """

    make: Callable[[GripperParts], Drive]
    needs: str = ""


def limits(deadline: Deadline) -> Limits:
    """The limits of a call of a gripper's action."""
    return Limits(min(_SERVER_WAIT, deadline.remaining), deadline.remaining, _PREEMPTION)


def ended(reply: Reply, name: str, failed: Callable[[Reply], Optional[Cause]]) -> Outcome:
    """The outcome of a gripper's action; ``failed`` says why one that it ended itself did not work, or
    nothing.
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
