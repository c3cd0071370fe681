"""A robot behind its action: RobotPort over ROS."""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Callable, Optional, Sequence

import rospy
from actionlib_msgs.msg import GoalID
from geometry_msgs.msg import Twist
from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.ports.robot import Progress
from hicrisp_core.time import Deadline, LinkedEvent

from hicrisp_msgs.msg import ExecuteCommandAction, ExecuteCommandGoal
from hicrisp_ros.action_client import ActionClient, CallStatus, Limits
from hicrisp_ros.conversions import COMMAND, OUTCOME
from hicrisp_ros.publisher import Publisher

SERVER_WAIT = 10.0
PREEMPTION = 10.0
RETURN_LIMIT = 15.0
"""Seconds in which a driver that went away under a command may come back, so that it is known whether its
robot stands."""

_WITHOUT_OUTCOME = {
    CallStatus.PREEMPTED: (Status.CANCELED, CauseKind.CANCELED),
    CallStatus.TIMEOUT: (Status.TIMEOUT, CauseKind.OUT_OF_TIME),
    CallStatus.STUCK: (Status.LOST, CauseKind.UNREACHABLE_NODE),
    CallStatus.LOST: (Status.LOST, CauseKind.UNREACHABLE_NODE),
    CallStatus.UNREACHABLE: (Status.LOST, CauseKind.UNREACHABLE_NODE),
    CallStatus.REJECTED: (Status.INVALID, CauseKind.REFUSED),
    CallStatus.ABORTED: (Status.EXECUTION, CauseKind.UNKNOWN),
    CallStatus.SUCCEEDED: (Status.INVALID, CauseKind.UNKNOWN),
}
"""What a call is where the driver gives no outcome of its own, and what began that."""
_ESTOP = "the emergency stop"
_SLICE = 0.5
BYPASS = "bypass"
"""Parameter below ``robots/<name>`` by which a base's driver says how others stop the base without it."""
_ZERO_PERIOD = 0.05
"""Wall seconds between two commands of zero velocity."""


class RosRobot:
    """A robot whose driver serves ``robots/<name>/execute``.

    Args:
        capabilities: names of the domain's actions that it can carry out.
        estop: while set, nothing is sent and what runs is ended.
        ended: called after every command, with when its driver said so, seconds of its ROS clock; 0 where it
            said nothing.
        hold: waits before a command is sent, until one may be or its event is set; without it, none waits.
    """

    def __init__(self, name: str, capabilities: Sequence[str], estop: Event,
                 ended: Callable[[float], None], hold: Optional[Callable[[Event], None]] = None) -> None:
        self.name = name
        self._capabilities = tuple(capabilities)
        self._estop = estop
        self._ended = ended
        self._hold = hold
        self.busy = False
        """Whether a command was sent and has not ended."""
        self._client = ActionClient(f"robots/{name}/execute", ExecuteCommandAction)
        self._clearing: Optional[Thread] = None

    @property
    def connected(self) -> bool:
        """Whether the driver's server is connected."""
        return self._client.connected

    @property
    def known(self) -> bool:
        """Whether there is a driver, connected or about to be."""
        return self._client.known

    def capabilities(self) -> Sequence[str]:
        """Return the actions of the domain that this robot can carry out.

        Returns:
            Names of actions.
        """
        return self._capabilities

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry out one command and wait for the driver's outcome.

        Args:
            command: the action with its arguments and constraints.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.
            progress: called with the name of the phase and the completed share, 0 to 1.

        Returns:
            The outcome; LOST if the driver cannot be reached.
        """
        if self._clearing is not None:
            self._clearing.join(min(SERVER_WAIT, deadline.remaining))
        left, ends = deadline.remaining, LinkedEvent(cancel, self._estop)
        if self._hold is not None:
            self._hold(ends)
        self.busy = True
        try:
            return self._carry_out(command, Deadline(left), cancel, progress)
        finally:
            self.busy = False

    def _carry_out(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress]
    ) -> Outcome:
        if self._estop.is_set():
            return Outcome.because(CauseKind.STOPPED, Status.SAFETY, f"{_ESTOP} is active", _ESTOP)
        goal = ExecuteCommandGoal(COMMAND.to_msg(command), deadline.remaining)
        limits = Limits(min(SERVER_WAIT, deadline.remaining), deadline.remaining, PREEMPTION)

        def report(feedback: object) -> None:
            if progress is not None:
                progress(feedback.phase, feedback.progress)  # type: ignore[attr-defined]

        reply = self._client.call(goal, limits, LinkedEvent(cancel, self._estop), report)
        self._ended(reply.stamp)
        status, began = _WITHOUT_OUTCOME[reply.status]
        names = () if began is CauseKind.CANCELED else (self.name,)
        said = self._after_loss(reply.status, cancel) or reply.message or reply.status.value
        outcome = Outcome.because(began, status, said, *names)
        if reply.result is not None and reply.status is not CallStatus.ABORTED:
            told = OUTCOME.from_msg(reply.result.outcome)
            if told.status is not Status.INVALID or reply.status is CallStatus.SUCCEEDED:
                outcome = told
        if self._estop.is_set() and not outcome.ok and outcome.status is not Status.SAFETY:
            message = f"{_ESTOP} ended the command: {outcome.message}"
            return Outcome.because(CauseKind.STOPPED, Status.SAFETY, message, _ESTOP)
        return outcome

    def _after_loss(self, status: CallStatus, cancel: Event) -> str:
        """Return what became of a robot whose driver went away under a command, in words; empty for another end."""
        if status is CallStatus.UNREACHABLE:
            return f"The driver of {self.name} does not answer; the command was not begun."
        if status is CallStatus.STUCK:
            return f"The driver of {self.name} did not end its command, so nobody knows whether it stands."
        if status is not CallStatus.LOST:
            return ""
        back = Deadline(RETURN_LIMIT)
        while not (back.passed or cancel.is_set() or self._estop.is_set()):
            if self._client.end_others(_SLICE, anew=True):
                return (f"The driver of {self.name} was lost under the command. It answers again, and "
                        f"{self.name} stands still.")
        return (f"The driver of {self.name} was lost under the command and does not answer, so nobody "
                f"knows whether {self.name} stands.")

    def stop(self, deadline: Deadline) -> Outcome:
        """Cancel all commands of the driver, and wait until it confirms from joints or odometry that the robot stands.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            Whether it stands; LOST if the driver cannot be reached.
        """
        if not self._client.wait_for_server(deadline.remaining):
            return Outcome.because(CauseKind.UNREACHABLE_NODE, Status.LOST,
                                   "its driver does not answer, so nobody knows whether it stands", self.name)
        if not self._client.end_others(deadline.remaining, anew=True, own=True):
            return Outcome.because(CauseKind.STILL_MOVING, Status.EXECUTION,
                                   "its driver has not ended its command", self.name)
        return Outcome(Status.SUCCESS, f"{self.name} stands still")

    def clear(self, seconds: float) -> None:
        """Cancel commands left from an earlier process as soon as the driver can be reached; no command is
        sent before that.

        Args:
            seconds: limit in wall time, seconds.
        """
        self._clearing = Thread(target=self._client.end_others, args=(seconds,), name="orphans", daemon=True)
        self._clearing.start()

    def bypass(self, active: Callable[[], bool]) -> bool:
        """Stop a base whose driver hangs, past that driver: cancel its planner's goals, and command zero velocity where
        the driver names a topic. Power stays on (stop category 2 of IEC 60204-1).

        Args:
            active: whether to go on; asked every 0.05 s of wall time.

        Returns:
            Whether the driver said how; false for an arm.
        """
        try:
            told = rospy.get_param(f"robots/{self.name}/{BYPASS}", {})
        except (OSError, rospy.ROSException):  # The stop holds without a master, too.
            told = {}
        outlets = [(Publisher(told[key], kind, queue_size=1), kind())
                   for key, kind in (("cancel", GoalID), ("zero", Twist)) if told.get(key)]

        def hold() -> None:
            while active() and not rospy.is_shutdown():
                for publisher, message in outlets:
                    publisher.publish(message)
                time.sleep(_ZERO_PERIOD)

        Thread(target=hold, name="bypass", daemon=True).start()
        return bool(outlets)

    def halt(self, seconds: float) -> bool:
        """Cancel commands of other clients.

        Args:
            seconds: limit in wall time, seconds.

        Returns:
            Whether nothing runs any more; also true without a driver.
        """
        return not self.known or self._client.end_others(seconds, anew=True)

    def reset(self) -> None:
        """Do nothing: the driver keeps no state between commands."""
