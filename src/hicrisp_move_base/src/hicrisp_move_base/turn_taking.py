"""A base that shares an order of visits with others: it waits for its turn before it drives to an area."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Optional

import rospy
from hicrisp_core.model import Cause, CauseKind, Outcome, Status
from hicrisp_core.ports.kinds import Skill
from hicrisp_core.ports.robot import AWAITED
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.robot.skilled import RunningCommand
from hicrisp_core.robot.turns import TURNS, Bar, Turns
from std_msgs.msg import String

_SLICE = 0.1
"""Wall seconds between two looks whose turn it is."""


class TurnTaker(BaseRobot):
    """Begins no drive to an area before its turn; whose turn it is, the topic and the parameter ``turns`` say."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turns = Turns()
        self._subscriber = rospy.Subscriber(TURNS, String, self._on_turns, queue_size=1)

    def carry_out(self, skill: Skill, running: RunningCommand) -> Outcome:
        """Wait for the turn, then run a skill; the wait counts for no time limit of a drive.

        Args:
            skill: of the command's action.
            running: the command and its limits.

        Returns:
            How it ended; EXECUTION if the turn did not come in the command's time.
        """
        kept = rospy.search_param(TURNS)  # The topic may come later than the command that follows it.
        if kept is not None:
            self._turns = Turns(rospy.get_param(kept))
        began, told = running.clock(), ""
        bar = self._barred(running)
        while bar is not None:
            ended = running.interrupted()
            if ended is not None:
                return ended if ended.status is Status.CANCELED else replace(
                    ended, status=Status.EXECUTION, message=f"{self.name} waited without effect for {bar.words}.",
                    cause=Cause(CauseKind.BLOCKED, (bar.whom,)))
            if bar.words != told:
                told = bar.words
                running.progress(f"{AWAITED}{told}", 0.0)
            running.cancel.wait(_SLICE)
            bar = self._barred(running)
        running.end += running.clock() - began
        return super().carry_out(skill, running)

    def _barred(self, running: RunningCommand) -> Optional[Bar]:
        bars = (self._turns.barred(self.name, str(place)) for place in running.command.arguments.values() if place)
        return next(filter(None, bars), None)

    def _on_turns(self, message: String) -> None:
        self._turns = Turns(json.loads(message.data))
