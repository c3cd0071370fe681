"""Franka's own side of a real Panda: its mode, the user stop, reflexes, recovery, collision behaviour,
felt forces.
"""

from __future__ import annotations

import math
import time
from typing import Any, List, Optional, Tuple

import rospy
from franka_msgs.msg import ErrorRecoveryAction, ErrorRecoveryGoal, FrankaState
from franka_msgs.srv import SetForceTorqueCollisionBehavior, SetForceTorqueCollisionBehaviorRequest
from hicrisp_core.model import CauseKind, Outcome, Status
from hicrisp_core.time import Deadline, wait_until
from hicrisp_ros.action_client import ActionClient, Limits
from hicrisp_ros.service_client import ServiceClient
from hicrisp_ros.stamps import News, StampCheck

from hicrisp_moveit.settings import FrankaSettings

_POLL = 0.02
_SAMPLES = 2
"""States on end that must feel a contact."""
_LATE_MODE = 5.0
"""Longest wait for the mode to change after a recovery, seconds."""


class FrankaHardware:
    """Watches ``FrankaState`` and recovers from reflexes; a pressed user stop is told and never overridden."""

    def __init__(self, settings: FrankaSettings) -> None:
        self._settings = settings
        self._state: Optional[FrankaState] = None
        self._seen_at = -math.inf
        self._stamps = StampCheck(f"the robot state on {settings.states} is", settings.states,
                                  settings.state_age)
        self._news = News()
        self._free_force: Optional[Tuple[float, float, float]] = None
        self._felt, self._largest = 0, 0.0
        self._recovery = ActionClient(f"{settings.namespace}/error_recovery", ErrorRecoveryAction)
        self._behaviour = ServiceClient(
            f"{settings.namespace}/set_force_torque_collision_behavior", SetForceTorqueCollisionBehavior)
        self._subscriber = rospy.Subscriber(settings.states, FrankaState, self._on_state, queue_size=5,
                                            tcp_nodelay=True)

    def ready(self, deadline: Deadline) -> Optional[Outcome]:
        """Why the robot cannot move; ``None`` when it can. A reflex is recovered from, as often as is allowed."""
        known = Deadline(min(self._settings.state_age, deadline.remaining))
        wait_until(lambda: self._alive, known, period=_POLL, in_vain=rospy.is_shutdown)
        for _ in range(self._settings.recoveries):
            if not self._alive or self._mode != FrankaState.ROBOT_MODE_REFLEX:
                break
            self._recover(deadline)
        return self.alarm()

    def alarm(self) -> Optional[Outcome]:
        """Why a motion must not go on; ``None`` while all is well."""
        if not self._alive:
            age = time.monotonic() - self._seen_at
            return self._stamps.complaint(Status.LOST) or Outcome.because(
                CauseKind.STALE_SENSOR, Status.LOST, f"there is no robot state on {self._settings.states}",
                self._settings.states, seconds=age if math.isfinite(age) else None)
        if self._mode == FrankaState.ROBOT_MODE_USER_STOPPED:
            return Outcome.because(CauseKind.STOPPED, Status.SAFETY,
                                   "the user stop is pressed; release it to go on",
                                   "user stop")
        if self._mode == FrankaState.ROBOT_MODE_GUIDING:
            return Outcome.because(CauseKind.STOPPED, Status.SAFETY, "the robot is being guided by hand",
                                   "guiding")
        if self._mode == FrankaState.ROBOT_MODE_REFLEX:
            return Outcome.because(CauseKind.HARDWARE, Status.EXECUTION,
                                   f"a reflex stopped the arm: {self.errors() or 'no reason is given'}",
                                   "reflex")
        return None

    def errors(self) -> str:
        """The names of the robot's errors, with commas between them."""
        state = self._state
        if state is None:
            return ""
        found: List[str] = []
        for errors in (state.current_errors, state.last_motion_errors):
            found += [name.replace("_", " ") for name in errors.__slots__ if getattr(errors, name) is True
                      and name.replace("_", " ") not in found]
        return ", ".join(found)

    def begin_guard(self) -> None:
        """What the tool feels now is no contact."""
        self._felt, self._largest = 0, 0.0
        self._free_force = _force(self._state) if self._state is not None else None

    def contact(self) -> Optional[Outcome]:
        """What the tool has touched since ``begin_guard``; ``None`` while it has not."""
        if self._felt < _SAMPLES:
            return None
        return Outcome.because(CauseKind.TOUCHED, Status.EXECUTION,
                               f"the hand touched something ({self._largest:.0f} N)")

    def end_guard(self) -> None:
        """Feel no longer."""
        self._free_force = None
        self._felt = 0

    def set_collision_behaviour(self, seconds: float) -> str:
        """Set from which torques and forces on a reflex stops the arm; the reason when the robot refuses.

        libfranka takes it only while no controller runs.
        """
        torques, forces = list(self._settings.collision_torques), list(self._settings.collision_forces)
        request = SetForceTorqueCollisionBehaviorRequest(
            lower_torque_thresholds_nominal=torques, upper_torque_thresholds_nominal=torques,
            lower_force_thresholds_nominal=forces, upper_force_thresholds_nominal=forces)
        reply = self._behaviour.call(request, seconds)
        if reply.response is None:
            return reply.message
        return "" if reply.response.success else str(reply.response.error or "no reason is given")

    @property
    def _alive(self) -> bool:
        return time.monotonic() - self._seen_at <= self._settings.state_age

    @property
    def _mode(self) -> int:
        return int(self._state.robot_mode) if self._state is not None else FrankaState.ROBOT_MODE_OTHER

    def _recover(self, deadline: Deadline) -> None:
        rospy.logwarn("a reflex stopped the arm (%s); recovering", self.errors())
        wait = min(self._settings.recovery_wait, deadline.remaining)
        reply = self._recovery.call(ErrorRecoveryGoal(), Limits(wait, wait, 1.0))
        if not reply.ok:
            rospy.logerr("error recovery failed: %s", reply.message or reply.status.value)
            return
        wait_until(lambda: self._mode != FrankaState.ROBOT_MODE_REFLEX, Deadline(_LATE_MODE), period=_POLL)

    def _on_state(self, state: FrankaState) -> None:
        stamp = state.header.stamp.to_sec()
        if not self._stamps.sound(stamp) or not self._news.new(stamp):
            return  # It tells of another time than now.
        self._state, self._seen_at = state, time.monotonic()
        free = self._free_force
        if free is not None:
            change = math.dist(_force(state), free)
            if change > self._settings.contact_force:
                self._felt += 1
            elif self._felt < _SAMPLES:
                self._felt = 0
            self._largest = max(self._largest, change)


def _force(state: Any) -> Tuple[float, float, float]:
    """The force on the tool, newtons, in the base frame."""
    x, y, z = state.O_F_ext_hat_K[:3]
    return (x, y, z)
