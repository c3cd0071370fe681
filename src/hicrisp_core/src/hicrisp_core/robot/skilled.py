"""What robots of every kind do with a command: find its skill, keep its limits, and stop after a failure."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from threading import Event
from typing import Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from hicrisp_core.domain.roles import ITEM
from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.extensions import extensions
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Status
from hicrisp_core.ports.kinds import Skill
from hicrisp_core.ports.robot import Arm, Base, Progress
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import LinkedEvent


@dataclass
class RunningCommand:
    """A running command: its limits, and the object that it handles.

    Args:
        deadline: in wall time, for whatever the robot's clock does.
        clock: seconds of the robot's clock, by which time limits are meant.
        end: when the command's own time limit is over, by that clock.
        item: the name of the object that the command handles; empty if it names none.
        other: the name of the object that it is done to; empty if it names none.
        amount: how much of it; 0 if it does not say.
    """

    command: Command
    deadline: Deadline
    cancel: LinkedEvent
    progress: Progress
    clock: Callable[[], float]
    end: float
    item: str
    other: str
    amount: float

    def left(self) -> float:
        """Return the time until the command's own limit.

        Returns:
            Seconds of the robot's clock.
        """
        return self.end - self.clock()

    def interrupted(self) -> Optional[Outcome]:
        """Return why a command has to end early.

        Returns:
            The outcome of a canceled command or one out of time; ``None`` otherwise.
        """
        if self.cancel.is_set():
            return Outcome(Status.CANCELED, "The command was canceled; the robot stands still.",
                           cause=Cause(CauseKind.CANCELED))
        if self.deadline.passed or self.left() <= 0.0:
            return Outcome(Status.TIMEOUT, "The time limit passed; the robot stands still.",
                           cause=Cause(CauseKind.OUT_OF_TIME))
        return None


Recover = Callable[[RunningCommand, Outcome], Outcome]


class SkilledRobot(ABC):
    """Carries out commands with the skills of its kind.

    Args:
        driver: what moves the robot.
        kind: ``arm`` or ``base``.
        skills: the skill by the domain's action name; those of other kinds of robots are left to them.
        clock: seconds of the robot's clock, by which the time limits of commands are meant.
        stop_limit: seconds in which the robot has to stand after a command that failed.
        recover: called with a command that ended LOST while its robot stands; it may wait for what is being started
            again, so that the next command finds it.
    """

    def __init__(
        self, driver: Union[Arm, Base], kind: str, skills: Mapping[str, SkillUse], clock: Callable[[], float],
        stop_limit: float, recover: Recover = lambda _, outcome: outcome,
    ) -> None:
        self.name = driver.name
        self._driver = driver
        self._clock = clock
        self._stop_limit = stop_limit
        self._recover = recover
        self._skills = skills_of(kind, skills)
        self._actions = frozenset(skills)
        self._running: Optional[LinkedEvent] = None

    def capabilities(self) -> Sequence[str]:
        """Return the actions that the robot can carry out.

        Returns:
            Names of actions.
        """
        return tuple(name for name in self._skills if name in self._actions)

    def item(self, command: Command) -> str:
        """Return the name of the object that a command handles.

        Args:
            command: the action with its arguments and constraints.

        Returns:
            The name; empty if the action handles no object.
        """
        _, use = self._skills.get(command.action, (None, None))
        return command.argument(use.item) if use is not None and use.item else ""

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry out a command with the skill of its action.

        Args:
            command: the action with its arguments and constraints.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.
            progress: called with the name of the phase and the completed share, 0 to 1.

        Returns:
            What the robot reports; INVALID for an unknown action or a malformed command.
        """
        said, about = self.malformed(command)
        if said:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID, said, about)
        end = self._clock() + (command.time_limit if command.time_limit > 0.0 else math.inf)
        skill, use = self._skills[command.action]
        running = RunningCommand(
            command, deadline, LinkedEvent(cancel), progress or (lambda *_: None), self._clock, end,
            self.item(command), command.argument(use.target), float(command.arguments.get(use.amount, 0.0)))
        self._running = running.cancel
        try:
            outcome = self.carry_out(skill, running)
            if not outcome.ok and outcome.status is not Status.INVALID:
                halted = self._driver.stop(Deadline(self._stop_limit))
                outcome = outcome.stopped(halted, f" {self.name} does not confirm that it stands: ")
            return self._recover(running, outcome) if outcome.status is Status.LOST else outcome
        finally:
            self._running = None

    def malformed(self, command: Command) -> Tuple[str, str]:
        """Return why a command is malformed and what of it; two empty texts when it is not.

        Args:
            command: the action with its arguments and constraints.

        Returns:
            A sentence, and the field that it is about.
        """
        if command.action not in self._skills:
            return f"{self.name} cannot '{command.action}'; it can: {', '.join(sorted(self.capabilities()))}.", "action"
        for goal in (command.target, command.aim):
            if goal is not None and not goal.finite:
                return f"The goal of {command} is not a finite pose: {goal.position}.", "target"
        if not 0.0 <= command.look_within < math.inf:
            return f"{command} is looked at within {command.look_within} m; that is at least 0.", "look_within"
        return "", ""

    @abstractmethod
    def carry_out(self, skill: Skill, running: RunningCommand) -> Outcome:
        """Run a skill.

        Args:
            skill: of the command's action.
            running: the command and its limits.

        Returns:
            How it ended; the robot may still move when it failed.
        """

    def stop(self, deadline: Deadline) -> Outcome:
        """Cancel the running command and stop the robot.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            Whether the robot confirmed the stop.
        """
        running = self._running
        if running is not None:
            running.set()
        return self._driver.stop(deadline)


def skills_of(kind: str, uses: Mapping[str, SkillUse]) -> Dict[str, Tuple[Skill, SkillUse]]:
    """Return the skills of one kind of robot by action, and how the action uses each.

    Skills that every robot of the kind has keep their own names; skills of other kinds are left out.

    Args:
        kind: ``arm`` or ``base``.
        uses: the skill that each action of a domain uses.

    Returns:
        The skills by action name.

    Raises:
        ConfigError: for a skill that is not registered; lists those that are.
    """
    known = extensions().skills
    own = {name: SkillUse(name, ITEM) for name in known if known.get(name).own}
    found = {action: (known.get(use.skill), use) for action, use in (*own.items(), *uses.items())}
    return {action: (skill, use) for action, (skill, use) in found.items() if skill.robot == kind}
