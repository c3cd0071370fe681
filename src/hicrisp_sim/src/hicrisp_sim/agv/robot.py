"""The embedded base as a robot port, for which waiting takes simulated time."""

from __future__ import annotations

from threading import Event
from typing import Mapping, Optional

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Command, Outcome
from hicrisp_core.ports.robot import AWAITED, Progress
from hicrisp_core.robot.base_robot import BaseRobot, Drive
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.agv.base import EmbeddedBase


class AgvRobot(BaseRobot):
    """Drives and waits on the world's own clock.

    Args:
        skills: the skill by the domain's action name.
    """

    def __init__(self, base: EmbeddedBase, skills: Mapping[str, SkillUse]) -> None:
        super().__init__(base, skills, base.pose, base.settings.port_settings(),
                         lambda: base.simulation.time, self._stand)
        self._embedded = base

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        """Carry out a command once it is the base's turn, where bases share an order of visits.

        Args:
            command: the action with its arguments and constraints.
            deadline: wall-clock limit of the call.
            cancel: event that stops the call when it is set.
            progress: called with the name of the phase and the completed share, 0 to 1.

        Returns:
            What the base reports.
        """
        base, said = self._embedded, ""
        with base.simulation.moving():
            while not (cancel.is_set() or deadline.passed):
                words = base.fleet.turns.early(base.name)
                if not words:
                    break
                if words != said and progress is not None:
                    progress(f"{AWAITED}{words}", 0.0)
                said = words
                base.rest()
        return super().execute(command, deadline, cancel, progress)

    def reset(self) -> None:
        """Forget the obstacles that were seen and the constraints of the last command."""
        self._embedded.constrain()
        self._embedded.clear_costmaps()

    def _stand(self, drive: Drive, seconds: float) -> Optional[Outcome]:
        """Let seconds of the world's clock pass."""
        end = self._embedded.simulation.time + seconds
        with self._embedded.simulation.moving():
            while self._embedded.simulation.time < end:
                stopped = drive.interrupted()
                if stopped is not None:
                    return stopped
                self._embedded.rest()
        return None
