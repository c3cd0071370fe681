"""An arm of the embedded world as the executive commands it: it waits for its turn, and faults are injected."""

from __future__ import annotations

from threading import Event, Lock
from typing import Optional

from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.ports.robot import Progress
from hicrisp_core.robot.arm_robot import ArmRobot
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import LinkedEvent

from hicrisp_sim.arm import EmbeddedArm
from hicrisp_sim.faults import Faults

_TURN = 0.02
"""Wall seconds between two looks whether it is an arm's turn."""


class FaultyRobot(ArmRobot):
    """The arm's robot port with faults: those scheduled for a command or a phase occur at its start.

    The arms of a world move one after the other: a command waits until no other arm carries one out.
    """

    faults: Optional[Faults] = None
    turn: Optional[Lock] = None
    _asked: Optional[LinkedEvent] = None

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry out a command; faults that are scheduled for it or one of its phases occur at that moment.

        Args:
            command: the action with its arguments and constraints.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.
            progress: called with the name of the phase and the completed share, 0 to 1.

        Returns:
            The outcome.
        """
        def watched(phase: str, fraction: float) -> None:
            if self.faults is not None and isinstance(self._arm, EmbeddedArm):
                self.faults.phase_began(self._arm, self.item(command), phase)
            if progress is not None:
                progress(phase, fraction)

        turn = self.turn or Lock()
        self._asked = stop = LinkedEvent(cancel)
        while not turn.acquire(timeout=_TURN):
            if stop.is_set():
                return Outcome.because(CauseKind.CANCELED, Status.CANCELED, "the command was canceled before it began")
            if deadline.passed:
                return Outcome.because(CauseKind.OUT_OF_TIME, Status.TIMEOUT, "another arm moved for all of the time")
        try:
            if self.faults is not None:
                self.faults.command_began(command)
            return super().execute(command, deadline, stop, watched)
        finally:
            turn.release()

    def stop(self, deadline: Deadline) -> Outcome:
        """Cancel the command, also one that waits for its turn, and stop the arm.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            Whether the arm confirmed the stop.
        """
        if self._asked is not None:
            self._asked.set()
        return super().stop(deadline)
