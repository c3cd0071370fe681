"""The embedded base as a robot port, for which waiting takes simulated time."""

from __future__ import annotations

from threading import Event
from typing import Mapping, Optional

from hicrisp_core.model import Command, Outcome, Status
from hicrisp_core.ports.robot import Progress
from hicrisp_core.robot.base_robot import BaseRobot
from hicrisp_core.time.deadline import Deadline

from hicrisp_sim.agv.base import EmbeddedBase
from hicrisp_sim.agv.pursuit import Twist


class AgvRobot(BaseRobot):
    """Drives and waits on the world's own clock.

    Args:
        skills: the skill by the domain's action name.
    """

    def __init__(self, base: EmbeddedBase, skills: Mapping[str, str]) -> None:
        super().__init__(base, skills, base.pose, base.settings.port_settings())
        self._embedded = base
        self._waits = frozenset(action for action, skill in skills.items() if skill == "wait")

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        if command.action in self._waits:
            return self._wait(command, deadline, cancel)
        return super().execute(command, deadline, cancel, progress)

    def reset(self) -> None:
        """Forget the obstacles that were seen and the constraints of the last command."""
        self._embedded.constrain()
        self._embedded.clear_costmaps()

    def _wait(self, command: Command, deadline: Deadline, cancel: Event) -> Outcome:
        seconds = next((value for value in command.arguments.values() if not isinstance(value, str)), 0.0)
        end = self._embedded.simulation.time + seconds
        with self._embedded.simulation.moving():
            while self._embedded.simulation.time < end:
                if cancel.is_set() or deadline.passed:
                    return Outcome(Status.CANCELED if cancel.is_set() else Status.TIMEOUT, "The wait was ended early.")
                self._embedded.tick(Twist())
        return Outcome(Status.SUCCESS)
