"""A mobile base as a RobotPort: commands become drives to poses or landmarks, and every end of one is an
Outcome.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Callable, Mapping, Optional, Tuple, Union

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Cause, CauseKind, Outcome, Pose, Status
from hicrisp_core.ports.kinds import BASE, Skill
from hicrisp_core.ports.robot import USUAL, Base, Constraints, Manner, Progress
from hicrisp_core.robot.landmarks import BaseSettings, Landmark
from hicrisp_core.robot.skilled import Recover, RunningCommand, SkilledRobot
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import AlarmEvent

_SETTLE, _SLICE = 1.0, 0.02
"""Seconds in which localisation may catch up with a base that has arrived, and between two looks at it."""
_GLANCE = 0.05
"""Wall seconds between two looks at the clock while a base waits."""

Where = Callable[[], Optional[Pose]]
"""Where the base is seen in the map frame; ``None`` while that is not known."""
Pause = Callable[["Drive", float], Optional[Outcome]]
Goal = Tuple[Landmark, str]
"""A place and what it is called."""


@dataclass
class Drive(RunningCommand):
    """One command of a base on its way.

    Args:
        where: where the base is seen; the map frame and the world frame are one.
        pause: lets seconds of the robot's clock pass; the outcome of a command that ends before they have.
    """

    base: Base
    where: Where
    settings: BaseSettings
    pause: Pause

    def goal(self) -> Union[Goal, Outcome]:
        """Return the goal of a command.

        Returns:
            The place and its name in messages, or why the command has none.
        """
        command, name = self.command, self.base.name
        pose = command.aim or command.target
        if pose is not None:
            x, y, _ = pose.position
            return Landmark(x, y, pose.yaw), f"({x:.2f}, {y:.2f})"
        names = [str(value) for value in command.arguments.values()
                 if isinstance(value, str) and value not in ("", self.item, name)]
        known = ", ".join(sorted(self.settings.landmarks)) or "none"
        if not names:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                   f"{command} does not say where to; {name} knows: {known}.", "target")
        if names[-1] not in self.settings.landmarks:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                   f"{name} knows no place '{names[-1]}'; it knows: {known}.", "target")
        return self.settings.landmarks[names[-1]], names[-1]

    def to(self, goal: Goal, progress: Optional[Progress] = None, manner: Manner = USUAL) -> Outcome:
        """Drive to a place within the time that its distance allows, and check that the base arrived.

        Args:
            goal: the place and its name in messages.
            progress: called with the name of the phase and the completed share, 0 to 1.
            manner: speed and style of the drive.

        Returns:
            The driver's outcome; TIMEOUT after the time limit, EXECUTION if the base is observed elsewhere.
        """
        place, name = goal
        start = self.where()
        pose = place.pose(_bearing(start, place))
        began, patience = self.clock(), self.deadline.remaining
        limit = self.end - began
        if start is not None:
            limit = min(limit, self.settings.time_limit(start, pose, manner.speed))
        stop: AlarmEvent[bool] = AlarmEvent(lambda: self.clock() - began >= limit or None, self.cancel)
        outcome = self.base.go_to(pose, Deadline(patience), stop, progress or self.progress, manner,
                                  Constraints(self.command.keep_out, self.command.clearance))
        if outcome.status is Status.CANCELED and stop.alarmed and not self.cancel.is_set():
            outcome = Outcome(Status.TIMEOUT, "The time limit passed; the base stands still.",
                              outcome.blockers, Cause(CauseKind.OUT_OF_TIME, (self.base.name,), limit))
        if outcome.status in (Status.CANCELED, Status.LOST, Status.SAFETY):
            return outcome
        if outcome.status is Status.TIMEOUT:
            return replace(outcome, message=f"Cannot reach {name} within {min(limit, patience):.0f} s: "
                                            f"{_sentence(outcome.message or 'the time limit passed')}")
        if not outcome.ok:
            return replace(outcome, message=f"Cannot reach {name}: {_sentence(outcome.message)}")
        return self._arrival(place, name)

    def _arrival(self, place: Landmark, name: str) -> Outcome:
        """SUCCESS when the base is seen at a place; where it is seen when it is not there."""
        settled = Deadline(_SETTLE)
        fault = self.settings.miss(place, self.where())
        while fault and not settled.passed and not self.cancel.wait(_SLICE):
            fault = self.settings.miss(place, self.where())
        if not fault:
            return Outcome(Status.SUCCESS)
        return self.interrupted() or Outcome.because(
            CauseKind.OFF_COURSE, Status.EXECUTION,
            f"Cannot tell that {name} was reached: {self.base.name} says so, but {fault}.")


def stand_still(drive: Drive, seconds: float) -> Optional[Outcome]:
    """Wait in simulation time, at most until the command's own limit.

    Args:
        drive: the running command.
        seconds: duration in the robot's time.

    Returns:
        Why the wait ended early; ``None`` if the full time passed.
    """
    began = drive.clock()
    while True:
        left = seconds - (drive.clock() - began)
        if left <= 0.0:
            return None
        stopped = drive.interrupted()
        if stopped is not None:
            return stopped
        drive.progress("wait", 1.0 - left / seconds)
        drive.cancel.wait(min(_GLANCE, left, drive.deadline.remaining))


def _bearing(start: Optional[Pose], place: Landmark) -> float:
    """Return the heading in which a straight drive to a place ends, radians."""
    if start is None:
        return 0.0
    dx, dy = place.x - start.position[0], place.y - start.position[1]
    return math.atan2(dy, dx) if math.hypot(dx, dy) > 1e-3 else start.yaw


def _sentence(text: str) -> str:
    """Return a driver's text at the end of a sentence."""
    return text.strip().rstrip(".") + "."


class BaseRobot(SkilledRobot):
    """Carries out commands with the skills of a base over a ``Base``.

    A drive goes to the command's aim or target, else to the landmark that its last argument names. The base's
    word for having arrived is a claim: it is compared with where the base is seen.

    Args:
        skills: the skill by the domain's action name; those of other kinds of robots are left to them.
        where: where the base is seen; the map frame and the world frame are one.
        clock: seconds of the robot's clock, by which the time limits of commands and drives are meant; wall
            time by default.
        pause: lets seconds of that clock pass.
        recover: called with a command that ended LOST while its base stands; it may wait for what is being started
            again, so that the next command finds it.
    """

    def __init__(
        self, base: Base, skills: Mapping[str, SkillUse], where: Where, settings: BaseSettings,
        clock: Callable[[], float] = time.monotonic, pause: Pause = stand_still,
        recover: Recover = lambda _, outcome: outcome,
    ) -> None:
        super().__init__(base, BASE, skills, clock, settings.stop_limit, recover)
        self._base = base
        self._where = where
        self._settings = settings
        self._pause = pause

    def carry_out(self, skill: Skill, running: RunningCommand) -> Outcome:
        """Run a skill.

        Args:
            skill: of the command's action.
            running: the command and its limits.

        Returns:
            How it ended; the base may still move when it failed.
        """
        drive = Drive(**vars(running), base=self._base, where=self._where, settings=self._settings, pause=self._pause)
        return drive.interrupted() or skill.run(drive, running.command)

    def reset(self) -> None:
        """Do nothing: every drive starts without a memory of others."""
