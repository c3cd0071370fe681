"""A parallel gripper as the arm uses it: whatever moves the fingers, their joint states tell where they are."""

from __future__ import annotations

import time
from threading import Event
from typing import Optional

from hicrisp_core.model import CauseKind, Outcome, Status
from hicrisp_core.time.deadline import Deadline

from hicrisp_moveit.gripper_port import GripperDrive
from hicrisp_moveit.joints import JointWatch
from hicrisp_moveit.settings import GripperSettings

_STILL = 3.0
"""Longest wait for the fingers to stand after the gripper has said that it is done, seconds."""

_CLOSES = 0.002
"""Way that open fingers make at least when they close on something, metres."""


class Hand:
    """A parallel gripper whose joint states are believed, not its drive."""

    def __init__(self, settings: GripperSettings, drive: GripperDrive, fingers: JointWatch) -> None:
        self._settings = settings
        self._drive = drive
        self._fingers = fingers
        self._opened = False

    def opening(self) -> Optional[float]:
        """Metres between the fingers; ``None`` when that is not known."""
        positions = self._fingers.positions()
        return self._settings.opening_at(positions) if positions is not None else None

    def move(self, opening: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Open or close to a distance between the fingers, metres."""
        largest = self._settings.max_opening
        if not -1e-6 <= opening <= largest + 1e-6:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                   f"the fingers open from 0 to {largest:g} m, not {opening:.3f} m")
        self._opened = False
        outcome = self._refusal(deadline, cancel) or self._drive.move(min(max(opening, 0.0), largest),
                                                                      deadline, cancel)
        if not outcome.ok:
            return self._halted(outcome)
        found = self._stands()
        if found is None:
            return self._fingers.silent()
        if abs(found - opening) > self._settings.tolerance:
            return Outcome.because(
                CauseKind.OFF_COURSE, Status.EXECUTION,
                f"the fingers stopped at {1000 * found:.0f} mm, not at {1000 * opening:.0f} mm")
        self._opened = True
        return outcome

    def grasp(self, force: float, deadline: Deadline, cancel: Event) -> Outcome:
        """Close with a force, newtons, until something resists or the fingers meet.

        SUCCESS is confirmed by the width: open fingers must be nearer to each other than before.
        """
        largest = self._settings.max_force
        if not 0.0 < force <= largest:
            return Outcome.because(
                CauseKind.MALFORMED, Status.INVALID,
                f"the fingers press with more than 0 and up to {largest:g} N, not {force:.1f} N")
        before = self.opening()
        outcome = self._refusal(deadline, cancel) or self._drive.grasp(force, deadline, cancel)
        if not outcome.ok:
            return self._halted(outcome)
        found = self._stands()
        if found is None or before is None:
            return self._fingers.silent()
        nearest = before if self._opened and before > _CLOSES else self._settings.max_opening
        if found > nearest - _CLOSES:
            return Outcome.because(
                CauseKind.OFF_COURSE, Status.EXECUTION,
                f"the fingers did not close: {1000 * before:.0f} mm apart before and {1000 * found:.0f} mm after; "
                "compare 'gripper' in the robot's file with what the hand does")
        self._opened = False
        return outcome

    def stop(self) -> None:
        """End what runs."""
        self._drive.stop()

    def _refusal(self, deadline: Deadline, cancel: Event) -> Optional[Outcome]:
        if cancel.is_set():
            return Outcome.because(CauseKind.CANCELED, Status.CANCELED, "canceled before the fingers moved")
        if deadline.passed:
            return Outcome.because(CauseKind.OUT_OF_TIME, Status.TIMEOUT, "the time for the gripper ran out")
        return None

    def _halted(self, outcome: Outcome) -> Outcome:
        if outcome.status in (Status.CANCELED, Status.TIMEOUT):
            self._drive.stop()
        return outcome

    def _stands(self) -> Optional[float]:
        """The opening once the fingers stand, by joint states from now on."""
        self._fingers.wait_until_standing(Deadline(_STILL), time.monotonic())
        return self.opening()
