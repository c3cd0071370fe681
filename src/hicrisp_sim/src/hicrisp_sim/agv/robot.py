"""The embedded base as a robot port, for which waiting takes simulated time."""

from __future__ import annotations

from typing import Mapping, Optional

from hicrisp_core.domain.schema import SkillUse
from hicrisp_core.model import Outcome
from hicrisp_core.robot.base_robot import BaseRobot, Drive

from hicrisp_sim.agv.base import EmbeddedBase


class AgvRobot(BaseRobot):
    """Drives and waits on the world's own clock; a wait for the base's turn counts for no time limit.

    Args:
        skills: the skill by the domain's action name.
    """

    def __init__(self, base: EmbeddedBase, skills: Mapping[str, SkillUse]) -> None:
        super().__init__(base, skills, base.pose, base.settings.port_settings(),
                         lambda: base.simulation.time - base.held, self._stand)
        self._embedded = base

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
