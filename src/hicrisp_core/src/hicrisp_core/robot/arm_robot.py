"""An arm as a RobotPort: commands become skills, and every way in which they end is an Outcome."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Callable, Mapping, Optional, Tuple

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Cause, CauseKind, Command, Outcome, Status, WorldState
from hicrisp_core.ports.kinds import ARM, Skill
from hicrisp_core.ports.robot import Arm
from hicrisp_core.robot.gripper import Gripper
from hicrisp_core.robot.safety import SafetyLimits
from hicrisp_core.robot.skilled import RunningCommand, SkilledRobot
from hicrisp_core.robot.skills import SkillContext, SkillSettings
from hicrisp_core.time.waiting import AlarmEvent


class ArmRobot(SkilledRobot):
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
        super().__init__(arm, ARM, skills, clock, stop_limit=2.0)
        self._arm = arm
        self._observe = observe
        self._settings = SkillSettings()
        self._limits = limits
        self._hand = replace(hand, opening=arm.max_opening)

    def use_eyes(self, observe: Callable[[], WorldState]) -> None:
        """Replace the source of observations, starting with the next command.

        Args:
            observe: returns the current world.
        """
        self._observe = observe

    def carry_out(self, skill: Skill, running: RunningCommand) -> Outcome:
        """Run a skill; no motion goes on after the command's time limit.

        Args:
            skill: of the command's action.
            running: the command and its limits.

        Returns:
            How it ended; the arm may still move when it failed.
        """
        limited: AlarmEvent[bool] = AlarmEvent(lambda: running.left() <= 0.0 or None, running.cancel)
        context = SkillContext(**{**vars(running), "cancel": limited}, arm=self._arm, observe=self._observe,
                               gripper=self._hand, settings=self._settings, limits=self._limits)
        outcome = context.interrupted() or skill.run(context, running.command)
        if outcome.status is Status.CANCELED and not running.cancel.is_set():
            limit = running.command.time_limit
            outcome = Outcome(Status.TIMEOUT, f"The time limit of {limit:g} s passed; the robot stands still.",
                              cause=Cause(CauseKind.OUT_OF_TIME, (self.name,), limit))
        return outcome

    def reset(self) -> None:
        """Forget the state of earlier commands."""
        self._arm.detach()

    def malformed(self, command: Command) -> Tuple[str, str]:
        """Return why a command is malformed and what of it; two empty texts when it is not.

        Args:
            command: the action with its arguments and constraints.

        Returns:
            A sentence, and the field that it is about.
        """
        item = self.item(command)
        known = self._observe().objects if item else {}
        if item and item not in known:
            return f"There is no '{item}'; there are: {', '.join(sorted(known))}.", "item"
        return super().malformed(command)
