"""An arm that misses: HiCRISP's experiment (section IV-B) for arms that do not come from a simulator of
ours.
"""

from __future__ import annotations

import random
from dataclasses import replace
from threading import Event
from typing import Optional, Sequence

from hicrisp_core.model import Command, Outcome
from hicrisp_core.ports.robot import Progress, RobotPort
from hicrisp_core.time.deadline import Deadline


class UnsteadyRobot:
    """Carries commands out as its robot does, but puts things beside where it was told: an injected failure.

    Args:
        sigma: standard deviation of the miss along x and along y of the world, metres; drawn anew for every
            command.
        seed: of the draws.
    """

    def __init__(self, robot: RobotPort, sigma: float, seed: int = 0) -> None:
        self.name = robot.name
        self._robot = robot
        self._sigma = sigma
        self._dice = random.Random(seed)

    def capabilities(self) -> Sequence[str]:
        return self._robot.capabilities()

    def execute(
        self, command: Command, deadline: Deadline, cancel: Event, progress: Optional[Progress] = None
    ) -> Outcome:
        aim = command.aim or command.target
        if aim is not None:
            miss = (self._dice.gauss(0.0, self._sigma), self._dice.gauss(0.0, self._sigma), 0.0)
            command = replace(command, aim=aim.shifted(miss))
        return self._robot.execute(command, deadline, cancel, progress)

    def stop(self, deadline: Deadline) -> Outcome:
        return self._robot.stop(deadline)

    def reset(self) -> None:
        self._robot.reset()
