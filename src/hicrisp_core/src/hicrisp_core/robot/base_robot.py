"""A mobile base as a RobotPort: commands become drives to poses or landmarks, and every end of one is an
Outcome.
"""

from __future__ import annotations

import math
import time
from threading import Event
from typing import Callable, Mapping, Optional, Sequence

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import CauseKind, Command, Outcome, Status
from hicrisp_core.ports.kinds import BASE
from hicrisp_core.ports.robot import Base, Progress
from hicrisp_core.robot.drive import Drive, Pause, Where, stand_still
from hicrisp_core.robot.landmarks import BaseSettings
from hicrisp_core.robot.skills import skills_of
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import LinkedEvent


class BaseRobot:
    """Carries out commands with the skills of a base over a ``Base``.

    A drive goes to the command's aim or target, else to the landmark that its last argument names. The base's
    word for having arrived is a claim: it is compared with where the base is seen.

    Args:
        skills: the skill by the domain's action name; those of other kinds of robots are left to them.
        where: where the base is seen; the map frame and the world frame are one.
        clock: seconds of the robot's clock, by which the time limits of commands and drives are meant; wall
            time by default.
        pause: lets seconds of that clock pass.
    """

    def __init__(
        self, base: Base, skills: Mapping[str, SkillUse], where: Where, settings: BaseSettings,
        clock: Callable[[], float] = time.monotonic, pause: Pause = stand_still,
    ) -> None:
        self.name = base.name
        self._base = base
        self._where = where
        self._settings = settings
        self._clock = clock
        self._pause = pause
        self._skills = skills_of(BASE, skills)
        self._running: Optional[LinkedEvent] = None

    def capabilities(self) -> Sequence[str]:
        return tuple(self._skills)

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        skill = self._skills.get(command.action)
        if skill is None:
            return Outcome.because(
                CauseKind.MALFORMED, Status.INVALID,
                f"{self.name} cannot '{command.action}'; it can: {', '.join(sorted(self._skills))}.", "action")
        limit = command.time_limit if command.time_limit > 0.0 else math.inf
        drive = Drive(self._base, self._where, self._settings, command, deadline, LinkedEvent(cancel),
                      progress or _ignore, self._clock, self._clock() + limit, self._pause, skill.item(command))
        self._running = drive.cancel
        try:
            outcome = drive.interrupted() or skill.run(drive, command)
        finally:
            self._running = None
        return outcome if outcome.ok or outcome.status is Status.INVALID else self._confirmed(outcome)

    def stop(self, deadline: Deadline) -> Outcome:
        running = self._running
        if running is not None:
            running.set()
        return self._base.stop(deadline)

    def reset(self) -> None:
        """Nothing to forget: every drive begins afresh."""

    def _confirmed(self, outcome: Outcome) -> Outcome:
        """The outcome of a failed command, after the base was seen to stand still."""
        halted = self._base.stop(Deadline(self._settings.stop_limit))
        if halted.ok:
            return outcome
        lost = outcome.status is Status.LOST and halted.status is Status.LOST
        return Outcome(Status.LOST if lost else Status.SAFETY,
                       f"{outcome.message} The base does not confirm that it stands: {halted.message}",
                       outcome.blockers, outcome.cause)


def _ignore(phase: str, fraction: float) -> None:
    """Nobody wants to know how far the command is."""
