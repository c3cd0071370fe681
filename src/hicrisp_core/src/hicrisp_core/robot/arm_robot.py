"""An arm as a RobotPort: commands become skills, and every way in which they end is an Outcome."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Event
from typing import Callable, Mapping, Optional, Sequence

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Status, WorldState
from hicrisp_core.ports.kinds import ARM
from hicrisp_core.ports.robot import Arm, Progress
from hicrisp_core.robot.grasps import Gripper
from hicrisp_core.robot.safety import SafetyLimits
from hicrisp_core.robot.skills import SkillContext, SkillSettings, skills_of
from hicrisp_core.time.deadline import Deadline
from hicrisp_core.time.waiting import AlarmEvent, LinkedEvent


class ArmRobot:
    """Carries out commands with the skills of an arm over an ``Arm``.

    Args:
        skills: the skill by the domain's action name; those of other kinds of robots are left to them.
        observe: returns the current world, the only one that the skills plan in.
        clock: seconds of the robot's clock, by which the time limits of commands are meant.
        limits: where the tool may be sent; anywhere by default.
        hand: the measures of the gripper; its largest opening is the arm's.
    """

    def __init__(
        self, arm: Arm, skills: Mapping[str, SkillUse], observe: Callable[[], WorldState],
        clock: Callable[[], float] = time.monotonic,
        limits: Optional[SafetyLimits] = None, *, hand: Gripper,
    ) -> None:
        self.name = arm.name
        self._arm = arm
        self._observe = observe
        self._settings = SkillSettings()
        self._clock = clock
        self._limits = limits
        self._hand = replace(hand, opening=arm.max_opening)
        self._skills = skills_of(ARM, skills)
        self._actions = frozenset(skills)
        self._running: Optional[LinkedEvent] = None

    def use_eyes(self, observe: Callable[[], WorldState]) -> None:
        """Replace the source of observations, starting with the next command.

        Args:
            observe: returns the current world.
        """
        self._observe = observe

    def capabilities(self) -> Sequence[str]:
        """Return the actions that the arm can carry out.

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
        skill = self._skills.get(command.action)
        return skill.item(command) if skill is not None else ""

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
            What the arm reports; INVALID for an unknown action or a malformed command.
        """
        skill = self._skills.get(command.action)
        if skill is None:
            return Outcome.because(
                CauseKind.MALFORMED, Status.INVALID,
                f"{self.name} cannot '{command.action}'; it can: {', '.join(sorted(self.capabilities()))}.", "action")
        refusal = self._refusal(command, skill.item(command))
        if refusal is not None:
            return refusal
        limit = command.time_limit if command.time_limit > 0.0 else math.inf
        end = self._clock() + limit
        self._running = wish = LinkedEvent(cancel)
        stop: AlarmEvent[bool] = AlarmEvent(lambda: self._clock() >= end or None, wish)
        context = SkillContext(self._arm, self._observe, deadline, stop, progress or (lambda *_: None), self._hand,
                               self._settings, self._limits, skill.item(command), lambda: end - self._clock())
        try:
            outcome = context.interrupted() or skill.run(context, command)
        finally:
            self._running = None
        if outcome.status is Status.CANCELED and not wish.is_set():
            outcome = Outcome(Status.TIMEOUT, f"the time limit of {limit:g} s passed; the arm stands still",
                              cause=Cause(CauseKind.OUT_OF_TIME, (self.name,), limit))
        return outcome if outcome.ok else self._confirmed(outcome)

    def stop(self, deadline: Deadline) -> Outcome:
        """Cancel the running command and stop the arm.

        Args:
            deadline: wall-clock limit of the call.

        Returns:
            Whether the arm confirmed the stop.
        """
        running = self._running
        if running is not None:
            running.set()
        return self._arm.stop(deadline)

    def reset(self) -> None:
        """Forget the state of earlier commands."""
        self._arm.detach()

    def _refusal(self, command: Command, item: str) -> Optional[Outcome]:
        """Return why a command is malformed; ``None`` when it is not."""
        for goal in (command.target, command.aim):
            if goal is not None and not goal.finite:
                return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                       f"The goal of {command} is not a finite pose: {goal.position}.", "target")
        if not 0.0 <= command.look_within < math.inf:
            return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                   f"{command} is looked at within {command.look_within} m; that is at "
                                   "least 0.", "look_within")
        if item:
            known = self._observe().objects
            if item not in known:
                return Outcome.because(CauseKind.MALFORMED, Status.INVALID,
                                       f"There is no '{item}'; there are: {', '.join(sorted(known))}.", "item")
        return None

    def _confirmed(self, outcome: Outcome) -> Outcome:
        """Return the outcome of a failed command, after the arm was seen to stand still."""
        halted = self._arm.stop(Deadline(2.0))
        if halted.ok:
            return outcome
        return Outcome(Status.SAFETY, f"{outcome.message} The arm does not confirm that it stands: {halted.message}.",
                       outcome.blockers, outcome.cause)
